import * as AiError from "@effect/ai/AiError"
import type * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as CompactingChat from "../../src/ai/CompactingChat.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as scripted from "./scriptedModel.ts"

export const summarizer = Summarizer.layerWith(() => Effect.succeed("what was said"))

/** A chat of this id, as one process has it. */
export const inChat = <A, E, R>(
  use: (chat: CompactingChat.Service) => Effect.Effect<A, E, R>,
  options: CompactingChat.OpenOptions = {}
) => Effect.scoped(Effect.flatMap(CompactingChat.open("c", { summarizer, ...options }), use))

/** What outlives a process: the log; and the script of the model. */
export const world: Layer.Layer<LogStore.LogStore | LanguageModel.LanguageModel | scripted.ScriptedModel> = Layer.merge(
  LogStore.layerMemory,
  scripted.layer
)

export const script = (...lines: ReadonlyArray<scripted.Line>) =>
  Effect.flatMap(scripted.ScriptedModel, (model) => model.next(...lines))

const textOf = (message: Prompt.Message): string => {
  if (typeof message.content === "string") return message.content
  return message.content
    .map((part) => {
      switch (part.type) {
        case "text":
        case "reasoning":
          return part.text
        case "tool-call":
          return `call ${part.id}`
        case "tool-result":
          return `result ${part.id}: ${JSON.stringify(part.result)}`
        default:
          return part.type
      }
    })
    .join(" | ")
}

/** A conversation as lines: the first letter of the role, and what was said. */
export const lines = ({ content }: Prompt.Prompt): ReadonlyArray<string> =>
  content.map((message) => `${message.role[0]}: ${textOf(message)}`)

export const historyOf = (chat: CompactingChat.Service) => Effect.map(Ref.get(chat.history), lines)

/** What the newest request asked. */
export const lastAsked = Effect.flatMap(scripted.ScriptedModel, (model) =>
  Effect.map(model.asked, (asked) => lines(asked.at(-1)!.prompt))
)

export const refusal = (body: string, status = 400) =>
  new AiError.HttpResponseError({
    module: "M",
    method: "m",
    reason: "StatusCode",
    request: { method: "POST", url: "http://localhost", urlParams: [], hash: Option.none(), headers: {} },
    response: { status, headers: {} },
    body
  })

export const tooLong = refusal('{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}')
export const unavailable = refusal('{"error":{"message":"overloaded"}}', 529)
