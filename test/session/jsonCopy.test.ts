import { assert, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as jsonCopy from "../../src/session/jsonCopy.ts"

const throughJson = (values: ReadonlyArray<unknown>): unknown => {
  try {
    return JSON.parse(JSON.stringify(values))
  } catch {
    return "refused"
  }
}

const copied = (values: ReadonlyArray<unknown>): unknown => Either.getOrElse(jsonCopy.make(values), () => "refused")

class Point {
  constructor(readonly x: number) {}
  get double() {
    return this.x * 2
  }
}

const cyclic: Array<unknown> = []
cyclic.push({ cyclic })

const nested = (depth: number): unknown => (depth === 0 ? "deep" : [nested(depth - 1)])

it("is what comes back from JSON, whatever is given", () => {
  FastCheck.assert(
    FastCheck.property(
      FastCheck.array(
        FastCheck.oneof(
          FastCheck.jsonValue(),
          FastCheck.anything({
            withBigInt: true,
            withBoxedValues: true,
            withDate: true,
            withMap: true,
            withSet: true,
            withSparseArray: true,
            withTypedArray: true,
            withUnicodeString: true
          })
        )
      ),
      (values) => assert.deepStrictEqual(copied(values), throughJson(values))
    ),
    { numRuns: 2_000 }
  )
})

it("is what comes back from JSON of what is odd", () => {
  const odd = [
    [-0, Number.NaN, Number.POSITIVE_INFINITY],
    [undefined, () => 1, Symbol.iterator],
    [{ a: undefined, b: () => 1, c: Symbol.iterator }],
    [new Date(0), new Point(3), Object.assign(Object.create({ inherited: 1 }), { own: 2 })],
    [{ toJSON: () => "said otherwise" }, Object.assign([1], { toJSON: () => "an array too" })],
    [JSON.parse('{"__proto__":{"a":1}}'), Object.assign(Object.create(null), { a: 1 })],
    [{ [Symbol.iterator]: 1 }, new String("boxed"), new Map([[1, 2]])],
    [{ get read() { return "by a getter" } }], // prettier-ignore
    // eslint-disable-next-line no-sparse-arrays
    [[1, , 3]],
    [nested(99), nested(150)],
    [cyclic, 1n],
    ["\ud83d alone"]
  ]
  for (const value of odd.flat()) assert.deepStrictEqual(copied([value]), throughJson([value]))
})

it("shares nothing that can change", () => {
  const values = [{ list: [{ text: "before" }] }]
  const copy = copied(values) as typeof values
  values[0]!.list[0]!.text = "after"
  assert.deepStrictEqual(copy, [{ list: [{ text: "before" }] }])
})
