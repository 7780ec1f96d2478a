// Rewinding: a session never goes back, but a branch of it begins where it once was.
//
//   npm run example rewind
import { Effect, Layer, Option, Stream } from "effect"
import { Agent, AgentLoop, CompactService, LogStore, Message, Sessions, Summarizer, Surface } from "effect-compaction"
import { ToolRunner } from "effect-compaction"
import { Model } from "./model.ts"

// What the session was before its newest compaction, under another id: its messages are there as they were said.
export const rewind = (session: string, as: string) =>
  Effect.gen(function* () {
    const compaction = yield* Sessions.stream(session, Surface.history(0)).pipe(
      Stream.filter(({ type }) => type === "compaction/start"),
      Stream.runLast
    )
    if (Option.isNone(compaction)) return false
    yield* Sessions.branch(session, { at: compaction.value.seq - 1, as })
    return true
  })

const App = Layer.mergeAll(
  Agent.layer({ provider: "deepseek", model: "deepseek-flash", system: "You are terse." }),
  LogStore.layerMemory,
  Summarizer.layer.pipe(Layer.provideMerge(Model)),
  ToolRunner.layerNone
)

const sizeOf = (session: string) =>
  Effect.map(
    Sessions.use(session, Surface.messages),
    (messages) => `${messages.length} messages, ${messages.map(Message.text).join("").length} characters`
  )

export const main = Effect.gen(function* () {
  yield* Sessions.use(
    "t42",
    Effect.gen(function* () {
      yield* AgentLoop.run(`Look through this log: ${"2026-12-01 10:00:00 INFO step passed\n".repeat(60)}`)
      yield* AgentLoop.run("What failed?")
      yield* CompactService.compactNow
    })
  )
  yield* Effect.log(`t42: ${yield* sizeOf("t42")}`)
  if (yield* rewind("t42", "t42/raw")) yield* Effect.log(`t42/raw: ${yield* sizeOf("t42/raw")}`)
  // both go on, each by itself
  const again = yield* Sessions.use("t42/raw", AgentLoop.run("And what took longest?"))
  yield* Effect.log(`${again.outcome}: ${again.text}`)
}).pipe(Effect.provide(Sessions.layer().pipe(Layer.provide(App))))
