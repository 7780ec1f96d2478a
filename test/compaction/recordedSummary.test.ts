import { assert, describe, it } from "@effect/vitest"
import { askedOf } from "../../src/compaction/recordedSummary.ts"
import type { Body } from "../../src/session/SessionEvent.ts"
import { assistant, envelope, fold, route, user } from "./events.ts"

const call = (id: string, first: number, last: number, more: Record<string, unknown> = {}): Body => ({
  type: "compaction/call",
  data: {
    id,
    rung: "summarise",
    route,
    output: `of ${first} to ${last}`,
    outcome: "completed",
    span: { first, last },
    asked: askedOf(route),
    ...more
  }
})

const start = (id: string): Body => ({
  type: "compaction/start",
  data: { id, trigger: "pressure", turn: null, writer: "w", rung: "summarise", paid: true }
})

const conversation = [envelope(), ...Array.from({ length: 4 }, (_, i) => [user(`u${i}`), assistant(`a${i}`)]).flat()]

const after = (...bodies: ReadonlyArray<Body>) => fold([...conversation, start("c"), ...bodies]).recordedSummary

describe("the summary that was paid for and has not landed", () => {
  it("of several requests of one run is the last one, which holds what those before it said", () => {
    assert.deepStrictEqual(after(call("c", 1, 4, { omitted: 7 }), call("c", 5, 6, { omitted: 2 })), {
      id: "c",
      seq: 11,
      first: 1,
      last: 6,
      asked: askedOf(route),
      output: "of 5 to 6",
      omitted: 9,
      route
    })
  })

  it("is what it was when a later request gives nothing", () => {
    const one = after(call("c", 1, 4))
    for (const outcome of ["overflow", "interrupted", "no-structure", "empty"]) {
      assert.deepStrictEqual(after(call("c", 1, 4), call("c", 5, 6, { outcome, output: "" })), one, outcome)
    }
  })

  it("begins anew with another run, and where the spans do not follow each other", () => {
    assert.deepInclude(after(call("c", 1, 4), call("d", 5, 6)), { first: 5, last: 6 })
    assert.deepInclude(after(call("c", 1, 4), call("c", 6, 7)), { first: 6, last: 7 })
    assert.deepInclude(after(call("c", 1, 4), call("c", 1, 2)), { first: 1, last: 2 })
  })

  it("is none where the record does not say what was asked, or of what", () => {
    assert.isUndefined(after(call("c", 1, 4, { asked: undefined })))
    assert.isUndefined(after(call("c", 1, 4, { span: undefined })))
  })

  it("is named by the route and the instruction alone", () => {
    assert.strictEqual(askedOf(route), askedOf({ model: route.model, provider: route.provider }))
    assert.notStrictEqual(askedOf(route), askedOf({ ...route, model: "another" }))
  })
})
