// What the API infers, and what must not compile. Checked by `npm run check`, never run.
// What is missing on purpose below is told by tsc, as an expected error.
// @effect-diagnostics missingEffectContext:off
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as ConfigError from "effect/ConfigError"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Errors, ModelAdapter } from "effect-compaction"
import {
  Agent,
  AgentLoop,
  CompactionPolicy,
  CompactService,
  LogStore,
  Message,
  OpenAiChat,
  OverflowRescue,
  Session,
  Sessions,
  Summarizer,
  Surface,
  TokenMeter,
  ToolRunner
} from "effect-compaction"
import { layerLogStoreFile } from "effect-compaction/node"
import * as Testing from "effect-compaction/testing"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** The two types are the same. */
declare const same: <A, B>(equal: Equal<A, B>) => void

type ErrorOf<L extends Layer.Layer.Any> = Layer.Layer.Error<L>
type NeedsOf<L extends Layer.Layer.Any> = Layer.Layer.Context<L>

class Boom {
  readonly _tag = "Boom"
}
class Client extends Context.Tag("Client")<Client, { readonly chat: Effect.Effect<number, Boom> }>() {}
class Files extends Context.Tag("Files")<Files, { readonly read: Effect.Effect<string> }>() {}

// --- sessions -------------------------------------------------------------------------------------------------------

const answer = Sessions.use("t", AgentLoop.run("hi"))
same<typeof answer, Effect.Effect<AgentLoop.TurnEnd, Errors.TurnError | Errors.OpenError, Sessions.Sessions>>(true)

const tokens = Sessions.stream("t", AgentLoop.prompt("hi"))
same<typeof tokens, Stream.Stream<AgentLoop.TurnEvent, Errors.TurnError | Errors.OpenError, Sessions.Sessions>>(true)

const detached = Sessions.fork("t", AgentLoop.run("hi"))
same<
  typeof detached,
  Effect.Effect<Fiber.RuntimeFiber<AgentLoop.TurnEnd, Errors.TurnError>, Errors.OpenError, Sessions.Sessions>
>(true)

const branched = Sessions.branch("t", { at: 12, as: "u" })
same<typeof branched, Effect.Effect<void, Errors.InvalidBranch | Errors.OpenError, Sessions.Sessions>>(true)
// @ts-expect-error a branch has a name of its own
void Sessions.branch("t", { at: 12 })

// what an effect needs beside the session stays; what it fails with too
const withClient = Sessions.use(
  "t",
  Effect.zipRight(
    Surface.generation,
    Effect.flatMap(Client, (client) => client.chat)
  )
)
same<typeof withClient, Effect.Effect<number, Boom | Errors.OpenError, Sessions.Sessions | Client>>(true)

// a session inside of a session
const nested = Sessions.use("parent", Effect.zipRight(Surface.append(), Sessions.use("child", AgentLoop.run("sub"))))
same<Effect.Effect.Context<typeof nested>, Sessions.Sessions>(true)
same<Effect.Effect.Error<typeof nested>, Errors.TurnError | Errors.OpenError>(true)

const byService = Effect.map(Sessions.Sessions, (sessions) => sessions.stream("t", AgentLoop.prompt("hi")))
same<Effect.Effect.Context<typeof byService>, Sessions.Sessions>(true)
same<Stream.Stream.Context<Effect.Effect.Success<typeof byService>>, never>(true)

// --- turns ----------------------------------------------------------------------------------------------------------

const run = AgentLoop.run("hi")
same<typeof run, Effect.Effect<AgentLoop.TurnEnd, Errors.TurnError, AgentLoop.AgentLoop>>(true)
same<AgentLoop.TurnEnd["outcome"], "completed" | "output-limit" | "suspended">(true)
void AgentLoop.run(Message.user("hi"))
const resumed = AgentLoop.resume({ call_7: "approved" })
same<Effect.Effect.Error<typeof resumed>, Errors.TurnError | Errors.NotSuspended>(true)
same<typeof AgentLoop.state, Effect.Effect<AgentLoop.State, never, AgentLoop.AgentLoop>>(true)

const manual = Effect.gen(function* () {
  yield* AgentLoop.inject(Message.user("CI is red again"))
  return {
    size: yield* TokenMeter.measure,
    plan: yield* CompactService.plan("manual"),
    outcome: yield* CompactService.compactNow
  }
})
same<Effect.Effect.Error<typeof manual>, Errors.CompactionError>(true)
same<
  Effect.Effect.Success<typeof manual>,
  { size: TokenMeter.Measurement; plan: CompactService.Plan; outcome: CompactService.Outcome }
