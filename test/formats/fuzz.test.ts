// Whatever happened to a file, it is read or refused, and nothing is thrown.
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { Formats } from "../../src/formats/index.ts"
import { samples } from "./samples.ts"
import { broken } from "./wholePairs.ts"

const known = Object.entries(samples)

/** A piece of the file in place of another one, or nothing, or something odd. */
const odd = FastCheck.constantFrom(
  "",
  "null",
  "{}",
  "[]",
  '""',
  "0",
  '"x"',
  "}",
  "\n",
  "\\",
  "\u0000",
  "🦊",
  "#### x  \n"
)

const sampled = FastCheck.constantFrom(...known)
const place = FastCheck.double({ min: 0, max: 1, noNaN: true })

const readable = (text: string, format: string | undefined) => {
  for (const history of ["full", "last-seen"] as const) {
    const read = Formats.decode(text, { history, ...(format === undefined ? {} : { format }) })
    if (Either.isLeft(read)) continue
    for (const session of read.right.sessions) assert.deepStrictEqual(broken(session.messages), [])
  }
}

/** Values of the file's JSON, each of which another one may take the place of. */
const replaced = (value: unknown, target: number, by: unknown): unknown => {
  let count = 0
  const walk = (each: unknown): unknown => {
    if (count++ === target) return by
    if (Array.isArray(each)) return each.map(walk)
    if (typeof each !== "object" || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [name, walk(inner)]))
  }
  return walk(value)
}

describe("a damaged file of any format", () => {
  it("has a sample for each format", () => {
    assert.deepStrictEqual(known.map(([name]) => name).toSorted(), Formats.all.map(({ name }) => name).toSorted())
    for (const [name, text] of known) assert.strictEqual(Formats.detect(text), name)
  })

  it("is read or refused, wherever it is cut off or written over", () => {
    FastCheck.assert(
      FastCheck.property(sampled, place, place, odd, FastCheck.boolean(), ([name, text], a, b, between, forced) => {
        const [start, end] = [a, b].map((part) => Math.floor(part * text.length)).toSorted((x, y) => x - y)
        readable(text.slice(0, start) + between + text.slice(end), forced ? name : undefined)
        readable(text.slice(0, start), forced ? name : undefined)
      }),
      { numRuns: 400 }
    )
  })

  it("is read or refused, whatever stands in place of any of its values", () => {
    const values = FastCheck.oneof(
      FastCheck.constantFrom(null, 0, -1, "", "x", [], {}, true, [null], [[]]),
      FastCheck.jsonValue()
    )
    FastCheck.assert(
      FastCheck.property(sampled, FastCheck.nat({ max: 120 }), values, ([name, text], target, by) => {
        const lines = text.includes("\n") && text.startsWith("{") ? text.trim().split("\n") : [text]
        const json = Either.try(() => lines.map((line) => JSON.parse(line) as unknown))
        if (Either.isLeft(json)) return
        readable(
          (replaced(json.right, target, by) as ReadonlyArray<unknown>)
            ?.map?.((line) => JSON.stringify(line))
            .join("\n") ?? "",
          name
        )
      }),
      { numRuns: 600 }
    )
  })

  it("is read or refused, whatever of it is nested ten thousand levels deep or has no form as a string", () => {
    const marked = "a place for another value"
    const deep = "[".repeat(10_000) + "]".repeat(10_000)
    for (const [value, step] of [
      [deep, 13],
      ['{"toString":1,"length":-1}', 1]
    ] as const) {
      for (const [name, text] of known) {
        const lines = text.includes("\n") && text.startsWith("{") ? text.trim().split("\n") : [text]
        const json = Either.try(() => lines.map((line) => JSON.parse(line) as unknown))
        if (Either.isLeft(json)) continue
        const values = JSON.stringify(json.right).split(/[:,[{]/u).length
        for (let target = 2; target < values; target += step) {
          const others = replaced(json.right, target, marked) as ReadonlyArray<unknown>
          const written = others.map((line) => JSON.stringify(line)).join("\n")
          readable(written.replace(JSON.stringify(marked), value), target % 2 === 0 ? name : undefined)
        }
      }
    }
  })

  it("is read or refused as any other format that is forced", () => {
    for (const [, text] of known) for (const { name } of Formats.all) readable(text, name)
  })
})
