// Sessions whose logs are in a database. SQLite here; for PostgreSQL only the client is another one.
//
//   SESSIONS_DB=sessions.db npm run example database
import { SqliteClient } from "@effect/sql-sqlite-node"
import { Config, Effect, Layer } from "effect"
import { Agent, AgentLoop, Sessions, Summarizer, TokenMeter, ToolRunner } from "effect-compaction"
import { SqlLogStore } from "effect-compaction/sql"
import { Model } from "./model.ts"

const Database = SqliteClient.layerConfig({
  filename: Config.withDefault(Config.string("SESSIONS_DB"), ":memory:")
})

const Logs = SqlLogStore.layer({ lease: "30 seconds" }).pipe(Layer.provide(Database))

const App = Layer.mergeAll(
  Agent.layer({ provider: "deepseek", model: "deepseek-flash" }),
  Summarizer.layer.pipe(Layer.provideMerge(Model)),
  ToolRunner.layerNone
)

const run = Effect.gen(function* () {
  const { text } = yield* Sessions.use("notes", AgentLoop.run("Remember that the meeting is on Monday."))
  const { revision } = yield* Sessions.use("notes", TokenMeter.measure)
  yield* Effect.log(`${text} (${revision} events in the log)`)
}).pipe(Effect.provide(Sessions.layer()))

/** Each time with other services and the same logs, as if the application was started again. */
export const main = Effect.zipRight(Effect.provide(run, App), Effect.provide(run, App)).pipe(Effect.provide(Logs))
