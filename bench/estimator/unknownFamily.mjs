// What a text is taken to count for a model whose family is unknown.

/**
 * By how much that may exceed what the family says that counts least: in a text of nothing but ASCII, and in one that has
 * none of it. Chosen on the check data, for the smallest error of the worst of eight families that the seven others price,
 * as far as code does not pay for it.
 */
const bounds = { ascii: 0.06, others: 0.38 }

/** Part of a text's UTF-16 units that are outside of ASCII. */
const shareOfOthers = (text) => (text.match(/[^\0-\x7f]/g)?.length ?? 0) / text.length

/**
 * What the family says that counts most, since an underestimate is what overflows a window; but no more than a bound above
 * the one that counts least. In English and code the families agree, and the bound keeps the estimate there. It is wider
 * the more of a text is outside of ASCII, by the root of that part, because a few accents part them; and it has an end,
 * because in rare scripts some count six times what others do, who would pay for all of it.
 */
export const unknownFamilyCounts = (texts, truths, names) =>
  texts.map((text, i) => {
    const counts = names.map((name) => truths[name][i])
    const bound = bounds.ascii + (bounds.others - bounds.ascii) * Math.sqrt(shareOfOthers(text))
    return Math.min(Math.max(...counts), (1 + bound) * Math.min(...counts))
  })
