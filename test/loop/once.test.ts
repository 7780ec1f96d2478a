import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { SummaryFailed } from "../../src/errors/CompactionError.ts"
import * as Formats from "../../src/formats/Formats.ts"
import * as Compaction from "../../src/layers/Compaction.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as CompactionPolicy from "../../src/layers/CompactionPolicy.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as TokenEstimator from "../../src/layers/TokenEstimator.ts"
import * as Message from "../../src/session/Message.ts"
import { characters } from "../compaction/events.ts"
import { broken } from "../formats/wholePairs.ts"
import { words } from "./world.ts"

/** A recorded session of some four hundred messages, about a hundred thousand tokens. */
const [session] = Either.getOrThrow(Formats.decode(readFileSync("examples/transcript/session.json", "utf8"))).sessions
const { messages, system = "", tools = [] } = session!
const envelope = { route: { provider: "theirs", model: "m" }, system, tools }

const summarizer = (
  summarise: Parameters<typeof Summarizer.layerWith<never>>[0] = () => Effect.succeed("what was said")
) => Summarizer.layerWith(summarise)

const text = (given: ReadonlyArray<Message.Message>) => JSON.stringify(given)

describe("Compaction.once, on a recorded session", () => {
  it.effect("at or above the threshold the array gets smaller, and is below it then", () =>
    Effect.gen(function* () {
      const before = text(messages)
      const first = yield* Compaction.once({ messages, envelope, window: 60_000 })
      assert.deepInclude(first.outcome, { _tag: "Reduced", trigger: "pressure", targetMet: true })
      assert.deepStrictEqual(first.repairs, [])
      assert.isBelow(text(first.messages).length, before.length / 2)
      assert.deepStrictEqual(broken(first.messages), [])
      assert.deepStrictEqual(first.messages.at(-1), messages.at(-1))
      if (first.outcome._tag === "Reduced") assert.isBelow(first.outcome.after, 48_000)
      // what was given is as it was
      assert.strictEqual(text(messages), before)

      // and a second call has nothing to do: the very array comes back
      const second = yield* Compaction.once({ messages: first.messages, envelope, window: 60_000 })
      assert.deepInclude(second.outcome, {
        _tag: "Declined",
        reason: "below-threshold",
        threshold: 48_000,
        window: 60_000
      })
      if (second.outcome._tag === "Declined") assert.isAbove(second.outcome.envelope, 500)
      assert.strictEqual(second.messages, first.messages)
    }).pipe(Effect.provide(summarizer()))
  )

  it.effect("below it nothing is done, unless it is told to", () =>
    Effect.gen(function* () {
      const declined = yield* Compaction.once({ messages, envelope, window: 1_000_000 })
      assert.deepInclude(declined.outcome, { _tag: "Declined", reason: "below-threshold" })
      assert.strictEqual(declined.messages, messages)
      const forced = yield* Compaction.once({ messages, envelope, window: 1_000_000, trigger: "manual" })
      assert.deepInclude(forced.outcome, { _tag: "Reduced", trigger: "manual" })
      assert.isBelow(forced.messages.length, messages.length)
      assert.deepStrictEqual(broken(forced.messages), [])
    }).pipe(Effect.provide(summarizer()))
  )

  it.effect("without a model: only what costs nothing is done, and the numbers tell how far it came", () =>
    Effect.gen(function* () {
      const free = {
        rungs: (rungs: Parameters<NonNullable<Compaction.Options["rungs"]>>[0]) => rungs.filter(({ paid }) => !paid)
      }
      const policy = { prune: { over: 400, head: 100, tail: 50 } }
      const { messages: left, outcome } = yield* Compaction.once({
        messages,
        envelope,
        window: 60_000,
        policy,
        ...free
      })
      assert.deepInclude(outcome, { _tag: "Reduced", rungs: ["prune"], spent: { inputTokens: 0, outputTokens: 0 } })
      // every message is there still, and the user's are as they were
      assert.strictEqual(left.length, messages.length)
      assert.deepStrictEqual(
        left.filter(({ role }) => role !== "tool"),
        messages.filter(({ role }) => role !== "tool")
      )
      assert.deepStrictEqual(broken(left), [])
      const nothing = yield* Compaction.once({ messages, envelope, window: 60_000, policy: { prune: false }, ...free })
      assert.deepInclude(nothing.outcome, { _tag: "Declined", reason: "no-span" })
      assert.strictEqual(nothing.messages, messages)
    }).pipe(Effect.provide(Summarizer.layerNone))
  )

  it.effect(
    "without a model: an extract in the place of the summary keeps the tail, and gets below the threshold",
    () =>
      Effect.gen(function* () {
        const { messages: left, outcome } = yield* Compaction.once({
          messages,
          envelope,
          window: 60_000,
          rungs: (rungs) => rungs.map((rung) => (rung.paid ? CompactService.extractBeforeTail : rung))
        })
        assert.deepInclude(outcome, { _tag: "Reduced", rungs: ["prune", "extract"], targetMet: true })
        if (outcome._tag === "Reduced") assert.isBelow(outcome.after, 48_000)
        assert.include(Message.text(left[0]!), "## Files and commands")
        // all that stands behind the checkpoint is the end of the session, and more of it than its newest unit
        assert.isAbove(left.length, 5)
        assert.deepStrictEqual(
          left.slice(1).map(({ role }) => role),
          messages.slice(1 - left.length).map(({ role }) => role)
        )
        assert.deepStrictEqual(broken(left), [])
      }).pipe(Effect.provide(Summarizer.layerNone))
  )

  it.effect("what an earlier call put there is merged, not quoted as somebody's words", () =>
    Effect.gen(function* () {
      const first = yield* Compaction.once({ messages, envelope, window: 60_000 })
      const grown = [...first.messages, Message.user("and now?"), Message.assistant(words(600)), Message.user("newest")]
      const second = yield* Compaction.once({ messages: grown, envelope, window: 60_000, trigger: "manual" })
      assert.deepInclude(second.outcome, { _tag: "Reduced" })
      const titles = text(second.messages).split("[Checkpoint: a record").length - 1
      assert.strictEqual(titles, 1)
      assert.include(text(second.messages), "and now?")
    }).pipe(Effect.provide(summarizer()))
  )
})

