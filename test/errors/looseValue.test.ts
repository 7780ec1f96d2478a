import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { judge } from "../../src/errors/classify.ts"
import * as LooseValue from "../../src/errors/looseValue.ts"

/** Objects without a prototype are compared by what they hold. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

const objects = FastCheck.dictionary(
  FastCheck.string({ minLength: 1 }).filter((key) => key !== "__proto__"),
  FastCheck.jsonValue({ maxDepth: 4 })
)

const python = (value: unknown): string => {
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (typeof value === "string")
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `(${value.map(python).join(", ")})`
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([key, field]) => `${python(key)}: ${python(field)}`)
      .join(", ")}}`
  return String(value)
}

describe("LooseValue.read", () => {
  it("reads JSON as JSON is read, to its end", () => {
    FastCheck.assert(
      FastCheck.property(objects, FastCheck.string(), (value, rest) => {
        const text = JSON.stringify(value)
        const read = LooseValue.read(text + rest, 0)
        assert.deepStrictEqual(plain(read.value), plain(value))
        assert.strictEqual(read.end, text.length)
      })
    )
  })

  it("reads what Python prints", () => {
    FastCheck.assert(
      FastCheck.property(objects, (value) => {
        const text = python(value)
        assert.deepStrictEqual(plain(LooseValue.read(text, 0).value), plain(value))
      })
    )
  })

  it("keeps what came before a cut, wherever it is", () => {
    const value = { a: 1, b: { message: "x 'y' z", list: [1, { c: "d" }] }, e: "f" }
    for (const text of [JSON.stringify(value), python(value)]) {
      for (let end = 1; end < text.length; end++) {
        const read = LooseValue.read(text.slice(0, end), 0)
        assert.strictEqual(read.end, end)
        assert.isObject(read.value)
      }
      assert.deepStrictEqual(plain(LooseValue.read(text.slice(0, text.indexOf("list")), 0).value), {
        a: 1,
        b: { message: "x 'y' z" }
      })
    }
  })

  it("a bracket in a sentence begins nothing", () => {
    for (const text of [
      "[1, 8]",
      "[400 Bad Request]",
      "{error}",
      "[Error]: x",
      "{ and so on",
      "{{name}}",
      "['a', 'b']"
    ]) {
      assert.isFalse(LooseValue.begins(text, 0), text)
    }
    for (const text of ['{"a": 1}', "{'a': 1}", "{ a: 1 }", "{}", '[{"a": 1}]', '{\\"a\\": 1}', "{\\n 'a': 1}"]) {
      assert.isTrue(LooseValue.begins(text, 0), text)
    }
  })
})

describe("judge", () => {
  it("has a verdict for whatever it is given", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.oneof(FastCheck.anything({ maxDepth: 4 }), objects, FastCheck.string(), objects.map(python)),
        FastCheck.option(FastCheck.integer({ min: 100, max: 599 }), { nil: undefined }),
        (body, status) => {
          const given = { route: { provider: "p", model: "m" }, body, delivery: "thrown" as const }
          const { tag, why } = judge(status === undefined ? given : { ...given, status })
          assert.isNotEmpty(tag)
          assert.isNotEmpty(why)
        }
      )
    )
  })
})
