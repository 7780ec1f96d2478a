/**
 * A model that says what the test wrote down.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { ContextWindowExceeded, isModelError, type ModelError } from "../errors/ModelError.ts"
import * as AgentLayer from "../layers/Agent.ts"
import type { Agent } from "../services/Agent.ts"
import { ModelAdapter, type ModelRequest, type Part } from "../services/ModelAdapter.ts"
import * as Message from "../session/Message.ts"
import type { Route } from "../session/Route.ts"
import type { FinishReason } from "../session/SessionEvent.ts"
import type { Usage } from "../session/Usage.ts"

/**
 * What the model does with one request: an answer, an answer with its finish and usage, an error, or an effect that comes
 * to one of these (to wait, to die, to look at the request).
 *
 * @since 0.1.0
 * @category models
 */
export type Answer =
  | Message.Message
  | { readonly message: Message.Message; readonly finish?: FinishReason; readonly usage?: Usage }
  | ModelError

/**
 * @since 0.1.0
 * @category models
 */
export type Line = Answer | ((request: ModelRequest) => Effect.Effect<Answer, ModelError>)

/**
 * @since 0.1.0
 * @category tags
 */
export class Script extends Context.Tag("effect-compaction/testing/Script")<
  Script,
  {
    /** Adds lines; each request takes one. A request for which none is left dies. */
    readonly next: (...lines: ReadonlyArray<Line>) => Effect.Effect<void>
    /** The requests that came, oldest first. */
    readonly requests: Effect.Effect<ReadonlyArray<ModelRequest>>
    /** How many lines are left. */
    readonly left: Effect.Effect<number>
  }
>() {}

/**
 * The route of the scripted model.
 *
 * @since 0.1.0
 * @category constants
 */
export const route: Route = { provider: "script", model: "script" }

/**
 * An answer of text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const say = (text: string): Message.Message => Message.assistant(text)

/**
 * An answer that calls tools.
 *
 * @since 0.1.0
 * @category constructors
 */
export const call = (
  ...calls: ReadonlyArray<{ readonly id: string; readonly name: string; readonly arguments?: unknown }>
): Message.Message =>
  Message.assistant(calls.map(({ arguments: args = {}, id, name }) => Message.toolCall(id, name, args)))

/**
 * A refusal of the request as too long.
 *
 * @since 0.1.0
 * @category constructors
 */
export const overflow = (
  fields: { readonly limit?: number; readonly requested?: number; readonly route?: Route } = {}
): ContextWindowExceeded => new ContextWindowExceeded({ route, detail: "the script refuses it", ...fields })

const partsOf = (answer: Exclude<Answer, ModelError>): ReadonlyArray<Part> => {
  const { message, ...rest } = "message" in answer ? answer : { message: answer }
  const parts: Array<Part> = []
  for (const block of message.content) {
    if (block.type === "text") parts.push({ type: "text-delta", delta: block.text })
    if (block.type === "reasoning")
      parts.push({ type: "reasoning-delta", delta: block.text }, { type: "reasoning-end" })
    if (block.type === "tool-call") parts.push(block)
  }
  const calls = message.content.some((block) => block.type === "tool-call")
  const finish = "finish" in rest && rest.finish !== undefined ? rest.finish : calls ? "tool-calls" : "stop"
  const usage = "usage" in rest ? rest.usage : undefined
  return [...parts, { type: "finish", reason: finish, ...(usage === undefined ? {} : { usage }) }]
}

/**
 * A scripted model, and an agent on its route. `window` is what the adapter says the window is (tokens); absent, it is
 * unknown. The script itself enforces nothing.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerScript = (
  options: { readonly window?: number; readonly system?: string; readonly maxOutputTokens?: number } = {}
): Layer.Layer<Script | Agent | ModelAdapter> => {
  const { window, ...agent } = options
  const model = Layer.effectContext(
    Effect.sync(() => {
      const lines: Array<Line> = []
      const requests: Array<ModelRequest> = []
      const answer = (request: ModelRequest): Effect.Effect<Answer, ModelError> => {
        requests.push(request)
        const line = lines.shift()
        if (line === undefined) return Effect.dieMessage(`the script has no line for request ${requests.length}`)
        return typeof line === "function" ? line(request) : Effect.succeed(line)
      }
      return Context.empty().pipe(
        Context.add(Script, {
          next: (...more) => Effect.sync(() => void lines.push(...more)),
          requests: Effect.sync(() => [...requests]),
          left: Effect.sync(() => lines.length)
        }),
        Context.add(ModelAdapter, {
          stream: (request) =>
            Stream.unwrap(
              Effect.map(
                Effect.suspend(() => answer(request)),
                (said) => (isModelError(said) ? Stream.fail(said) : Stream.fromIterable(partsOf(said)))
              )
            ),
          modelInfo: () =>
            Effect.succeed(window === undefined ? Option.none() : Option.some({ window, source: "explicit" as const }))
        })
      )
    })
  )
  return Layer.merge(model, AgentLayer.layer({ ...route, ...agent }))
}
