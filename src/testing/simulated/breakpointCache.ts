/**
 * The prefix cache of a provider that caches what its client marks: an entry ends at a mark, and is found from a mark of
 * a later request.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import type { CountedPart } from "./promptCache.ts"

/**
 * A block of a prompt; `mark`: the prefix up to its end is to be cached.
 *
 * @since 0.1.0
 * @category models
 */
export interface MarkedPart extends CountedPart {
  readonly mark?: boolean
}

/**
 * `measure` says how much of a prompt is in the cache, and how much the request writes to it behind that; tokens.
 *
 * @since 0.1.0
 * @category models
 */
export interface BreakpointCache {
  readonly measure: (
    model: string,
    prompt: ReadonlyArray<MarkedPart>
  ) => { readonly cached: number; readonly written: number }
  readonly remember: (model: string, prompt: ReadonlyArray<MarkedPart>) => void
}

interface Prefix {
  readonly key: string
  readonly length: number
  readonly mark: boolean
}

/** Each beginning of the prompt, by what stands in it. */
const prefixesOf = (model: string, prompt: ReadonlyArray<MarkedPart>): ReadonlyArray<Prefix> => {
  let key = model
  let length = 0
  return prompt.map((part) => {
    key = createHash("sha1").update(`${key}\n${part.key}`).digest("base64")
    length += part.size
    return { key, length, mark: part.mark === true }
  })
}

/**
 * A prefix shorter than `minimum` is not cached. From each mark, entries are looked for at the last `lookback` blocks.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: { readonly minimum: number; readonly lookback: number }): BreakpointCache => {
  const entries = new Set<string>()
  return {
    measure: (model, prompt) => {
      const prefixes = prefixesOf(model, prompt)
      let cached = 0
      let marked = 0
      for (const [at, { length, mark }] of prefixes.entries()) {
        if (!mark) continue
        marked = length
        const near = prefixes.slice(Math.max(0, at + 1 - options.lookback), at + 1)
        cached = Math.max(cached, near.findLast(({ key }) => entries.has(key))?.length ?? 0)
      }
      return { cached, written: marked < options.minimum ? 0 : marked - cached }
    },
    remember: (model, prompt) => {
      for (const { key, length, mark } of prefixesOf(model, prompt)) {
        if (mark && length >= options.minimum) entries.add(key)
      }
    }
  }
}
