// An agent in an app: what all sessions share is one layer, and a prompt is one effect, here called from a promise.
//
//   npm run example agent
import { Effect, Layer, ManagedRuntime } from "effect"
import { Agent, AgentLoop, CompactionPolicy, Sessions, Summarizer, Surface, ToolRunner } from "effect-compaction"
import { layerLogStoreFile } from "effect-compaction/node"
import { readFile } from "node:fs/promises"
import { Model } from "./model.ts"

// What a tool fails with becomes a result that the model reads; it never ends the turn.
const Tools = ToolRunner.layer({
  read_file: {
    schema: {
      description: "Reads a text file",
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] }
    },
    run: (args) => Effect.tryPromise(() => readFile((args as { readonly path: string }).path, "utf8"))
  }
})

// Forgetting one of these is a compile error. The policy alone has a default; its layer is for those who want another.
const App = (directory: string) =>
  Layer.mergeAll(
    Agent.layer({ provider: "deepseek", model: "deepseek-flash", system: "You are terse." }),
    layerLogStoreFile({ directory }),
    Summarizer.layer.pipe(Layer.provideMerge(Model)),
    Tools,
    CompactionPolicy.layer({ threshold: 0.75 })
  )

// A session is opened when it is used, and closed when nobody has used it for a while. Its log is its truth: the same id
// goes on where it stopped, in another process too.
export const Live = (directory: string) =>
  Sessions.layer({ idleTimeToLive: "5 minutes" }).pipe(Layer.provide(App(directory)))

export const ask = (session: string, prompt: string) => Sessions.use(session, AgentLoop.run(prompt))

// Where the rest of the app lives on promises. An abort interrupts the turn: the request is cut off, what the turn had is
// kept, and its log says how it ended.
export const serve =
  <E>(runtime: ManagedRuntime.ManagedRuntime<Sessions.Sessions, E>) =>
  async (request: Request): Promise<Response> => {
    const end = await runtime.runPromise(ask("t42", await request.text()), { signal: request.signal })
    return new Response(end.text)
  }

export const program = Effect.gen(function* () {
  for (const prompt of ["Which Effect do we need?", "And to test?", "And to build?", "Is that all?"]) {
    const { text } = yield* ask("t42", prompt)
    const generation = yield* Sessions.use("t42", Surface.generation)
    yield* Effect.log(`${prompt} ${text} (replaced ${generation} times so far)`)
  }
})

// One runtime for the whole app; `runtime.dispose()` closes all sessions.
export const start = () => serve(ManagedRuntime.make(Live("./sessions")))

export const main = program.pipe(Effect.provide(Live("./sessions")))
