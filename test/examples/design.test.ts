// Design section 16, word for word: compiled here, and run as far as it goes without a key.
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, it } from "@effect/vitest"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import {
  Agent,
  AgentLoop,
  CompactService,
  LogStore,
  Message,
  OpenAiChat,
  OverflowRescue,
  Session,
  Sessions,
  Summarizer,
  TokenMeter,
  ToolRunner
} from "effect-compaction"
import * as Testing from "effect-compaction/testing"

// what the app has already
interface Mine {
  readonly role: string
  readonly content: string
}
const mine: Message.Codec<Mine> = {
  decode: ({ content, role }) => (role === "user" ? Message.user(content) : Message.assistant(content)),
  encode: (message) => ({ role: message.role, content: Message.text(message) })
}
const client = {
  chat: ({ messages }: { readonly messages: ReadonlyArray<Mine> }) =>
    Effect.succeed({ text: `after ${messages.length}`, usage: { inputTokens: 10, outputTokens: 2 } })
}

const App = Layer.mergeAll(
  Agent.layer({ provider: "deepseek", model: "deepseek-flash", system: "You are terse." }),
  LogStore.layerFile({ directory: "./sessions" }).pipe(Layer.provide(NodeFileSystem.layer)),
  Summarizer.layer.pipe(
    Layer.provideMerge(OpenAiChat.layerConfig({ provider: "deepseek", apiKey: Config.redacted("DEEPSEEK_API_KEY") }))
  ),
  ToolRunner.layerNone
).pipe(Layer.provide(FetchHttpClient.layer))
const Live = Sessions.layer({ idleTimeToLive: "5 minutes" }).pipe(Layer.provide(App))

// one prompt; a stream to a browser; a look and a manual compaction
const answer = Sessions.use("t42", AgentLoop.run("Fix the failing test"))
const tokens = Effect.map(Sessions.Sessions, (sessions) => sessions.stream("t42", AgentLoop.prompt("Go on")))
const manual = Sessions.use(
  "t42",
  Effect.gen(function* () {
    yield* AgentLoop.inject(Message.user("CI is red again"))
    return {
      size: yield* TokenMeter.measure,
      plan: yield* CompactService.plan("manual"),
      outcome: yield* CompactService.compactNow
    }
  })
)

// your own loop and client: one combinator around one request; errors stay yours
const reply = OverflowRescue.retry({
  envelope: { route: { provider: "deepseek", model: "deepseek-flash" }, system: "You are terse." },
  send: (request) => client.chat({ messages: request.messages.map(mine.encode) }),
  usage: (reply) => reply.usage
})

// a test: another model, log and summariser; nothing else changes
it.effect("rescues once", () =>
  Effect.gen(function* () {
    const script = yield* Testing.Script
    yield* script.next(Testing.say("word ".repeat(5_000)), Testing.overflow({ limit: 4_000 }), Testing.say("done"))
    yield* AgentLoop.run("first")
    assert.strictEqual((yield* AgentLoop.run("second")).text, "done")
  }).pipe(
    Effect.provide(
      Session.layerOne("t").pipe(
        Layer.provideMerge(Testing.layerScript({ window: 8_000 })),
        Layer.provide([
          LogStore.layerMemory,
          ToolRunner.layerNone,
          Summarizer.layerWith(() => Effect.succeed("summary"))
        ])
      )
    )
  )
)

const scripted = Layer.provideMerge(
  Sessions.layer(),
  Layer.mergeAll(
    Testing.layerScript({ window: 8_000 }),
    LogStore.layerMemory,
    ToolRunner.layerNone,
    Summarizer.layerWith(() => Effect.succeed("summary"))
  )
)

it.effect("one prompt, a stream, a look by hand, a loop of one's own: all on the same session", () =>
  Effect.gen(function* () {
    const script = yield* Testing.Script
    yield* script.next(Testing.say("fixed. ".repeat(2_000)), Testing.say("still fixed"))
    assert.strictEqual((yield* answer).outcome, "completed")
    const events = yield* Stream.runCollect(yield* tokens)
    assert.deepInclude([...events].at(-1), { _tag: "TurnEnd", text: "still fixed" })
    const { outcome, plan, size } = yield* manual
    assert.deepInclude(plan, { _tag: "Planned", rung: "summarise" })
    assert.deepInclude(outcome, { _tag: "Reduced", generation: 1, before: size.totalTokens })
    assert.match((yield* Sessions.use("t42", reply)).text, /^after \d$/)
  }).pipe(Effect.provide(scripted))
)

it.effect("without a key the app says which is missing", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Effect.provide(answer, Live))
    assert.include(String(error), "DEEPSEEK_API_KEY")
  }).pipe(Effect.withConfigProvider(ConfigProvider.fromMap(new Map())))
)
