// By hand: add context, look at the size, see what a compaction would do, and do it.
//
//   npm run example manual
import { Effect, Layer } from "effect"
import { Agent, AgentLoop, CompactService, LogStore, Message, Session, TokenMeter } from "effect-compaction"
import { Summarizer, ToolRunner } from "effect-compaction"
import { Model } from "./model.ts"

// While a turn runs, what is injected joins it at its next step; in an idle session it is written at once.
export const look = Effect.gen(function* () {
  yield* AgentLoop.inject(Message.user("CI is red again"))
  const size = yield* TokenMeter.measure
  const plan = yield* CompactService.plan("manual")
  const outcome = yield* CompactService.compactNow
  return { size, plan, outcome }
})

// One session without `Sessions`: for a script, a serverless function, a test.
const Live = Session.layerOne("t42").pipe(
  Layer.provide([
    Agent.layer({ provider: "deepseek", model: "deepseek-flash", system: "You are terse." }),
    LogStore.layerMemory,
    Summarizer.layer.pipe(Layer.provideMerge(Model)),
    ToolRunner.layerNone
  ])
)

export const main = Effect.gen(function* () {
  yield* AgentLoop.run(`Look through this log: ${"2026-12-01 10:00:00 INFO step passed\n".repeat(60)}`)
  yield* AgentLoop.run("What failed?")
  const { outcome, plan, size } = yield* look
  yield* Effect.log(`${size.totalTokens} tokens (${size.baseline})`)
  if (plan._tag === "Planned") yield* Effect.log(`would ${plan.rung} ${plan.price} tokens: ${plan.why}`)
  else yield* Effect.log(`would do nothing: ${plan.reason}`)
  if (outcome._tag === "Reduced") yield* Effect.log(`${outcome.before} tokens became ${outcome.after}`)
  else yield* Effect.log(`did nothing: ${outcome.reason}`)
}).pipe(Effect.provide(Live))
