/**
 * Makes our errors of what a `LanguageModel` fails with.
 *
 * @since 0.1.0
 */
import type * as AiError from "@effect/ai/AiError"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type { Row } from "../errors/classifierRow.ts"
import { classify, excerpt } from "../errors/classify.ts"
import * as Errors from "../errors/ModelError.ts"
import { fromClient, retryAfter } from "../layers/adapters/httpFailure.ts"
import type { Route } from "../session/Route.ts"
import { toldBy } from "./aiFailure.ts"
import type { Noted } from "./HttpEvidence.ts"

/**
 * What is known beside the error. `noted`: what the provider said over HTTP, which a package may hide; `now` is epoch
 * milliseconds.
 *
 * @since 0.1.0
 * @category models
 */
export interface ErrorContext {
  readonly route: Route
  readonly rows: ReadonlyArray<Row>
  readonly maxOutputTokens?: number
  readonly noted: Noted | undefined
  readonly now: number
}

const said = (
  error: { readonly description?: string | undefined; readonly cause?: unknown },
  otherwise: string
): string => {
  const cause = error.cause instanceof Error ? error.cause.message : undefined
  return excerpt([error.description, cause].filter((text) => text !== undefined && text !== "").join(": ") || otherwise)
}

/** An error that tells nothing of the provider's: the connection, the request as the package made it, its answer. */
const untold = (error: AiError.AiError, route: Route): Errors.ModelError => {
  switch (error._tag) {
    case "HttpRequestError": {
      if (HttpClientError.isHttpClientError(error.cause)) {
        return fromClient(error.cause as HttpClientError.HttpClientError, { route, secrets: [], inside: false })
      }
      const common = { route, detail: said(error, `no connection (${error.reason})`) }
      return error.reason === "Transport" ? new Errors.ProviderUnavailable(common) : new Errors.InvalidRequest(common)
    }
    case "HttpResponseError":
      return error.reason === "EmptyBody"
        ? new Errors.MalformedResponse({ route, status: error.response.status, detail: "an answer without a body" })
        : new Errors.ProviderUnavailable({ route, detail: said(error, "the connection broke while the answer came") })
    case "MalformedInput":
      return new Errors.InvalidRequest({ route, detail: said(error, "the request could not be made") })
    case "MalformedOutput":
    case "UnknownError":
      return new Errors.MalformedResponse({ route, detail: said(error, "the answer could not be read") })
  }
}

/**
 * The error of ours that an error of Effect AI is, by what the provider said of it.
 *
 * @since 0.1.0
 * @category conversions
 */
export const modelErrorOf = (
  error: AiError.AiError,
  { maxOutputTokens, noted, now, route, rows }: ErrorContext
): Errors.ModelError => {
  const told = noted ?? toldBy(error)
  if (told === undefined) return untold(error, route)
  const wait = error._tag === "HttpResponseError" ? retryAfter(error.response.headers, now) : undefined
  const judged = classify({
    route,
    rows,
    ...told,
    ...(wait === undefined ? {} : { retryAfter: wait }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens })
  })
  // what the package says of the request itself is no words of a provider
  return error._tag === "MalformedInput" && judged._tag === "ProviderError" ? untold(error, route) : judged
}