describe("Compaction.once, on odd arrays", () => {
  const short = { route: envelope.route }

  it.effect("what does not pair is repaired as in a session, and told", () =>
    Effect.gen(function* () {
      const odd = [
        Message.toolResult({ id: "gone", name: "read", content: "an orphan's words" }),
        Message.assistant([Message.toolCall("a", "read", {})]),
        Message.user("instead of a result"),
        Message.assistant([Message.toolCall("b", "read", {})])
      ]
      const {
        messages: left,
        outcome,
        repairs
      } = yield* Compaction.once({ messages: odd, envelope: short, window: 1_000 })
      assert.deepInclude(outcome, { _tag: "Declined", reason: "below-threshold" })
      assert.deepStrictEqual(repairs, [
        { what: "orphan-result", message: 0, id: "gone", name: "read" },
        { what: "missing-result", message: 1, id: "a", name: "read" }
      ])
      assert.deepStrictEqual(
        left.map(({ role }) => role),
        ["user", "assistant", "tool", "user", "assistant"]
      )
      assert.include(text(left), "an orphan's words")
      // the call at the end waits for its result
      assert.deepStrictEqual(left.at(-1), odd.at(-1))
    }).pipe(Effect.provide(summarizer()))
  )

  it.effect("no messages, an envelope that is too large, a window that nothing fits: told, with the numbers", () =>
    Effect.gen(function* () {
      const none = yield* Compaction.once({ messages: [], envelope: short, window: 1_000, trigger: "manual" })
      assert.deepInclude(none.outcome, { _tag: "Declined", reason: "no-span", surface: 0 })
      const crowded = { ...short, system: words(2_000) }
      const { outcome } = yield* Compaction.once({ messages: [Message.user("hi")], envelope: crowded, window: 1_000 })
      assert.deepInclude(outcome, { _tag: "Declined", reason: "envelope-too-large", window: 1_000 })
      if (outcome._tag === "Declined") assert.isAbove(outcome.envelope, 1_000)
    }).pipe(Effect.provide(summarizer()))
  )

  it.effect("a refused array: the newest unit stays, and something is cut for certain", () =>
    Effect.gen(function* () {
      const refused = [Message.user("long ago"), Message.assistant(words(500)), Message.user("newest")]
      const { messages: left, outcome } = yield* Compaction.once({
        messages: refused,
        envelope: short,
        window: 100_000,
        trigger: "context-overflow"
      })
      assert.deepInclude(outcome, { _tag: "Reduced", trigger: "context-overflow" })
      assert.deepStrictEqual(left.at(-1), refused.at(-1))
    }).pipe(Effect.provide(summarizer()))
  )

  it.effect("a summariser that fails is told as that, and the array is as it was", () =>
    Effect.gen(function* () {
      const before = text(messages)
      const error = yield* Effect.flip(
        Compaction.once({ messages, envelope, window: 60_000, policy: { prune: false } })
      )
      assert.deepInclude(error, { _tag: "SummaryFailed", reason: "filtered" })
      assert.strictEqual(text(messages), before)
    }).pipe(Effect.provide(summarizer(() => Effect.fail(new SummaryFailed({ reason: "filtered", detail: "no" })))))
  )

  it.effect("what cannot be meant is refused, by its path", () =>
    Effect.gen(function* () {
      const cyclic: Record<string, unknown> = {}
      cyclic["self"] = cyclic
      const given = (change: object) =>
        Effect.flip(Compaction.once({ messages: [Message.user("hi")], envelope: short, window: 1_000, ...change }))
      for (const window of [0, -1, 1.5, NaN, Infinity, "8000"]) {
        assert.deepInclude(yield* given({ window }), { _tag: "InputInvalid", path: ["window"] })
      }
      for (const [wrong, path] of [
        [{ messages: [Message.user("hi"), { role: "system", content: [] }] }, ["messages", "1", "role"]],
        [{ messages: [{ role: "user", content: "hi" }] }, ["messages", "0", "content"]],
        [{ messages: [Message.assistant([Message.toolCall("a", "t", 1n)])] }, ["messages", "0"]],
        [{ messages: [Message.assistant([Message.toolCall("a", "t", cyclic)])] }, ["messages", "0"]],
        [{ envelope: { system: "no route" } }, ["envelope", "route"]],
        [{ envelope: { ...short, maxOutputTokens: 0 } }, ["envelope", "maxOutputTokens"]]
      ] as const) {
        const error = yield* given(wrong)
        assert.deepInclude(error, { _tag: "InputInvalid", path })
        assert.include(String(error), path.join("."))
      }
      assert.deepInclude(yield* given({ policy: { threshold: 2 } }), { _tag: "PolicyInvalid", path: ["threshold"] })
    }).pipe(Effect.provide(summarizer()))
  )
})

