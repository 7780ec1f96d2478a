/**
 * Reads what a `LanguageModel` failed with, or ended its answer with, as evidence for the classifier.
 *
 * @since 0.1.0
 */
import * as AiError from "@effect/ai/AiError"
import type * as Response from "@effect/ai/Response"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import type { OverflowSign } from "../compaction/rescue.ts"
import { excerpt } from "../errors/classify.ts"
import * as ErrorBody from "../errors/errorBody.ts"
import { type Evidence, judge } from "../errors/judge.ts"
import { signOf } from "../layers/overflowSign.ts"
import type { Noted, Notes } from "./HttpEvidence.ts"
import { failureIn } from "./providerWords.ts"

/**
 * How an error came to be known, without the route.
 *
 * @since 0.1.0
 * @category models
 */
export type Told = Pick<Evidence, "status" | "body" | "delivery">

/**
 * What the answer would have been that its package could not decode: the error of a provider that the package has no schema
 * for stands in it. Only the fields of a failure are looked at, since the rest is what the model wrote.
 */
const undecoded = (cause: unknown): Told | undefined => {
  if (!ParseResult.isParseError(cause)) return undefined
  let left = 200
  const search = (issue: ParseResult.ParseIssue): Told | undefined => {
    if (left-- <= 0) return undefined
    const failure = failureIn(issue.actual)
    if (failure !== undefined) return { body: failure.body, delivery: failure.finish ? "finish-reason" : "thrown" }
    if ("issue" in issue) return search(issue.issue)
    if (!("issues" in issue)) return undefined
    const inner = "_tag" in issue.issues ? [issue.issues] : issue.issues
    for (const each of inner) {
      const found = search(each)
      if (found !== undefined) return found
    }
    return undefined
  }
  return search(cause.issue)
}

/**
 * What an error of Effect AI says by itself. Undefined: nothing of the provider. What `LanguageModel` itself says of an
 * answer that it could not use is the model's words and not the provider's.
 *
 * @since 0.1.0
 * @category getters
 */
export const toldBy = (error: AiError.AiError): Told | undefined => {
  switch (error._tag) {
    case "HttpResponseError":
      return error.response.status < 400
        ? undefined
        : { status: error.response.status, body: error.body ?? error.description, delivery: "http" }
    case "MalformedOutput":
      return error.module === "LanguageModel" ? undefined : undecoded(error.cause)
    case "MalformedInput":
    case "UnknownError":
      return { body: { message: error.description, cause: error.cause }, delivery: "thrown" }
    case "HttpRequestError":
      return undefined
  }
}

/**
 * Whether this is an overflow of the request. What was noted over HTTP is believed over what the package made of it.
 *
 * @since 0.1.0
 * @category getters
 */
export const overflowOf = (
  error: unknown,
  noted: Noted | undefined,
  by: Pick<Evidence, "route" | "rows">
): Option.Option<OverflowSign> => {
  if (!AiError.isAiError(error)) return Option.none()
  const told = noted ?? toldBy(error)
  return told === undefined ? Option.none() : signOf(judge({ ...by, ...told }))
}

/** Parts that are no content: what comes before one can be taken back. */
const silent = new Set<Response.AnyPart["type"]>(["response-metadata", "finish", "error"])

/**
 * @since 0.1.0
 * @category predicates
 */
export const isContent = (part: Response.AnyPart): boolean => !silent.has(part.type)

/**
 * Whether a part says that the request was too long: an error, or an answer that ended because the window was full.
 *
 * @since 0.1.0
 * @category getters
 */
export const overflowIn = (
  part: Response.AnyPart,
  noted: Noted | undefined,
  by: Pick<Evidence, "route" | "rows">
): Option.Option<OverflowSign> => {
  if (part.type === "error") return signOf(judge({ ...by, ...(noted ?? { body: part.error, delivery: "sse-error" }) }))
  if (part.type !== "finish") return Option.none()
  if (noted !== undefined) return signOf(judge({ ...by, ...noted }))
  // the package of Anthropic maps each reason to stop but this one
  return part.reason === "unknown" && anthropicUsage(part) !== undefined
    ? signOf(judge({ ...by, body: { stop_reason: "model_context_window_exceeded" }, delivery: "finish-reason" }))
    : Option.none()
}

/** The provider's own count, which the package of Anthropic hands on beside the one of Effect AI. */
export const anthropicUsage = ({
  metadata
}: Pick<Response.FinishPart, "metadata">): Readonly<Record<string, unknown>> | undefined => {
  const usage = (metadata as { readonly anthropic?: { readonly usage?: unknown } } | undefined)?.anthropic?.usage
  return typeof usage === "object" && usage !== null ? (usage as Readonly<Record<string, unknown>>) : undefined
}

/** A failed response of OpenAI comes out as an answer without content, that stopped, and for which nothing was counted. */
export const isEmptyAnswer = (finish: Response.FinishPart): boolean =>
  !(Number(finish.usage.inputTokens) > 0) && !(Number(finish.usage.outputTokens) > 0)

/** What a developer may do who wants to know why an answer just ended. */
export const howToKnow = ({ watched }: Notes): string =>
  watched ? "" : "; its package may hide why: HttpEvidence.layer under the provider's client tells it"

/**
 * The failure of an answer that ended without saying so.
 *
 * @since 0.1.0
 * @category constructors
 */
export const endedSilently = (method: string, how: "no-finish" | "empty", notes: Notes): AiError.AiError => {
  const said = notes.newest === undefined ? "" : excerpt(ErrorBody.read(notes.newest.body).texts.join(" "))
  return said === ""
    ? new AiError.MalformedOutput({
        module: "Guarded",
        method,
        description:
          (how === "empty"
            ? "The answer is empty and nothing was counted for it: the provider failed, and said nothing that could be read"
            : "The answer ended without a finish part: the connection broke, or the provider failed and said nothing that could be read") +
          howToKnow(notes)
      })
    : new AiError.UnknownError({ module: "Guarded", method, description: `The provider failed: ${said}` })
}
