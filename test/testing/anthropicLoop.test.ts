import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Agent from "../../src/layers/Agent.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as Session from "../../src/layers/Session.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Message from "../../src/session/Message.ts"
import * as ToolRunner from "../../src/layers/ToolRunner.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { provider } from "./asking.ts"

const { message, say } = SimulatedProvider

const world = (
  told: number | undefined,
  {
    model = "claude-opus-4-6",
    dropsStaleThinking,
    ...options
  }: Partial<SimulatedProvider.Options> & {
    readonly model?: string
    readonly dropsStaleThinking?: boolean
  } = {}
) =>
  Summarizer.layer.pipe(
    Layer.provideMerge(
      SimulatedProvider.layerAnthropicAdapter({
        retry: false,
        ...(dropsStaleThinking === undefined ? {} : { dropsStaleThinking }),
        ...(told === undefined ? {} : { windows: { [model]: { window: told } } })
      })
    ),
    Layer.provideMerge(SimulatedProvider.layer({ window: 12_000, as: "anthropic", ...options })),
    Layer.provide(FetchHttpClient.layer),
    Layer.merge(
      ToolRunner.layer({
        read: {
          schema: { description: "Reads a file", parameters: { type: "object" } },
          run: (args) => Effect.succeed(`${JSON.stringify(args)} ${"content ".repeat(300)}`)
        }
      })
    ),
    Layer.merge(Agent.layer({ provider: "anthropic", model, system: "Be terse.", maxOutputTokens: 800 })),
    Layer.merge(LogStore.layerMemory)
  )

/** A turn that thinks, calls two tools at once, thinks again, and answers. */
const turn = (n: number) => [
  message(
    Message.assistant([
      { type: "reasoning", text: `I wonder about ${n}. `.repeat(20) },
      Message.textBlock(`I read for ${n}.`),
      Message.toolCall(`toolu_${n}a`, "read", { path: `src/a${n}.ts` }),
      Message.toolCall(`toolu_${n}b`, "read", { path: `src/b${n}.ts` })
    ])
  ),
  message(
    Message.assistant([{ type: "reasoning", text: "", redacted: `sealed ${n}` }, Message.textBlock(`Done ${n}.`)])
  )
]

const turns = 14

const play = Effect.gen(function* () {
  const { next, requests } = yield* provider
  for (let n = 0; n < turns; n++) {
    yield* next(...turn(n))
    assert.strictEqual((yield* AgentLoop.run(`Please look at ${n}.`)).text, `Done ${n}.`)
  }
  return yield* requests
})

describe("the agent loop and the Anthropic adapter against the simulated provider", () => {
  for (const [what, told] of [
    ["under pressure, where the window is known", 12_000],
    ["by rescue, where nothing true is known of it", undefined]
  ] as const) {
    it.live(`go on through a small window ${what}: thoughts, calls and summaries are taken`, () =>
      Effect.gen(function* () {
        const asked = yield* play
        const count = (kind: string, outcome: string) =>
          asked.filter((request) => request.kind === kind && request.outcome === outcome).length
        assert.strictEqual(count("conversation", "answered"), 2 * turns)
        assert.isAbove(count("summary", "answered") + count("conversation", "refused"), 0)
        assert.strictEqual(count("conversation", "invalid") + count("summary", "invalid"), 0)
        if (told !== undefined) assert.strictEqual(count("conversation", "refused"), 0)
        // a request sees what the one before it wrote
        for (const [i, request] of asked.entries()) {
          const before = asked[i - 1]
          const grew = before?.outcome === "answered" && request.inputTokens > before.inputTokens
          const held = (before?.usage?.cached ?? 0) + (before?.usage?.written ?? 0)
          if (grew && held > 0 && request.kind === "conversation" && request.outcome === "answered")
            assert.isAtLeast(request.usage?.cached ?? 0, held)
        }
        assert.isAbove(
          asked.reduce((sum, { usage }) => sum + (usage?.cached ?? 0), 0),
          20_000
        )
        // the log has the provider's own counts, read and written once
        const steps = yield* Surface.Surface.pipe(
          Effect.flatMap((surface) => Stream.runCollect(surface.history(0))),
          Effect.map((events) =>
            [...events].flatMap((event) => (event.type === "message/assistant" ? [event.data.usage?.inputTokens] : []))
          )
        )
        const answered = asked.filter(({ kind, outcome }) => kind === "conversation" && outcome === "answered")
        assert.deepStrictEqual(
          steps,
          answered.map(({ usage }) => usage?.input)
        )
      }).pipe(Effect.provide(Session.layerOne("s")), Effect.provide(world(told)))
    )
  }

  it.live("go on where the model binds its thoughts to what a compaction has replaced", () =>
    Effect.gen(function* () {
      const asked = yield* play
      assert.isAbove(asked.filter(({ kind }) => kind === "summary").length, 0)
      assert.deepStrictEqual([...new Set(asked.map(({ outcome }) => outcome))], ["answered"])
    }).pipe(
      Effect.provide(Session.layerOne("s")),
      Effect.provide(world(12_000, { model: "claude-opus-5-5", bindsThinking: true }))
    )
  )

  it.live("would be refused there, if nothing said that such thoughts are to be dropped", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(play)
      assert.deepInclude(error, { _tag: "InvalidRequest" })
      assert.include(error.message, "bound to a different conversation")
    }).pipe(
      Effect.provide(Session.layerOne("s")),
      Effect.provide(world(12_000, { model: "claude-opus-5-5", bindsThinking: true, dropsStaleThinking: false }))
    )
  )

  const run = Effect.fnUntraced(function* (prompt: string, ...replies: ReadonlyArray<SimulatedProvider.Reply>) {
    yield* (yield* provider).next(...replies)
    return (yield* AgentLoop.run(prompt)).text
  })
  const long = (count: number) => "word ".repeat(count)
  const asked = Effect.flatMap(provider, ({ requests }) =>
    Effect.map(requests, (all) => all.map(({ kind, outcome }) => `${kind} ${outcome}`))
  )

  it.live("are rescued where the error comes inside the stream", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* run(long(3_000), say("one")), "one")
      assert.strictEqual(yield* run(long(3_000), SimulatedProvider.refuseInStream("half"), say("two")), "two")
      assert.deepStrictEqual(yield* asked, [
        "conversation answered",
        "conversation refused",
        "summary answered",
        "conversation answered"
      ])
    }).pipe(Effect.provide(Session.layerOne("s")), Effect.provide(world(undefined)))
  )

  it.live("keep what fits of an answer that runs into the end of the window", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* run(long(8_400), say("one")), "one")
      const cut = yield* run(long(1_000), say(long(650)))
      assert.isBelow(cut.length, long(650).length)
      const { input = 0, output = 0 } = (yield* (yield* provider).requests)[1]?.usage ?? {}
      assert.isAbove(input + output, 11_990)
    }).pipe(Effect.provide(Session.layerOne("s")), Effect.provide(world(undefined)))
  )

  it.live("are rescued where nothing of it does", () =>
    Effect.gen(function* () {
      const nothing = SimulatedProvider.message(Message.assistant([]), { finish: "model_context_window_exceeded" })
      assert.strictEqual(yield* run(long(3_000), say("one")), "one")
      assert.strictEqual(yield* run(long(3_000), nothing, say("two")), "two")
      const requests = yield* (yield* provider).requests
      assert.isBelow(requests.at(-1)?.inputTokens ?? 0, requests[1]?.inputTokens ?? 0)
    }).pipe(Effect.provide(Session.layerOne("s")), Effect.provide(world(undefined)))
  )
})
