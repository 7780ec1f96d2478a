import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Policy from "../../src/compaction/Policy.ts"
import { propose, type PruneProposal } from "../../src/compaction/pruning.ts"
import type * as SessionState from "../../src/compaction/SessionState.ts"
import * as Situation from "../../src/compaction/Situation.ts"
import * as Message from "../../src/session/Message.ts"
import type { Body, Trigger } from "../../src/session/SessionEvent.ts"
import { calls, characters, counted, envelope, fold, result, stepEnd, stepStart, user } from "./events.ts"

const text = (length: number) => "x".repeat(length)

const prune = { over: 1_000, head: 300, tail: 100 }

const proposed = (
  state: SessionState.SessionState,
  window: number,
  { exempt = [], trigger = "pressure" }: { readonly exempt?: ReadonlyArray<string>; readonly trigger?: Trigger } = {}
): PruneProposal | undefined => {
  const looked = Situation.assess({
    trigger,
    state,
    estimator: characters,
    policy: Either.getOrThrow(Policy.decode({ prune: { ...prune, exempt } })),
    known: () => ({ window }),
    summaryBounded: true
  })
  return propose(Either.getOrThrowWith(looked, ({ reason }) => new Error(reason)))
}

const seqs = (proposal: PruneProposal | undefined) => proposal?.cuts.map(({ seq }) => seq)

/** Seqs: 1, two calls with results 3 (long) and 4 (short), a call with result 6 (long), the newest with result 8 (long). */
const session = fold([
  envelope(),
  user("go"),
  calls("a", "b"),
  result("a", text(5_000)),
  result("b", text(900)),
  calls("c"),
  result("c", text(2_000)),
  calls("d"),
  result("d", text(3_000))
])

/** The result that a proposal puts in place of another. */
const resultOf = ({ by }: PruneProposal["cuts"][number]): Message.ToolResultBlock => {
  if (by.type !== "message/tool-result") return assert.fail(`${by.type} is no result`)
  const { callId: id, content, name } = by.data
  return { type: "tool-result", id, name, content }
}

/** The results of a proposal put in place, one batch. */
const landed = (state: SessionState.SessionState, proposal: PruneProposal): SessionState.SessionState =>
  fold(
    proposal.cuts.map((cut): Body => {
      const { content, id, name } = resultOf(cut)
      return {
        type: "message/tool-result",
        data: {
          callId: id,
          name,
          content,
          counts: counted(Message.toolResult({ id, name, content })),
          replaces: { first: cut.seq, last: cut.seq, sources: [cut.seq] }
        }
      }
    }),
    state
  )

describe("a prune pass", () => {
  it("takes the results that are over budget, leaves the short ones, and adds up what they lose [A61]", () => {
    const proposal = proposed(session, 13_000) ?? assert.fail("nothing to prune")
    assert.deepStrictEqual(seqs(proposal), [3, 6])
    assert.strictEqual(proposal.price, 7_000)
    const left = proposal.cuts.map((cut) => characters.message({ role: "tool", content: [resultOf(cut)] })[0] ?? 0)
    assert.strictEqual(proposal.gain, 7_000 - left[0]! - left[1]!)
    for (const size of left) assert.isBelow(size, prune.over)
  })

  it("finds nothing a second time [A61 P27]", () => {
    const once = landed(session, proposed(session, 13_000)!)
    assert.strictEqual(once.surface.generation, 2)
    const again = fold([user(text(6_000))], once)
    assert.deepStrictEqual(seqs(proposed(again, 12_000)), [8])
    assert.isUndefined(proposed(landed(again, proposed(again, 12_000)!), 9_000))
  })

  it("leaves the newest unit's results alone under pressure, unless the next request would not fit [P22 SUMREQ-9]", () => {
    assert.deepStrictEqual(seqs(proposed(session, 13_000)), [3, 6])
    assert.deepStrictEqual(seqs(proposed(session, 4_500)), [3, 6, 8])
    const refused = fold([user("and"), stepStart(0), stepEnd(0, { outcome: "refused" }), calls("e")], session)
    const after = fold([result("e", text(4_000))], refused)
    assert.deepStrictEqual(seqs(proposed(after, 100_000, { trigger: "context-overflow" })), [3, 6, 8, 13])
  })

  it("leaves the results of exempt tools alone, and says in the others how much is gone [P23]", () => {
    assert.isUndefined(proposed(session, 4_500, { exempt: ["tool"] }))
    const [first] = proposed(session, 13_000, { exempt: ["another"] })?.cuts ?? []
    const result = resultOf(first ?? assert.fail("nothing to prune"))
    assert.deepInclude(result, { id: "a", name: "tool" })
    assert.include(JSON.stringify(result.content), "4600 characters were removed here to save room; the whole is seq 3")
  })
})
