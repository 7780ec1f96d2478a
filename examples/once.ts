// No session, no log: one array of messages, made smaller by one call.
//
//   npm run example once
import { Effect, Layer } from "effect"
import { Compaction, Message, Summarizer } from "effect-compaction"
import { Model } from "./model.ts"

// what the request carries beside the messages, since it takes room too
const envelope = { route: { provider: "deepseek", model: "deepseek-flash" }, system: "You are terse." }

// Does something only where the messages are at or above the policy's threshold. Send what comes back.
export const smaller = (messages: ReadonlyArray<Message.Message>) =>
  Compaction.once({ messages, envelope, window: 4_000 })

// The same without a model: tool results are cut, nothing is summarised.
export const cut = (messages: ReadonlyArray<Message.Message>) =>
  Compaction.once({
    messages,
    envelope,
    window: 4_000,
    policy: { prune: { over: 2_000, head: 800, tail: 200 } },
    rungs: (rungs) => rungs.filter((rung) => !rung.paid)
  }).pipe(Effect.provide(Summarizer.layerNone))

const log = "2026-12-01 10:00:00 INFO step passed\n".repeat(120)
const conversation = [
  Message.user("Look through this log"),
  Message.assistant([Message.toolCall("call_1", "read_log", {})]),
  Message.toolResult({ id: "call_1", name: "read_log", content: log }),
  Message.assistant("Every step passed."),
  Message.user("And this one?"),
  Message.assistant([Message.toolCall("call_2", "read_log", {})]),
  Message.toolResult({ id: "call_2", name: "read_log", content: log }),
  Message.assistant("There too."),
  Message.user("What failed, then?")
]

const told = ({ messages, outcome, repairs }: Compaction.Compacted) =>
  Effect.log(
    outcome._tag === "Reduced"
      ? `${outcome.rungs.join(", ")}: ${outcome.before} tokens became ${outcome.after}, in ${messages.length} messages`
      : `nothing done: ${outcome.reason}, ${repairs.length} repairs`
  )

export const main = Effect.gen(function* () {
  yield* Effect.flatMap(smaller(conversation), told)
  yield* Effect.flatMap(cut(conversation), told)
  yield* Effect.flatMap(smaller(conversation.slice(0, 4)), told)
}).pipe(Effect.provide(Summarizer.layer.pipe(Layer.provide(Model))))
