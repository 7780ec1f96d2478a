/**
 * Summaries by a `LanguageModel`, asked without tools.
 *
 * @since 0.1.0
 */
import type * as AiError from "@effect/ai/AiError"
import type * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { argumentsText } from "../compaction/sends.ts"
import { SummaryFailed } from "../errors/CompactionError.ts"
import type { Evidence } from "../errors/judge.ts"
import type { Summary, SummaryRequest, Summarizer } from "../services/Summarizer.ts"
import * as Message from "../session/Message.ts"
import type { FinishReason } from "../session/SessionEvent.ts"
import * as aiFailure from "./aiFailure.ts"
import { usageOf } from "./aiUsage.ts"
import { CurrentNotes, makeNotes, type Noted } from "./HttpEvidence.ts"
import { modelErrorOf } from "./modelErrors.ts"
import * as PromptMessage from "./PromptMessage.ts"

/**
 * Calls and results as texts: a provider refuses those of tools that the request does not offer, and a model that is offered
 * none cannot call any.
 */
const withoutTools = (message: Message.Message): Message.Message => {
  const said = message.content.flatMap((block): ReadonlyArray<Message.Block> => {
    switch (block.type) {
      case "tool-call":
        return [Message.textBlock(`[called the tool "${block.name}" with ${argumentsText(block.arguments)}]`)]
      case "tool-result":
        return [Message.textBlock(`[result of the tool "${block.name}"]`), ...block.content]
      // only its own provider can read it, and only where it stood
      case "reasoning":
      case "unknown":
        return []
      default:
        return [block]
    }
  })
  return message.role === "assistant" ? Message.assistant(said) : Message.user(said)
}

const promptOf = ({ envelope, instruction, span }: SummaryRequest): Prompt.Prompt =>
  PromptMessage.begunByUser(
    PromptMessage.encode({
      ...(envelope.system === undefined ? {} : { system: envelope.system }),
      messages: [...span.map(withoutTools).filter(({ content }) => content.length > 0), Message.user(instruction)]
    })
  )

const finishes: Readonly<Record<Response.FinishReason, FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content-filter",
  "tool-calls": "tool-calls",
  error: "unknown",
  pause: "unknown",
  other: "unknown",
  unknown: "unknown"
}

/** Its detail goes into logs: an error's own message may show the headers of the request, and all of a long body. */
const failed = (error: AiError.AiError, noted: Noted | undefined, by: Required<Pick<Evidence, "route" | "rows">>) => {
  const { detail } = modelErrorOf(error, { ...by, noted, now: 0 })
  return Option.match(aiFailure.overflowOf(error, noted, by), {
    onNone: () => new SummaryFailed({ reason: "model", detail }),
    onSome: ({ limit, unit }) =>
      new SummaryFailed({
        reason: unit === "bytes" ? "payload-too-large" : "overflow",
        detail,
        ...(limit === undefined ? {} : { limit })
      })
  })
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (model: LanguageModel.Service, rows: NonNullable<Evidence["rows"]>): typeof Summarizer.Service => ({
  bounded: true,
  headings: true,
  summarize: (request) =>
    Effect.suspend(() => {
      const notes = makeNotes()
      const { route } = request.envelope
      return model.generateText({ prompt: promptOf(request) }).pipe(
        Effect.provideService(CurrentNotes, notes),
        Effect.mapError((error) => failed(error, notes.newest, { route, rows })),
        Effect.map((response): Summary => {
          const finish = response.content.find((part) => part.type === "finish")
          const usage = finish === undefined ? undefined : usageOf(finish)
          return {
            text: response.text,
            route,
            finish: finishes[response.finishReason],
            ...(usage === undefined ? {} : { usage }),
            ...(response.reasoning.length === 0 ? {} : { reasoning: true })
          }
        })
      )
    })
})
