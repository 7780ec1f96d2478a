// A turn to a browser, as server-sent events. The session stays open as long as the stream runs, and no longer; a tab that
// is closed interrupts the turn.
//
//   npm run example stream          then: curl -N "localhost:3000/sessions/t42?prompt=Hello"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer, Schema, Stream } from "effect"
import { Agent, AgentLoop, LogStore, Sessions, Summarizer, ToolRunner } from "effect-compaction"
import { createServer } from "node:http"
import { Model } from "./model.ts"

const path = HttpRouter.schemaPathParams(Schema.Struct({ session: Schema.NonEmptyString }))
const query = HttpServerRequest.schemaSearchParams(Schema.Struct({ prompt: Schema.String }))

// `Sessions.stream`, not `Sessions.use`: a stream that `use` returned would run after its session was let go.
const turn = Effect.gen(function* () {
  const { session } = yield* path
  const { prompt } = yield* query
  const sessions = yield* Sessions.Sessions
  const events = sessions.stream(session, AgentLoop.prompt(prompt))
  return HttpServerResponse.stream(
    events.pipe(
      Stream.map((event) => `data: ${JSON.stringify(event)}\n\n`),
      Stream.encodeText
    ),
    { contentType: "text/event-stream" }
  )
})

export const router = HttpRouter.empty.pipe(HttpRouter.get("/sessions/:session", turn))

const App = Layer.mergeAll(
  Agent.layer({ provider: "deepseek", model: "deepseek-flash", system: "You are terse." }),
  LogStore.layerMemory,
  Summarizer.layer.pipe(Layer.provideMerge(Model)),
  ToolRunner.layerNone
)

export const main = HttpServer.serve(router).pipe(
  HttpServer.withLogAddress,
  Layer.provide(Sessions.layer().pipe(Layer.provide(App))),
  Layer.provide(NodeHttpServer.layer(createServer, { port: 3000 })),
  Layer.launch
)
