// What a conversation is played with: a model that counts for itself and refuses, tools, a summariser and a backend as the
// world has them, over the library's own session.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import {
  Agent,
  AgentLoop,
  CompactionPolicy,
  CompactService,
  LogStore,
  Message,
  Session,
  Summarizer,
  Surface,
  TokenMeter,
  ToolRunner
} from "../../src/index.ts"
import { ContextWindowExceeded, type ModelError } from "../../src/errors/ModelError.ts"
import { ModelAdapter, type ModelRequest, type Part } from "../../src/services/ModelAdapter.ts"
import { layerLying, lyingRung } from "../../src/testing/LyingCompaction.ts"
import { lyingSummary } from "../../src/testing/LyingSummarizer.ts"
import { type AnswerPlan, textOf, type ToolPlan, type TurnPlan, type World } from "./world.ts"

export const route = { provider: "play", model: "play" }

/** One request as the model saw it. */
export interface Seen {
  readonly request: ModelRequest
  readonly turn: number
  readonly size: number
  /** what it was answered with, where that was no answer */
  readonly error: ModelError | undefined
}

const pause = (milliseconds: number) => (milliseconds === 0 ? Effect.void : Effect.sleep(milliseconds))

/** The calls of an answer; what a tool will say stands in its arguments. */
const callsOf = (tools: ReadonlyArray<ToolPlan>, turn: number) =>
  // ids come again in every turn, in one answer too, or there are none, as some servers have it
  tools.map((plan, i) => Message.toolCall(turn % 3 === 2 ? "" : `call_${i >> (turn % 3)}`, "tool", plan))

const partsOf = (answer: AnswerPlan, turn: number, inputTokens: number | undefined): ReadonlyArray<Part> => {
  const usage = inputTokens === undefined ? {} : { usage: { inputTokens, outputTokens: 1 } }
  const end = (reason: "stop" | "length" | "tool-calls"): Part => ({ type: "finish", reason, ...usage })
  if (answer.does === "says-nothing") return [end("stop")]
  const text: Part = { type: "text-delta", delta: textOf(answer.words) }
  if (answer.does === "calls") return [text, ...callsOf(answer.tools, turn), end("tool-calls")]
  return [text, end(answer.does === "says" ? "stop" : "length")]
}

/** A model of this world, which takes a request to be as large as `sizeOf` says. */
export const modelOf = (world: World, sizeOf: (request: ModelRequest) => number) => {
  const seen: Array<Seen> = []
  const summarised: Array<ReadonlyArray<Message.Message>> = []
  let turn = -1
  let answers: Array<AnswerPlan> = []
  const refuses = (requested: number): ModelError | undefined =>
    requested <= world.window
      ? undefined
      : new ContextWindowExceeded({
          route,
          detail: "it counts for itself",
          ...(world.states.limit ? { limit: world.window } : {}),
          ...(world.states.requested ? { requested } : {})
        })
  const stream = (request: ModelRequest): Stream.Stream<Part, ModelError> =>
    Stream.unwrap(
      Effect.suspend((): Effect.Effect<Stream.Stream<Part, ModelError>> => {
        const size = sizeOf(request)
        const error = refuses(size)
        seen.push({ request, turn, size, error })
        const after = pause(world.takes.model)
        if (error !== undefined) return Effect.as(after, Stream.fail(error))
        const answer = answers.shift() ?? { does: "says" as const, words: { script: "latin", count: 2, seed: 1 } }
        const parts = partsOf(answer, turn, world.reports ? size : undefined)
        return Effect.as(
          after,
          Stream.concat(Stream.fromIterable(parts.slice(0, 1)), Stream.fromEffect(after).pipe(Stream.drain)).pipe(
            Stream.concat(Stream.fromIterable(parts.slice(1)))
          )
        )
      })
    )
  return {
    seen: seen as ReadonlyArray<Seen>,
    /** the spans that its summariser was given */
    summarised,
    begin: (plan: TurnPlan) => {
      turn++
      answers = [...plan.answers]
    },
    layer: Layer.succeed(ModelAdapter, {
      stream,
      modelInfo: () =>
        Effect.succeed(
          world.told === undefined ? Option.none() : Option.some({ window: world.told, source: "explicit" as const })
        )
    })
  }
}

export type Model = ReturnType<typeof modelOf>

const image: Message.ResultBlock & Message.Block = {
  type: "image",
  source: { type: "url", url: "https://example.test/a.png" },
  width: 512,
  height: 512
}

const runTool = ({ answers, words }: ToolPlan): Effect.Effect<ToolRunner.ToolAnswer, ModelError> => {
  switch (answers) {
    case "text":
      return Effect.succeed(textOf(words))
    case "image":
      return Effect.succeed({ content: [Message.textBlock(textOf(words)), image] })
    case "error":
      return Effect.succeed({ content: textOf(words), isError: true })
    case "nothing":
      return Effect.succeed("")
    case "dies":
      return Effect.dieMessage("the tool died")
    case "overflows":
      // a model call of the tool's own, to the very route of the conversation
      return Effect.fail(new ContextWindowExceeded({ route, detail: "the tool's own request was too long", limit: 10 }))
  }
}

const layerTools = (world: World) =>
  ToolRunner.layer({
    tool: {
      schema: { parameters: { type: "object" } },
      run: (plan) => Effect.zipRight(pause(world.takes.tool), runTool(plan as ToolPlan))
    }
  })

const layerCompact = ({ backend }: World) =>
  backend.is === "a liar"
    ? layerLying(backend.lie)
    : CompactService.layerWith({
        rungs: (defaults) =>
          backend.rungs.map(
            (name) =>
              defaults.find((rung) => rung.name === name) ?? {
                ...lyingRung(name as never),
                ...(backend.reduces === undefined ? {} : { reduces: backend.reduces })
              }
          )
      })

/** A session of this world over a store, from nothing but the store. */
export const layerSession = (world: World, store: typeof LogStore.LogStore.Service, model: Model, id = "s") =>
  AgentLoop.layer.pipe(
    Layer.provideMerge(layerCompact(world)),
    Layer.provideMerge(TokenMeter.layer),
    Layer.provideMerge(Surface.layer),
    Layer.provideMerge(CompactionPolicy.layer(world.policy)),
    Layer.provide([
      Layer.succeed(Session.SessionId, id),
      Layer.succeed(LogStore.LogStore, slow(store, world.takes.log)),
      Agent.layer({ ...route, system: "Answer in short." }),
      layerTools(world),
      Summarizer.layerWith(({ span }) =>
        Effect.zipRight(
          Effect.zipRight(
            Effect.sync(() => model.summarised.push(span)),
            pause(world.takes.summary)
          ),
          world.summary === "honest"
            ? Effect.succeed(`Of ${span.length} messages nothing is left to do.`)
            : lyingSummary(world.summary)
        )
      )
    ]),
    Layer.provideMerge(model.layer)
  )

/** A store whose writes take their time. */
const slow = (store: typeof LogStore.LogStore.Service, turns: number): typeof LogStore.LogStore.Service =>
  turns === 0
    ? store
    : {
        ...store,
        open: (id) =>
          Effect.map(store.open(id), (log) => ({
            ...log,
            append: (batch, options) =>
              Effect.zipRight(Effect.repeatN(Effect.yieldNow(), turns), log.append(batch, options))
          }))
      }

export const promptOf = ({ image: withImage, prompt }: TurnPlan): Message.Message =>
  Message.user([Message.textBlock(textOf(prompt)), ...(withImage ? [image] : [])])
