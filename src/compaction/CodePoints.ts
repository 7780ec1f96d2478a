/**
 * Text measured and cut by Unicode code points, by walking indices: no text is ever spread into a list of characters, so
 * that half a gigabyte of tool output costs no memory beyond itself.
 *
 * A surrogate pair is one code point and is never cut in two; a lone surrogate is one code point as well.
 *
 * @since 0.1.0
 */
const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00

/**
 * The number of code points from index `from` up to index `to` (in UTF-16 units). Takes time linear in the stretch.
 *
 * @since 0.1.0
 * @category getters
 */
export const count = (text: string, from = 0, to = text.length): number => {
  let points = to - from
  for (let i = from + 1; i < to; i++) {
    if (isLow(text.charCodeAt(i)) && isHigh(text.charCodeAt(i - 1))) points--
  }
  return points
}

/**
 * Whether the text has more than `limit` code points. Looks no further than until its length answers it: at no unit of a text
 * of more than two units a point.
 *
 * @since 0.1.0
 * @category predicates
 */
export const exceeds = (text: string, limit: number): boolean => {
  let pairsMissing = text.length - limit
  for (let i = 1; pairsMissing > 0; i++) {
    if (2 * pairsMissing > text.length - i + 1) return true
    if (isLow(text.charCodeAt(i)) && isHigh(text.charCodeAt(i - 1))) pairsMissing--
  }
  return false
}

/**
 * The index behind the first `points` code points, at most the length. Takes time linear in `points`.
 *
 * @since 0.1.0
 * @category getters
 */
export const indexAfter = (text: string, points: number): number => {
  let index = 0
  for (let i = 0; i < points && index < text.length; i++) {
    index += isHigh(text.charCodeAt(index)) && isLow(text.charCodeAt(index + 1)) ? 2 : 1
  }
  return index
}

/**
 * The index before the last `points` code points, at least 0. Takes time linear in `points`.
 *
 * @since 0.1.0
 * @category getters
 */
export const indexBefore = (text: string, points: number): number => {
  let index = text.length
  for (let i = 0; i < points && index > 0; i++) {
    index -= isLow(text.charCodeAt(index - 1)) && isHigh(text.charCodeAt(index - 2)) ? 2 : 1
  }
  return index
}

/**
 * The nearest index at or before `index` that does not stand inside a surrogate pair.
 *
 * @since 0.1.0
 * @category getters
 */
export const floorIndex = (text: string, index: number): number =>
  isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1)) ? index - 1 : index

/**
 * The first `points` code points of the text; the text itself where it has no more.
 *
 * @since 0.1.0
 * @category combinators
 */
export const clip = (text: string, points: number): string =>
  text.length <= points ? text : text.slice(0, indexAfter(text, points))

/** The largest piece, by length in units, that fits; `piece` gives one that is at most `length` long. */
const largest = (length: number, tokens: number, piece: (length: number) => string, countText: CountText): string => {
  if (!(tokens > 0)) return ""
  const fits = (size: number) => countText(piece(size)) <= tokens
  let low = 0
  let high = Math.min(length, Math.ceil(tokens) + 1)
  while (fits(high)) {
    if (high === length) return piece(length)
    low = high
    high = Math.min(length, high * 2)
  }
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (fits(middle)) low = middle
    else high = middle
  }
  return piece(low)
}

/**
 * Tokens of a text. Must not fall when text is appended.
 *
 * @since 0.1.0
 * @category models
 */
export type CountText = (text: string) => number

/**
 * The longest start of the text that is priced at no more than `tokens`, cut at a code point. Prices only pieces of about
 * twice the size of the answer, about twice the logarithm of its length times.
 *
 * @since 0.1.0
 * @category combinators
 */
export const clipToTokens = (text: string, tokens: number, countText: CountText): string =>
  largest(text.length, tokens, (length) => text.slice(0, floorIndex(text, length)), countText)

/**
 * A long end of the text that is priced at no more than `tokens`, cut at a code point. The longest where the price does not
 * fall when text is put before, which no estimator promises.
 *
 * @since 0.1.0
 * @category combinators
 */
export const clipEndToTokens = (text: string, tokens: number, countText: CountText): string =>
  largest(
    text.length,
    tokens,
    (length) => {
      const start = text.length - length
      return text.slice(start > floorIndex(text, start) ? start + 1 : start)
    },
    countText
  )