describe("Compaction.once, with what the application provides", () => {
  const some = [Message.user("x ".repeat(2_000)), Message.assistant("y ".repeat(2_000)), Message.user("z ".repeat(750))]
  const given = { messages: some, envelope: { route: envelope.route }, window: 10_000 }

  it.effect("another estimator and another policy are used, and a policy of the call's goes before", () =>
    Effect.gen(function* () {
      assert.deepInclude((yield* Compaction.once(given)).outcome, { _tag: "Declined", reason: "below-threshold" })
      const estimator = TokenEstimator.layer(characters)
      // 9,500 characters of 10,000
      const counted = yield* Effect.provide(Compaction.once(given), estimator)
      assert.deepInclude(counted.outcome, { _tag: "Reduced", before: 9_500 })
      const off = Layer.orDie(CompactionPolicy.layer({ auto: false }))
      const switchedOff = yield* Effect.provide(Compaction.once(given), Layer.merge(estimator, off))
      assert.deepInclude(switchedOff.outcome, { _tag: "Declined", reason: "off" })
      const own = yield* Effect.provide(
        Compaction.once({ ...given, policy: { threshold: 0.5 } }),
        Layer.merge(estimator, off)
      )
      assert.deepInclude(own.outcome, { _tag: "Reduced" })
    }).pipe(Effect.provide(summarizer()))
  )

  it.effect("the summariser gets the route and the cap that the policy names", () => {
    const asked: Array<unknown> = []
    return Effect.gen(function* () {
      const route = { provider: "other", model: "small" }
      yield* Compaction.once({ ...given, trigger: "manual", policy: { summary: { route, maxTokens: 77 } } })
      assert.deepStrictEqual(asked, [{ route, maxOutputTokens: 77 }])
    }).pipe(
      Effect.provide(
        summarizer(({ envelope: { maxOutputTokens, route } }) =>
          Effect.sync(() => (asked.push({ route, maxOutputTokens }), "what was said"))
        )
      )
    )
  })
})
