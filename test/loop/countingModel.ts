// A model that counts for itself, has a window, and refuses what does not fit: for sessions that are full.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Checkpoint from "../../src/compaction/Checkpoint.ts"
import type { Part } from "../../src/compaction/answer.ts"
import { ContextWindowExceeded, type ModelError, RateLimited } from "../../src/errors/ModelError.ts"
import * as Agent from "../../src/layers/Agent.ts"
import * as CompactionPolicy from "../../src/layers/CompactionPolicy.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as TokenEstimator from "../../src/layers/TokenEstimator.ts"
import * as ToolRunner from "../../src/layers/ToolRunner.ts"
import type { Options as PolicyOptions } from "../../src/compaction/PolicyOptions.ts"
import { ModelAdapter, type ModelRequest } from "../../src/services/ModelAdapter.ts"
import * as Message from "../../src/session/Message.ts"
import { characters } from "../compaction/events.ts"

/** What the model says when it is asked for a summary. */
const summary = Checkpoint.headings.map((heading) => `## ${heading}\nShip it.`).join("\n\n")

export interface Asked {
  readonly kind: "conversation" | "summary"
  readonly request: ModelRequest
  /** input tokens by the model's own count */
  readonly size: number
  readonly refused: boolean
}

export interface Options {
  /** what each model takes, output included; by name of the model, `m` is the conversation's */
  readonly windows: { readonly m: number; readonly [model: string]: number }
  /** what the adapter says of them; absent: the truth; `undefined` in it: unknown */
  readonly told?: { readonly [model: string]: number | undefined }
  /** tokens that the model counts for one character */
  readonly factor?: number
  /** what a refusal says of itself; absent: the limit and what was requested */
  readonly states?: "limit"
  /** whether its answers say what it counted; absent: they do */
  readonly reports?: boolean
  /** refuses as a rate limit that one request alone goes over */
  readonly asRateLimit?: boolean
  readonly policy?: PolicyOptions
  readonly system?: string
  /** answers of the conversation, oldest first; then "ok" */
  readonly answers?: ReadonlyArray<Message.Message>
  readonly tools?: { readonly [name: string]: ToolRunner.Tool<never> }
  readonly log?: Layer.Layer<LogStore.LogStore>
}

/** Everything that a model was asked, oldest first. */
export class Heard extends Context.Tag("effect-compaction/test/Heard")<Heard, ReadonlyArray<Asked>>() {}

export const route = { provider: "counting", model: "m" }

const partsOf = (message: Message.Message, inputTokens: number | undefined): ReadonlyArray<Part> => {
  const calls = Message.toolCalls(message)
  const usage = inputTokens === undefined ? {} : { usage: { inputTokens, outputTokens: 1 } }
  return [
    { type: "text-delta", delta: Message.text(message) },
    ...calls,
    { type: "finish", reason: calls.length === 0 ? "stop" : "tool-calls", ...usage }
  ]
}

/** A model with its sessions' other services. One character is one token for the estimator. */
export const counting = (options: Options) => {
  const {
    answers = [],
    factor = 1,
    log = LogStore.layerMemory,
    policy = {},
    system = "",
    told,
    tools = {},
    windows
  } = options
  const left = [...answers]
  const heard: Array<Asked> = []
  const sizeOf = ({ envelope, messages }: ModelRequest) =>
    Math.ceil(
      factor * messages.reduce((sum, message) => sum + characters.message(message)[0]!, envelope.system?.length ?? 0)
    )
  const refusal = (request: ModelRequest, size: number, limit: number): ModelError => {
    const requested = options.states === "limit" ? {} : { requested: size }
    const fields = { route: request.envelope.route, detail: "it counts for itself", limit, ...requested }
    return options.asRateLimit === true
      ? new RateLimited({ ...fields, neverFits: true })
      : new ContextWindowExceeded({ ...fields, limitCounts: "input-and-output" })
  }
  const stream = (request: ModelRequest): Stream.Stream<Part, ModelError> =>
    Stream.suspend(() => {
      const last = request.messages.at(-1)
      const kind =
        last !== undefined && Message.text(last).startsWith(Checkpoint.firstLine) ? "summary" : "conversation"
      const size = sizeOf(request)
      const window = windows[request.envelope.route.model] ?? windows.m
      const refused = size + (request.envelope.maxOutputTokens ?? 0) > window
      heard.push({ kind, request, size, refused })
      if (refused) return Stream.fail(refusal(request, size, window))
      const answer = kind === "summary" ? Message.assistant(summary) : (left.shift() ?? Message.assistant("ok"))
      return Stream.fromIterable(partsOf(answer, options.reports === false ? undefined : size))
    })
  return Summarizer.layer.pipe(
    Layer.provideMerge(
      Layer.succeed(ModelAdapter, {
        stream,
        modelInfo: ({ model }) => {
          const window = told !== undefined && model in told ? told[model] : windows[model]
          return Effect.succeed(
            window === undefined ? Option.none() : Option.some({ window, source: "explicit" as const })
          )
        }
      })
    ),
    Layer.merge(log),
    Layer.merge(ToolRunner.layer(tools)),
    Layer.merge(Agent.layer({ ...route, ...(system === "" ? {} : { system }) })),
    Layer.merge(Layer.orDie(CompactionPolicy.layer(policy))),
    Layer.merge(Layer.succeed(TokenEstimator.TokenEstimator, characters)),
    Layer.merge(Layer.sync(Heard, () => heard))
  )
}

export const conversations = Effect.map(Heard, (heard) => heard.filter(({ kind }) => kind === "conversation"))
export const summaries = Effect.map(Heard, (heard) => heard.filter(({ kind }) => kind === "summary"))
