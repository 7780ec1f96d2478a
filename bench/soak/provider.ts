// A provider that counts with a vocabulary of its own and refuses what is too much; in this process, so that thousands of
// episodes are bearable. What it saw is kept for the judges.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { ContextWindowExceeded, type ModelError } from "../../src/errors/ModelError.ts"
import { ModelAdapter, type ModelRequest, type Part } from "../../src/services/ModelAdapter.ts"
import type * as Envelope from "../../src/session/Envelope.ts"
import type * as Message from "../../src/session/Message.ts"
import { vocabulary } from "../../src/testing/simulated/tokens.ts"
import type { Plan } from "./plan.ts"

const { encode } = await Effect.runPromise(vocabulary)

export const route = { provider: "soak", model: "soak" }

const textOf = (block: Message.Block): string => {
  switch (block.type) {
    case "text":
    case "reasoning":
      return block.text
    case "tool-call":
      return `${block.name} ${JSON.stringify(block.arguments)}`
    case "tool-result":
      return block.content.map(textOf).join("\n")
    default:
      return JSON.stringify(block)
  }
}

const sizes = new WeakMap<Message.Message, number>()

const sizeOf = (message: Message.Message): number => {
  const known = sizes.get(message)
  if (known !== undefined) return known
  const size = message.content.reduce((sum, block) => sum + encode(textOf(block)).length, 4)
  sizes.set(message, size)
  return size
}

/** Tokens of a request, as this provider counts. */
export const counted = (
  factor: number,
  envelope: Pick<Envelope.Envelope, "system" | "tools">,
  messages: ReadonlyArray<Message.Message>
): number =>
  Math.ceil(
    factor *
      messages.reduce(
        (sum, message) => sum + sizeOf(message),
        encode(`${envelope.system ?? ""}${envelope.tools === undefined ? "" : JSON.stringify(envelope.tools)}`).length +
          3
      )
  )

export interface Seen {
  readonly request: ModelRequest
  readonly turn: number
  readonly size: number
  readonly refused: boolean
}

export type Answer = ReadonlyArray<Part>

export interface Provider {
  readonly seen: ReadonlyArray<Seen>
  readonly beginTurn: (answers: ReadonlyArray<Answer>) => void
  readonly layer: Layer.Layer<ModelAdapter>
}

const done: Answer = [
  { type: "text-delta", delta: "Done." },
  { type: "finish", reason: "stop" }
]

export const make = (plan: Plan): Provider => {
  const seen: Array<Seen> = []
  let turn = -1
  let answers: Array<Answer> = []
  const answerTo = (request: ModelRequest): Effect.Effect<Answer, ModelError> =>
    Effect.suspend(() => {
      const size = counted(plan.factor, request.envelope, request.messages)
      const refused = size > plan.window && !plan.truncates
      seen.push({ request, turn, size, refused })
      if (refused) {
        return new ContextWindowExceeded({
          route,
          detail: "too long",
          ...(plan.states.limit ? { limit: plan.window, limitCounts: "input" as const } : {}),
          ...(plan.states.requested ? { requested: size } : {})
        })
      }
      const answer = answers.shift() ?? done
      if (!plan.reportsUsage) return Effect.succeed(answer)
      const usage = { inputTokens: Math.min(size, plan.window), outputTokens: 5 }
      return Effect.succeed(answer.map((part) => (part.type === "finish" ? { ...part, usage } : part)))
    })
  return {
    seen,
    beginTurn: (next) => {
      turn++
      answers = [...next]
    },
    layer: Layer.succeed(ModelAdapter, {
      stream: (request) => Stream.unwrap(Effect.map(answerTo(request), Stream.fromIterable)),
      modelInfo: () =>
        Effect.succeed(
          plan.told === undefined ? Option.none() : Option.some({ window: plan.told, source: "explicit" as const })
        )
    })
  }
}
