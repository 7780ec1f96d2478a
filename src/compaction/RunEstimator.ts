/**
 * The default estimator: the runs of a text, counted once, weighted for each tokenizer family.
 *
 * @since 0.1.0
 */
import type { Route } from "../session/Route.ts"
import { floorIndex } from "./CodePoints.ts"
import * as Automaton from "./estimator/automaton.ts"
import { families, type Family, type FamilyPreset, familyPresets, presetOf } from "./estimator/families.ts"
import { runWeights } from "./estimator/runWeights.ts"
import { type AddText, envelopeCounts, messageCounts } from "./requestPrice.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

/** By how much Claude 3 to 4.6 count more than Claude 2, to which the weights are fitted. */
const claudeFactor = 1.1

interface Weighed {
  readonly visits: Automaton.Automaton["visits"]
  /** Tokens of one visit: a state's weights for all families stand together, since they are used together. */
  readonly weights: Float64Array
}

const weigh = (): Weighed => {
  const { states, visits } = Automaton.make()
  const weightOf = (raises: Automaton.Automaton["states"][number]["raises"], k: number) =>
    raises.reduce((sum, name) => sum + runWeights[name][k]! / 1000, 0) * (families[k] === "claude" ? claudeFactor : 1)
  return {
    visits,
    weights: Float64Array.from(states.flatMap(({ raises }) => families.map((_, k) => weightOf(raises, k))))
  }
}

/** Made when the first text is counted. */
let weighed: Weighed | undefined

const sums = new Float64Array(families.length)

const encoder = new TextEncoder()
const pieceLength = 4096
const piece = new Uint8Array(3 * pieceLength)

/** Bytes as UTF-8; a lone surrogate becomes the replacement character, which has three. */
const utf8Length = (text: string): number => {
  let bytes = 0
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = floorIndex(text, from + pieceLength)
    // writing the bytes is ten times faster than looking at each unit
    bytes += encoder.encodeInto(text.slice(from, to), piece).written
  }
  return bytes
}

/** Of parameters alone, as the scan of the text: see there. */
const addWeights = (times: Int32Array, weights: Float64Array, to: Float64Array): void => {
  const width = to.length
  to.fill(0)
  for (let state = 0; state < times.length; state++) {
    const count = times[state]!
    if (count === 0) continue
    const at = state * width
    for (let k = 0; k < width; k++) to[k] = to[k]! + count * weights[at + k]!
  }
}

const addSums = (text: string): void => {
  const { visits, weights } = (weighed ??= weigh())
  addWeights(visits(text), weights, sums)
}

/**
 * Adds the tokens of a text for each family: whole, at least 1 unless the text is empty, at most its bytes as UTF-8.
 *
 * @since 0.1.0
 * @category combinators
 */
export const addText: AddText = (text, counts) => {
  if (text === "") return
  addSums(text)
  let bytes: number | undefined
  for (let k = 0; k < sums.length; k++) {
    let tokens = Math.max(1, Math.round(sums[k]!))
    // a text has at least as many bytes as units
    if (tokens > text.length) tokens = Math.min(tokens, (bytes ??= utf8Length(text)))
    counts[k] = counts[k]! + tokens
  }
}

/**
 * What a text adds to another, for one family: not rounded, not bounded, and without what every text costs once.
 *
 * @since 0.1.0
 * @category getters
 */
export const estimate = (text: string, family: Family): number => {
  addSums(text)
  const k = families.indexOf(family)
  return text === "" ? 0 : sums[k]! - weighed!.weights[k]!
}

/**
 * Tokens of a text for one family. Whole, 0 for the empty text alone, never above the bytes of the text as UTF-8 (no
 * byte-level tokenizer exceeds that), and never lower for a text with something appended.
 *
 * @since 0.1.0
 * @category getters
 */
export const countText = (text: string, family: Family = "generic"): number => {
  const counts = families.map(() => 0)
  addText(text, counts)
  return counts[families.indexOf(family)]!
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Rows that are asked before our own: for models that an app names itself. */
  readonly presets?: ReadonlyArray<FamilyPreset>
}

/** The weights of a route: its family's number alone. A route is one object for many requests, so they are made once for it. */
const weightsBy = (presets: ReadonlyArray<FamilyPreset>): ((route: Route) => ReadonlyArray<number>) => {
  const known = new WeakMap<Route, ReadonlyArray<number>>()
  return (route) => {
    const before = known.get(route)
    if (before !== undefined) return before
    const { factor = 1, family } = presetOf(route, presets)
    const weights = families.map((name) => (name === family ? factor : 0))
    known.set(route, weights)
    return weights
  }
}

/**
 * The id that counts of this estimator carry: changed when counters, weights or prices change.
 *
 * @since 0.1.0
 * @category constants
 */
export const id = "runs/3"

/**
 * An estimator by its way of counting a text. Counts are tokens, one number a family.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromText = (id: string, addText: AddText, options: Options = {}): TokenEstimator => ({
  id,
  dimensions: families.length,
  message: (message) => messageCounts(addText, message),
  envelope: (envelope) => envelopeCounts(addText, envelope),
  weights: weightsBy([...(options.presets ?? []), ...familyPresets])
})

/**
 * The default estimator, with rows of one's own.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): TokenEstimator => fromText(id, addText, options)

/**
 * The default estimator. On texts of packages that the fit has not seen, a text is off by 4.0 to 5.8 % by family, as the
 * mean over 47 kinds of text; where no family is known and seven price the eighth, by 10 to 20 %. `npm run fit -- --check`
 * prints it for each kind.
 *
 * @since 0.1.0
 * @category models
 */
export const runEstimator: TokenEstimator = make()
