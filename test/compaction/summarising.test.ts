import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { runEstimator } from "../../src/compaction/RunEstimator.ts"
import { defaults, type Policy } from "../../src/compaction/Policy.ts"
import { apply } from "../../src/compaction/SessionFold.ts"
import * as SessionState from "../../src/compaction/SessionState.ts"
import { assess } from "../../src/compaction/Situation.ts"
import { maxTokensOf, propose } from "../../src/compaction/summarising.ts"
import * as Message from "../../src/session/Message.ts"
import type * as SessionEvent from "../../src/session/SessionEvent.ts"
import type { Trigger } from "../../src/session/SessionEvent.ts"

const counts = (values: ReadonlyArray<number>) => ({ estimator: runEstimator.id, values })

const userEvent = (message: Message.Message, source: "prompt" | "checkpoint"): SessionEvent.Body => ({
  type: "message/user",
  data: { message, source, counts: counts(runEstimator.message(message)) }
})

const assistantEvent = (message: Message.Message): SessionEvent.Body => ({
  type: "message/assistant",
  data: { message, counts: counts(runEstimator.message(message)) }
})

const resultEvent = (id: string, text: string): SessionEvent.Body => {
  const message = Message.toolResult({ id, name: "read", content: text })
  return {
    type: "message/tool-result",
    data: {
      callId: id,
      name: "read",
      content: [Message.textBlock(text)],
      counts: counts(runEstimator.message(message))
    }
  }
}

const unit = (id: string, text: string) => [
  assistantEvent(Message.assistant([Message.toolCall(id, "read", {})])),
  resultEvent(id, text)
]

const envelope = { route: { provider: "p", model: "m" }, system: "You are terse. ".repeat(360) }

const situationOf = (window: number, ...bodies: ReadonlyArray<SessionEvent.Body>) => situation({ window }, bodies)

const situation = (
  {
    policy = defaults,
    trigger = "pressure",
    window
  }: { readonly window?: number; readonly policy?: Policy; readonly trigger?: Trigger },
  bodies: ReadonlyArray<SessionEvent.Body>
) => {
  const all: ReadonlyArray<SessionEvent.Body> = [
    { type: "request/envelope", data: { envelope, counts: counts(runEstimator.envelope(envelope)) } },
    ...bodies
  ]
  const state = all.reduce(
    (state, body, seq) => Either.getOrThrow(apply(state, { ...body, seq, time: 0 }, runEstimator)),
    SessionState.empty(runEstimator)
  )
  return Either.getOrThrow(
    assess({
      trigger,
      state,
      estimator: runEstimator,
      policy,
      known: () => (window === undefined ? undefined : { window }),
      summaryBounded: true
    })
  )
}

const words = (count: number) => "one two three four five ".repeat(count / 5)

describe("the span of a summary", () => {
  it("behind a checkpoint, a unit that fits no summary request as it is goes there shortened [OPPOSITES-7a]", () => {
    const situation = situationOf(
      6_000,
      userEvent(Message.user(words(500)), "checkpoint"),
      ...unit("a", words(2_400)),
      ...unit("b", words(1_200)),
      userEvent(Message.user("Go on"), "prompt")
    )
    const proposal = propose(situation)
    assert.isDefined(proposal)
    assert.isAtLeast(proposal?.nodes.length ?? 0, 3)
    const sizes = (messages: ReadonlyArray<Message.Message>) =>
      messages.reduce((sum, message) => sum + (runEstimator.message(message)[0] ?? 0), 0)
    const sent = sizes(proposal?.chunks[0]?.sent ?? [])
    assert.isBelow(sent, sizes((proposal?.nodes ?? []).map((node) => node.message)))
    assert.isBelow(sent + situation.measurement.envelopeTokens + (proposal?.maxTokens ?? 0), 6_000)
    // the checkpoint is what was made of earlier ones: it goes there whole
    assert.strictEqual(proposal?.chunks[0]?.sent[0], proposal?.nodes[0]?.message)
  })

  it("a small remainder that would be a request of its own stays with the tail", () => {
    const spanOf = (last: number) =>
      propose(
        situationOf(
          8_000,
          userEvent(Message.user(words(2_300)), "prompt"),
          ...unit("a", words(600)),
          ...unit("b", words(last)),
          ...unit("c", words(3_500)),
          userEvent(Message.user("Go on"), "prompt")
        )
      )
    const small = spanOf(200)
    assert.strictEqual(small?.chunks.length, 1)
    assert.strictEqual(small?.nodes.length, 3)
    const large = spanOf(900)
    assert.strictEqual(large?.chunks.length, 2)
    assert.strictEqual(large?.nodes.length, 5)
  })

  it("is as long as the policy says, also where nobody knows the window, and at most a quarter of what was refused", () => {
    const policy = { ...defaults, summary: { ...defaults.summary, maxTokens: 1_000 } }
    const bodies: ReadonlyArray<SessionEvent.Body> = [userEvent(Message.user(words(3_000)), "prompt")]
    const refused: ReadonlyArray<SessionEvent.Body> = [
      { type: "step/start", data: { turn: null, step: 0, generation: 0 } },
      { type: "step/end", data: { turn: null, step: 0, outcome: "refused", unit: "tokens" } }
    ]
    const cap = (bodies: ReadonlyArray<SessionEvent.Body>, given: Policy) =>
      maxTokensOf(situation({ policy: given, trigger: "manual" }, bodies))
    assert.strictEqual(cap(bodies, defaults), 2_048)
    assert.strictEqual(cap(bodies, policy), 1_000)
    const { measured } = situation({ trigger: "manual" }, [...bodies, ...refused]).state.refusal!
    assert.strictEqual(cap([...bodies, ...refused], defaults), Math.floor(measured / 8))
    assert.strictEqual(cap([...bodies, ...refused], policy), Math.min(1_000, Math.floor(measured / 4)))
    const little = [userEvent(Message.user(words(200)), "prompt"), ...refused]
    assert.isBelow(cap(little, policy), 1_000)
  })

  it("what fits goes there as it is", () => {
    const situation = situationOf(16_000, ...unit("a", words(6_000)), ...unit("b", words(6_000)))
    const proposal = propose(situation)
    assert.deepStrictEqual(
      proposal?.chunks.map((chunk) => chunk.sent),
      [(proposal?.nodes ?? []).map((node) => node.message)]
    )
  })
})