>(true)

// @ts-expect-error there is no such trigger
void CompactService.plan("preassure")
// @ts-expect-error answers are texts
void AgentLoop.resume({ call_7: true })

// --- one's own loop -------------------------------------------------------------------------------------------------

const envelope = { route: { provider: "a", model: "b" } }
type Needed = Surface.Surface | TokenMeter.TokenMeter | CompactService.CompactService

const one = OverflowRescue.retry({ envelope, send: () => Effect.flatMap(Client, (client) => client.chat) })
same<typeof one, Effect.Effect<number, Boom | Errors.LogWriteFailed | Errors.SessionBusy, Client | Needed>>(true)

const streamed = OverflowRescue.retryStream({
  envelope,
  send: (request) => Stream.make(request.messages.length),
  isContent: (part) => part > 0
})
same<typeof streamed, Stream.Stream<number, Errors.LogWriteFailed | Errors.SessionBusy, Needed>>(true)

// inside of a session nothing is left but what the client needs
const inSession = Sessions.use("t", one)
same<Effect.Effect.Context<typeof inSession>, Sessions.Sessions | Client>(true)

// @ts-expect-error an envelope has a route
void OverflowRescue.retry({ envelope: { system: "You are terse." }, send: () => Effect.void })
void OverflowRescue.retry({
  envelope,
  send: () => Effect.succeed({ prompt: 1 }),
  // @ts-expect-error usage is input and output tokens
  usage: (reply) => ({ inputTokens: reply.prompt })
})

// --- layers ---------------------------------------------------------------------------------------------------------

same<typeof Session.layer, Layer.Layer<Session.Services, Errors.OpenError, Session.SessionId | Session.App>>(true)
same<NeedsOf<ReturnType<typeof Session.layerOne>>, Session.App>(true)

const model = OpenAiChat.layerConfig({ provider: "deepseek", apiKey: Config.redacted("DEEPSEEK_API_KEY") })
same<typeof model, Layer.Layer<ModelAdapter.ModelAdapter, ConfigError.ConfigError, HttpClient.HttpClient>>(true)
// @ts-expect-error a provider without a preset names its server
void OpenAiChat.layer({ provider: "mine" })
// @ts-expect-error a key is redacted
void OpenAiChat.layer({ provider: "deepseek", apiKey: "sk-..." })

const agent = Agent.layer({ provider: "p", model: "m" })
const log = layerLogStoreFile({ directory: "./sessions" })
const tools = ToolRunner.layerNone
const summarizer = Summarizer.layer
const App = Layer.mergeAll(
  agent,
  log,
  tools,
  summarizer.pipe(Layer.provideMerge(model)),
  CompactionPolicy.layer({ threshold: 0.75 })
)
const Live = Sessions.layer({ idleTimeToLive: "5 minutes" }).pipe(Layer.provide(App))
same<
  typeof Live,
  Layer.Layer<Sessions.Sessions, ConfigError.ConfigError | Errors.PolicyInvalid, HttpClient.HttpClient>
>(true)

// the session of each id: what it needs is needed where `Sessions` is built, the id is not
const Tenants = Sessions.layer({
  idleTimeToLive: "1 minute",
  session: (id) =>
    Session.layer.pipe(
      Layer.provide(
        Agent.layerWith(
          Effect.map(
            Effect.flatMap(Files, (files) => files.read),
            (system) => ({ route: { provider: "p", model: id }, system })
          )
        )
      )
    )
})
same<NeedsOf<typeof Tenants>, Exclude<Session.App, Agent.Agent> | Files>(true)
// the same when the options come from elsewhere
const options = { idleTimeToLive: "1 minute", session: () => Session.layer.pipe(Layer.provide(agent)) } as const
const fromElsewhere = Sessions.layer(options)
same<NeedsOf<typeof fromElsewhere>, Exclude<Session.App, Agent.Agent>>(true)
// a branch is written by `Sessions` itself: the log stays shared, also where a session has one of its own
const ownLog = Sessions.layer({ session: () => Session.layer.pipe(Layer.provide([agent, log])) })
same<NeedsOf<typeof ownLog>, Exclude<Session.App, Agent.Agent>>(true)
// a session may fail to open and with nothing else: who opens it could not tell what it is
const withPolicy = () => Session.layer.pipe(Layer.provide(CompactionPolicy.layer({ threshold: 0.5 })))
// @ts-expect-error the policy's own failure is left
void Sessions.layer({ session: withPolicy })
void Sessions.layer({ session: () => Layer.orDie(withPolicy()) })

