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
 * Whether the text has more than `limit` code points. Looks at no unit at all where the length answers it.
 *
 * @since 0.1.0
 * @category predicates
 */
export const exceeds = (text: string, limit: number): boolean =>
  text.length > limit && (text.length > 2 * limit || count(text) > limit)

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

/**
 * The longest start of the text that `countText` prices at no more than `tokens`, cut at a code point. `countText` must not
 * fall when text is appended. It is asked about pieces of the size of the answer, about twice log2 of its length times.
 *
 * @since 0.1.0
 * @category combinators
 */
export const clipToTokens = (text: string, tokens: number, countText: (text: string) => number): string => {
  if (!(tokens > 0)) return ""
  const fits = (index: number) => countText(text.slice(0, floorIndex(text, index))) <= tokens
  let low = 0
  let high = Math.min(text.length, Math.ceil(tokens) + 1)
  while (fits(high)) {
    if (high === text.length) return text
    low = high
    high = Math.min(text.length, high * 2)
  }
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (fits(middle)) low = middle
    else high = middle
  }
  return text.slice(0, floorIndex(text, low))
}
