// One policy for each tenant: the layer of a session may depend on its id.
//
//   npm run example tenants
import { Effect, Layer } from "effect"
import { Agent, AgentLoop, CompactionPolicy, LogStore, Session, Sessions, Summarizer } from "effect-compaction"
import { TokenMeter, ToolRunner } from "effect-compaction"
import { Model } from "./model.ts"

export const App = Layer.mergeAll(
  Agent.layer({ provider: "deepseek", model: "deepseek-flash" }),
  LogStore.layerMemory,
  Summarizer.layer.pipe(Layer.provideMerge(Model)),
  ToolRunner.layerNone
)

// A policy that contradicts itself is a mistake in this file, not something that a caller could deal with.
const policyOf = (id: string) =>
  CompactionPolicy.layer(id.startsWith("free/") ? { threshold: 0.5, retain: 0.1 } : { threshold: 0.8 }).pipe(
    Layer.orDie
  )

export const Tenants = Sessions.layer({
  session: (id) => Session.layer.pipe(Layer.provide(policyOf(id)))
})

export const main = Effect.gen(function* () {
  for (const id of ["free/ann", "paid/bob"]) {
    const size = yield* Sessions.use(
      id,
      Effect.zipRight(
        Effect.forEach([1, 2, 3, 4, 5, 6], () => AgentLoop.run(`Read this: ${"one two three four ".repeat(100)}`)),
        TokenMeter.measure
      )
    )
    yield* Effect.log(`${id}: ${size.totalTokens} tokens, replaced ${size.generation} times`)
  }
}).pipe(Effect.provide(Tenants.pipe(Layer.provide(App))))
