/**
 * The values that a sweep goes through, as a person writes them: `0.8`, `0.6,0.75` or `0.6..0.9:0.1`.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"

/** Each value is a whole run of the session. */
const most = 100

/** More digits than these are no figure of a policy, and an engine's numbers end somewhere. */
const number = /^(?=.{1,30}$)(?:\d+\.?\d*|\.\d+)$/u

const decimalsOf = (text: string): number => text.split(".")[1]?.length ?? 0

const range = (text: string): ReadonlyArray<number> | string => {
  const [, first = "", last = "", step = ""] = /^(.*)\.\.(.*):(.*)$/u.exec(text) ?? []
  if (![first, last, step].every((part) => number.test(part))) {
    return `a sweep is written FIRST..LAST:STEP, for example 0.6..0.9:0.1, and not "${text}"`
  }
  if (Number(step) === 0) return `the step of "${text}" is 0`
  if (Number(last) < Number(first)) return `"${text}" ends before it begins`
  const steps = Math.floor((Number(last) - Number(first)) / Number(step) + 1e-9)
  if (steps >= most) return `"${text}" has ${steps + 1} values, and ${most} are the most`
  const decimals = Math.min(20, Math.max(decimalsOf(first), decimalsOf(step)))
  // 0.6 + 0.1 is not 0.7: each value is what a person would have written
  return Array.from({ length: steps + 1 }, (_, i) => Number((Number(first) + i * Number(step)).toFixed(decimals)))
}

/**
 * The values in the order in which they are written, each once; or what is wrong with the text, in words that go on from
 * the option's name.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parse = (text: string): Either.Either<ReadonlyArray<number>, string> => {
  const values: Array<number> = []
  for (const part of text.split(",").map((each) => each.trim())) {
    if (number.test(part)) values.push(Number(part))
    else if (!part.includes("..")) return Either.left(`takes numbers, and not "${part}"`)
    else {
      const found = range(part)
      if (typeof found === "string") return Either.left(`cannot be used: ${found}`)
      values.push(...found)
    }
  }
  return Either.right([...new Set(values)])
}
