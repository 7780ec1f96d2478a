import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { applyAll } from "../../src/compaction/SessionFold.ts"
import { settling } from "../../src/compaction/turnRecords.ts"
import type * as SessionState from "../../src/compaction/SessionState.ts"
import * as Message from "../../src/session/Message.ts"
import type { Body } from "../../src/session/SessionEvent.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import { calls, characters, checkpoint, counted, envelope, fold, placed, result, stepStart, user } from "./events.ts"

const apply = (state: SessionState.SessionState, ...bodies: ReadonlyArray<Body>) =>
  applyAll(state, placed(bodies, state.revision), characters)

/** Seqs 1 to 6: a prompt, a call with its two results, another prompt, a call that waits. */
const session = fold([
  envelope(),
  user("one"),
  calls("a", "b"),
  result("a", "A"),
  result("b", "B"),
  user("two"),
  calls("c")
])

describe("the fold", () => {
  const broken: ReadonlyArray<readonly [what: string, bad: Body, reason: string]> = [
    ["a replacement of what never was", checkpoint("s", 1, 77, [1, 77]), "no-such-node"],
    ["a replacement from the end to the start", checkpoint("s", 5, 1, [5, 1]), "reversed"],
    ["a source too few", checkpoint("s", 1, 4, [1, 2, 3]), "no-such-node"],
    ["a source too many", checkpoint("s", 1, 1, [1, 2]), "no-such-node"],
    ["a source twice", checkpoint("s", 1, 4, [1, 2, 2, 4]), "no-such-node"],
    ["a source that comes later", checkpoint("s", 1, 1, [99]), "no-such-node"],
    ["sources in another order", checkpoint("s", 1, 4, [1, 3, 2, 4]), "no-such-node"],
    ["half a pair", checkpoint("s", 1, 2, [1, 2]), "splits-a-pair"],
    ["a result of no call", result("x", "X"), "no-such-call"],
    ["a result of a call that has one", result("a", "again"), "no-such-call"],
    ["a message before the results", user("three"), "unanswered-calls"]
  ]
  for (const [what, bad, reason] of broken) {
    it(`refuses ${what}, each time, with nothing of its batch applied [A28 A65 A68 A74]`, () => {
      const before = SurfaceState.nodes(session.surface)
      const tries = [apply(session, bad), apply(session, bad), apply(session, result("c", "C"), bad)]
      const reasons = tries.map((folded) => (Either.isLeft(folded) ? folded.left.reason : "accepted"))
      // behind the waiting call's result a message may stand
      assert.deepStrictEqual(reasons, [reason, reason, reason === "unanswered-calls" ? "accepted" : reason])
      assert.deepStrictEqual(SurfaceState.nodes(session.surface), before)
      assert.strictEqual(session.revision, 7)
      // and what is right goes on from there
      assert.strictEqual(fold([result("c", "C")], session).revision, 8)
    })
  }

  it("refuses what may not change with a result: its call, its name, its error mark, its place [A66]", () => {
    const replacing = (first: number, last: number, fields: object): Body => {
      const good = result("a", "short") as Extract<Body, { type: "message/tool-result" }>
      const sources = Array.from({ length: last - first + 1 }, (_, i) => first + i) as [number, ...Array<number>]
      return { ...good, data: { ...good.data, replaces: { first, last, sources }, ...fields } }
    }
    assert.isTrue(Either.isRight(apply(session, replacing(3, 3, {}))))
    for (const bad of [
      replacing(3, 3, { callId: "b" }),
      replacing(3, 3, { name: "another" }),
      replacing(3, 3, { isError: true }),
      replacing(3, 4, {}),
      replacing(1, 1, {})
    ]) {
      const refused = apply(session, bad)
      assert.strictEqual(Either.isLeft(refused) ? refused.left.reason : "accepted", "changes-more-than-content")
    }
  })

  it("takes a checkpoint for a message like others: by its place, whatever its number [A75]", () => {
    const once = fold([checkpoint("first", 1, 4, [1, 2, 3, 4])], session)
    const seqs = (state: SessionState.SessionState) => SurfaceState.nodes(state.surface).map(({ seq }) => seq)
    assert.deepStrictEqual(seqs(once), [7, 5, 6])
    assert.isTrue(SurfaceState.isBetweenUnits(once.surface, 0) && SurfaceState.isBetweenUnits(once.surface, 1))
    const twice = fold([checkpoint("second", 7, 5, [7, 5])], once)
    assert.deepStrictEqual(seqs(twice), [8, 6])
    assert.strictEqual(twice.surface.generation, 2)
  })
})

describe("settling", () => {
  const start: Body = { type: "compaction/start", data: { id: "k", trigger: "pressure", turn: 0, writer: "w" } }
  const open = fold(
    [
      { type: "turn/start", data: { turn: 0 } },
      { type: "message/queued", data: { message: Message.user("context") } },
      stepStart(0),
      start
    ],
    session
  )
  const written = (state: SessionState.SessionState): ReadonlyArray<Body> =>
    settling(state).map((draft): Body => {
      if (draft.type !== "message/user" && draft.type !== "message/tool-result") return draft as Body
      const message =
        draft.type === "message/user" ? draft.data.message : Message.toolResult({ id: "c", name: "tool", content: "" })
      return { ...draft, data: { ...draft.data, counts: counted(message) } } as Body
    })

  it("closes the newest first, with what belongs to the turn before its end, and says so [P56]", () => {
    assert.deepStrictEqual(
      settling(open).map(({ data, type }) => [type, "settled" in data && data.settled === true]),
      [
        ["compaction/end", true],
        ["message/tool-result", false],
        ["message/user", false],
        ["step/end", true],
        ["turn/end", true]
      ]
    )
  })

  it("is done after once, and leaves a finished compaction alone [P56]", () => {
    assert.deepStrictEqual(settling(fold(written(open), open)), [])
    const ended = fold([{ type: "compaction/end", data: { id: "k", outcome: "landed" } }], open)
    assert.notInclude(
      settling(ended).map(({ type }) => type),
      "compaction/end"
    )
  })
})
