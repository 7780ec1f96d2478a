// A tool that waits for a person: the turn ends as suspended, and goes on when the answer comes, days later too.
//
//   npm run example approval
import { Effect, Layer } from "effect"
import { Agent, AgentLoop, LogStore, Sessions, Summarizer, ToolRunner } from "effect-compaction"
import { Model } from "./model.ts"

const Tools = ToolRunner.layer({
  read_file: {
    schema: { description: "Reads a file, if its owner agrees", parameters: { type: "object" } },
    run: () => Effect.succeed({ suspend: "asked the owner" })
  }
})

const App = Layer.mergeAll(
  Agent.layer({ provider: "deepseek", model: "deepseek-flash", system: "You are terse." }),
  LogStore.layerMemory,
  Summarizer.layer.pipe(Layer.provideMerge(Model)),
  Tools
)

export const main = Effect.gen(function* () {
  const asked = yield* Sessions.use("t42", AgentLoop.run("What does package.json say?"))
  yield* Effect.log(`${asked.outcome}, waits for ${asked.pending.join(", ")}`)
  // nothing is held meanwhile but the log: this may be another process, and the id comes from `AgentLoop.state` there
  const answers = Object.fromEntries(asked.pending.map((id) => [id, "The owner said no."]))
  const end = yield* Sessions.use("t42", AgentLoop.resume(answers))
  yield* Effect.log(`${end.outcome}: ${end.text}`)
}).pipe(Effect.provide(Sessions.layer().pipe(Layer.provide(App))))
