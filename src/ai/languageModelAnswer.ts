/**
 * Reads an answer of a `LanguageModel`: its stream's parts in, our parts or its error out. Pure but for its own state; one
 * decoder reads one answer.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Option from "effect/Option"
import { classify, type Evidence } from "../errors/classify.ts"
import * as Errors from "../errors/ModelError.ts"
import type { Part } from "../services/ModelAdapter.ts"
import type { FinishReason } from "../session/SessionEvent.ts"
import { howToKnow, overflowIn } from "./aiFailure.ts"
import { usageOf } from "./aiUsage.ts"
import type { Notes } from "./HttpEvidence.ts"
import type { ErrorContext } from "./modelErrors.ts"
import { opaque } from "./promptDecode.ts"
import { callsMetadata } from "./promptKept.ts"
import { decodeSeal } from "./promptSeal.ts"
import { isStoredElsewhere, mergedMetadata, optionsFrom, withoutItemId } from "./responseParts.ts"

/**
 * What came of one part. `failure`: the answer is an error, and nothing after it counts.
 *
 * @since 0.1.0
 * @category models
 */
export interface Decoded {
  readonly parts: ReadonlyArray<Part>
  readonly failure?: Errors.ModelError
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content-filter",
  "tool-calls": "tool-calls"
}

/** The seal of a block whose provider keeps the rest of it is none: it would be refused once it is gone there. */
const sealOf = (options: Prompt.ProviderOptions) =>
  decodeSeal(isStoredElsewhere(options) ? withoutItemId(options) : options)

const nothing: Decoded = { parts: [] }

const commonOf = (
  part: Response.ToolCallPart<string, unknown> | Response.ToolResultPart<string, unknown, unknown>
) => ({
  id: part.id,
  name: part.name,
  providerExecuted: true,
  options: optionsFrom(part.metadata)
})

/**
 * `notes` are looked at when an error comes, since what the provider said over HTTP is known by then.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (context: Omit<ErrorContext, "noted" | "now">, notes: Notes) => {
  const reasoning = new Map<string, Response.ProviderMetadata>()
  const calls: Record<string, Prompt.ProviderOptions> = {}
  let hasContent = false
  let hasReasoning = false
  let isStored = false
  let finished = false

  const learn = (id: string, metadata: Response.ProviderMetadata) =>
    reasoning.set(id, mergedMetadata(reasoning.get(id), metadata))

  const failed = (told: Pick<Evidence, "body" | "delivery">) =>
    classify({
      route: context.route,
      rows: context.rows,
      ...(context.maxOutputTokens === undefined ? {} : { maxOutputTokens: context.maxOutputTokens }),
      ...(notes.newest ?? told)
    })

  const finish = (part: Response.FinishPart): Decoded => {
    finished = true
    const { route } = context
    if (Option.isSome(overflowIn(part, notes.newest, context))) {
      return {
        parts: [],
        failure: failed({ body: { stop_reason: "model_context_window_exceeded" }, delivery: "finish-reason" })
      }
    }
    if (notes.newest !== undefined && !hasContent) return { parts: [], failure: failed(notes.newest) }
    const reason = finishReasons[part.reason] ?? "unknown"
    const usage = usageOf(part)
    if (!hasContent) {
      if (reason === "content-filter") {
        return { parts: [], failure: new Errors.ContentFiltered({ route, detail: "the answer was filtered" }) }
      }
      if (reason !== "length") {
        const detail = hasReasoning ? "reasoning, and no content" : "no content"
        return { parts: [], failure: new Errors.EmptyResponse({ route, detail }) }
      }
    }
    const metadata = callsMetadata(isStored ? mapped(calls, withoutItemId) : calls)
    return {
      parts: [
        {
          type: "finish",
          reason,
          ...(usage === undefined ? {} : { usage }),
          ...(metadata === undefined ? {} : { metadata })
        }
      ]
    }
  }

  /** What ran at the provider's is nothing to run here, and goes back in its place. */
  const executed = (part: Prompt.ToolCallPart | Prompt.ToolResultPart): Decoded => ({
    parts: [{ ...opaque(part).block, provider: context.route.provider }]
  })

  const part = (part: Response.StreamPart<never> | Response.AnyPart): Decoded => {
    switch (part.type) {
      case "text-delta":
        if (part.delta !== "") hasContent = true
        return { parts: [{ type: "text-delta", delta: part.delta }] }
      case "reasoning-start":
        learn(part.id, part.metadata)
        return nothing
      case "reasoning-delta":
        learn(part.id, part.metadata)
        hasReasoning = true
        return { parts: [{ type: "reasoning-delta", delta: part.delta }] }
      case "reasoning-end": {
        learn(part.id, part.metadata)
        const options = optionsFrom(reasoning.get(part.id) ?? {})
        isStored = isStored || isStoredElsewhere(options)
        return { parts: [{ type: "reasoning-end", ...sealOf(options), provider: context.route.provider }] }
      }
      case "tool-call": {
        hasContent = true
        if (part.providerExecuted) {
          return executed(Prompt.makePart("tool-call", { ...commonOf(part), params: part.params as unknown }))
        }
        const options = optionsFrom(part.metadata)
        if (Object.keys(options).length > 0) calls[part.id] = options
        return { parts: [{ type: "tool-call", id: part.id, name: part.name, arguments: part.params }] }
      }
      case "tool-result":
        return part.providerExecuted
          ? executed(
              Prompt.makePart("tool-result", {
                ...commonOf(part),
                isFailure: part.isFailure,
                result: part.encodedResult as unknown
              })
            )
          : nothing
      case "error":
        return { parts: [], failure: failed({ body: part.error, delivery: "sse-error" }) }
      case "finish":
        return finish(part)
      default:
        return nothing
    }
  }

  /** An answer that just ends is none. */
  const end = (): Errors.ModelError | undefined => {
    if (finished) return undefined
    const detail = `the stream ended without a finish part${howToKnow(notes)}`
    return notes.newest === undefined
      ? new Errors.MalformedResponse({ route: context.route, detail })
      : failed(notes.newest)
  }

  return { part, end }
}

const mapped = <A, B>(fields: Readonly<Record<string, A>>, to: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, to(value)]))