// tools with needs of their own
const ownTools = ToolRunner.layer({
  read: { schema: { parameters: {} }, run: () => Effect.flatMap(Files, (files) => files.read) },
  ask: {
    schema: { parameters: {} },
    run: () =>
      Effect.as(
        Effect.flatMap(Client, (client) => client.chat),
        "asked"
      )
  },
  approve: { schema: { parameters: {} }, run: () => Effect.succeed({ suspend: "waits for a person" }) }
})
same<typeof ownTools, Layer.Layer<ToolRunner.ToolRunner, never, Files | Client>>(true)

const ownSummary = Summarizer.layerWith(({ span }) => Effect.succeed(`${span.length} messages`))
same<typeof ownSummary, Layer.Layer<Summarizer.Summarizer>>(true)

same<ErrorOf<ReturnType<typeof CompactionPolicy.layer>>, Errors.PolicyInvalid>(true)
// @ts-expect-error a share is a number
void CompactionPolicy.layer({ threshold: "0.75" })
// @ts-expect-error no such field
void CompactionPolicy.layer({ treshold: 0.75 })
// @ts-expect-error no such field inside of another
void CompactionPolicy.layer({ prune: { above: 1 } })
void CompactionPolicy.layer({
  auto: { pressure: false },
  retain: 4_000,
  prune: { exempt: ["read_file"] },
  summary: { route: { provider: "p", model: "small" }, timeLimit: "30 seconds" },
  models: [{ provider: "p", model: "m", threshold: 0.5 }]
})

const noneAtAll = ToolRunner.layer({})
same<NeedsOf<typeof noneAtAll>, never>(true)

// --- one thing forgotten at a time ----------------------------------------------------------------------------------

declare const someModel: Layer.Layer<ModelAdapter.ModelAdapter>
const whole = Layer.mergeAll(agent, log, someModel, ownSummary, tools)
const ready: Layer.Layer<Sessions.Sessions> = Layer.provide(Sessions.layer(), whole)
const scripted = Layer.mergeAll(Testing.layerScript({ window: 8_000 }), LogStore.layerMemory, ownSummary, tools)
const readyToTest: Layer.Layer<Session.Services, Errors.OpenError> = Layer.provide(Session.layerOne("t"), scripted)

// a new need that the app has would show here
same<
  Session.App,
  Agent.Agent | LogStore.LogStore | ModelAdapter.ModelAdapter | Summarizer.Summarizer | ToolRunner.ToolRunner
>(true)

const noAgent = Layer.provide(Sessions.layer(), [log, someModel, ownSummary, tools])
same<NeedsOf<typeof noAgent>, Agent.Agent>(true)
const noLog = Layer.provide(Sessions.layer(), [agent, someModel, ownSummary, tools])
same<NeedsOf<typeof noLog>, LogStore.LogStore>(true)
const noModel = Layer.provide(Sessions.layer(), [agent, log, ownSummary, tools])
same<NeedsOf<typeof noModel>, ModelAdapter.ModelAdapter>(true)
const noSummarizer = Layer.provide(Sessions.layer(), [agent, log, someModel, tools])
same<NeedsOf<typeof noSummarizer>, Summarizer.Summarizer>(true)
const noTools = Layer.provide(Sessions.layer(), [agent, log, someModel, ownSummary])
same<NeedsOf<typeof noTools>, ToolRunner.ToolRunner>(true)

void Effect.runPromise(Effect.provide(answer, ready))
void Effect.runPromise(Effect.provide(run, readyToTest))
// @ts-expect-error no Agent
void Effect.runPromise(Effect.provide(answer, noAgent))
// @ts-expect-error no LogStore
void Effect.runPromise(Effect.provide(answer, noLog))
// @ts-expect-error no ModelAdapter
void Effect.runPromise(Effect.provide(answer, noModel))
// @ts-expect-error no Summarizer
void Effect.runPromise(Effect.provide(answer, noSummarizer))
// @ts-expect-error no ToolRunner
void Effect.runPromise(Effect.provide(answer, noTools))
// @ts-expect-error a session's service outside of a session
void Effect.runPromise(run)
// @ts-expect-error and one of another kind
void Effect.runPromise(Effect.provide(TokenMeter.measure, ready))
