import * as Either from "effect/Either"
import * as LogFrame from "./LogFrame.ts"

/** What only JSON itself can say: a class, a getter of text, a function, a number that is none, a cycle. */
const odd = Symbol("odd")

/** Deeper than any message; a cycle ends here too. */
const deepest = 100

/** Whether JSON brings it back as it is, as it does most values. Not zero, which may be negative: JSON knows one of them. */
const isItself = (value: unknown): boolean =>
  typeof value === "string" || (typeof value === "number" && value !== 0 && Number.isFinite(value))

const copyOf = (value: unknown, depth: number): unknown => {
  if (typeof value === "object") {
    if (value === null) return value
    if (depth === deepest) return odd
    return Array.isArray(value) ? arrayOf(value, depth + 1) : objectOf(value, depth + 1)
  }
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : odd
  return typeof value === "string" || typeof value === "boolean" ? value : odd
}

const arrayOf = (value: ReadonlyArray<unknown>, depth: number): unknown => {
  if (Object.getPrototypeOf(value) !== Array.prototype || (value as { toJSON?: unknown }).toJSON !== undefined)
    return odd
  // of its length from the start: an array that grows by pushing keeps room for 16 more
  const copy: Array<unknown> = value.slice()
  for (let i = 0; i < copy.length; i++) {
    const element = value[i]
    if (isItself(element)) continue
    const copied = copyOf(element, depth)
    if (copied === odd) return odd
    copy[i] = copied
  }
  return copy
}

const objectOf = (value: object, depth: number): unknown => {
  if (Object.getPrototypeOf(value) !== Object.prototype) return odd
  const copy: Record<string, unknown> = {}
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key]
    if (field === undefined) continue
    const copied = key === "__proto__" ? odd : copyOf(field, depth)
    if (copied === odd) return odd
    copy[key] = copied
  }
  return copy
}

/**
 * The values as they would come back from JSON, or why they cannot be written as JSON. Nothing is shared with what was given
 * but its strings, which no one can change: so a long text costs no more than a short one.
 */
export const make = (values: ReadonlyArray<unknown>): Either.Either<ReadonlyArray<unknown>, string> => {
  const copy = copyOf(values, 0)
  return copy === odd
    ? Either.map(LogFrame.encodeEvents(values), (json) => JSON.parse(json) as ReadonlyArray<unknown>)
    : Either.right(copy as ReadonlyArray<unknown>)
}
