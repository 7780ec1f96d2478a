/**
 * An exact tokenizer in the place of the estimate for one family, made safe for any text.
 *
 * @since 0.1.0
 */
import type { Family } from "./estimator/families.ts"
import { families } from "./estimator/families.ts"
import * as RunEstimator from "./RunEstimator.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

/**
 * Counts the tokens of a text by a vocabulary.
 *
 * @since 0.1.0
 * @category models
 */
export type CountTokens = (text: string) => number

const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00

/** Letters and digits, white space, and ASCII punctuation: tokenizers cut where one follows another. */
const kindOf = (unit: number): number => {
  if (unit <= 32) return 0
  return unit < 48 || (unit > 57 && unit < 65) || (unit > 90 && unit < 97) || (unit > 122 && unit < 128) ? 1 : 2
}

/** The longest run of one kind that is counted in one piece. */
const longestRun = 256

/**
 * Byte-pair merging takes time that grows with the square of a run without a cut in it. Such runs are cut after 256
 * units; the count of one that long is off by 1 or 2 %, and nothing else changes.
 *
 * @since 0.1.0
 * @category combinators
 */
export const guarded =
  (count: CountTokens): CountTokens =>
  (text) => {
    let tokens = 0
    let pieceStart = 0
    let runStart = 0
    let kind = -1
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      const own = kindOf(unit)
      if (own !== kind) {
        kind = own
        runStart = i
      } else if (i - runStart >= longestRun && !isLow(unit)) {
        tokens += count(text.slice(pieceStart, i))
        pieceStart = i
        runStart = i
      }
    }
    return tokens + count(pieceStart === 0 ? text : text.slice(pieceStart))
  }

const windows = 64
const windowUnits = 250
/** Up to here a text is counted whole: it is hardly longer than its windows would be. */
const longestWhole = 20_000
/** How far a window is moved to begin and end at white space. */
const search = 60
/** Multiples of it, modulo 1, fall nowhere near to each other: windows keep no step with lines or rows of a table. */
const goldenRatio = 0.6180339887

const nextBlank = (text: string, from: number): number => {
  const end = Math.min(text.length, from + search)
  for (let i = from; i < end; i++) if (text.charCodeAt(i) <= 32) return i
  return isLow(text.charCodeAt(from)) ? from + 1 : from
}

/**
 * For large texts: 64 windows of 250 characters are counted, and what the estimator says of the whole is scaled by what it
 * was off by in the windows. A text of 20,000 units or less is counted whole.
 *
 * @since 0.1.0
 * @category combinators
 */
export const bounded =
  (count: CountTokens, estimate: (text: string) => number): CountTokens =>
  (text) => {
    if (text.length <= longestWhole) return count(text)
    const step = text.length / windows
    let counted = 0
    let estimated = 0
    for (let k = 0; k < windows; k++) {
      const start = nextBlank(text, Math.floor(k * step + (step - windowUnits) * ((k * goldenRatio) % 1)))
      const window = text.slice(start, nextBlank(text, Math.min(text.length, start + windowUnits)))
      counted += count(window)
      estimated += estimate(window)
    }
    return estimated === 0 ? counted : Math.round((estimate(text) * counted) / estimated)
  }

/**
 * The default estimator, but with one family counted by its own tokenizer. Routes of other families are priced as before.
 *
 * An exact count may fall by a token or two when text is appended; where text is cut to a number of tokens, the piece may
 * then be a few characters shorter than it could be.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  /** Stored beside the counts: the tokenizer's name and version. */
  readonly name: string
  readonly family: Exclude<Family, "generic" | "claude">
  readonly count: CountTokens
  readonly presets?: RunEstimator.Options["presets"]
}): TokenEstimator => {
  const at = families.indexOf(options.family)
  const exact = bounded(guarded(options.count), (text) => RunEstimator.estimate(text, options.family))
  return RunEstimator.fromText(
    `${RunEstimator.id}+${options.name}`,
    (text, counts) => {
      if (text === "") return
      const before = counts[at]!
      RunEstimator.addText(text, counts)
      counts[at] = before + exact(text)
    },
    options.presets === undefined ? {} : { presets: options.presets }
  )
}
