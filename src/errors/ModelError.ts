/**
 * What may go wrong with one model request, whatever the provider.
 *
 * Every error carries a stable `code`, the route, and where the provider gave them the HTTP status, its own id of the
 * request, and an excerpt of what it said (`detail`, at most 500 characters). None holds the request or its headers: an
 * HTTP client's error shows the API key when it is printed.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { exactOptional } from "../session/exactOptional.ts"
import * as Route from "../session/Route.ts"

const common = {
  route: Route.Route,
  status: exactOptional(Schema.Int),
  requestId: exactOptional(Schema.String),
  detail: Schema.String
}

const said = (
  error: { readonly route: Route.Route; readonly status?: number; readonly detail: string },
  what: string
) =>
  `${Route.format(error.route)} ${what}${error.status === undefined ? "" : ` (status ${error.status})`}${
    error.detail === "" ? "" : `: ${error.detail}`
  }`

/**
 * The request does not fit the model's context window. `limit` and `requested` are tokens, as the provider stated them;
 * `limitCounts` says whether the stated limit is of the input alone or of input and output together.
 *
 * @since 0.1.0
 * @category errors
 */
export class ContextWindowExceeded extends Schema.TaggedError<ContextWindowExceeded>(
  "effect-compaction/errors/ContextWindowExceeded"
)("ContextWindowExceeded", {
  ...common,
  limit: exactOptional(Schema.Number),
  limitCounts: exactOptional(Schema.Literal("input", "input-and-output")),
  requested: exactOptional(Schema.Number)
}) {
  readonly code = "CONTEXT_WINDOW_EXCEEDED"
  override get message(): string {
    const numbers = [
      this.requested === undefined ? undefined : `${this.requested} tokens requested`,
      this.limit === undefined ? undefined : `limit ${this.limit}`
    ].filter((part) => part !== undefined)
    return said(this, `refused the request as too long${numbers.length === 0 ? "" : ` (${numbers.join(", ")})`}`)
  }
}

/**
 * Too many requests or tokens for now. `retryAfter` is milliseconds. `neverFits`: this one request is larger than the
 * whole limit, so that waiting cannot help.
 *
 * @since 0.1.0
 * @category errors
 */
export class RateLimited extends Schema.TaggedError<RateLimited>("effect-compaction/errors/RateLimited")(
  "RateLimited",
  {
    ...common,
    retryAfter: exactOptional(Schema.Number),
    limit: exactOptional(Schema.Number),
    requested: exactOptional(Schema.Number),
    neverFits: exactOptional(Schema.Boolean)
  }
) {
  readonly code = "RATE_LIMITED"
  override get message(): string {
    return said(this, this.neverFits === true ? "can never serve a request of this size" : "is rate limited")
  }
}

/**
 * @since 0.1.0
 * @category errors
 */
export class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>("effect-compaction/errors/QuotaExceeded")(
  "QuotaExceeded",
  common
) {
  readonly code = "QUOTA_EXCEEDED"
  override get message(): string {
    return said(this, "reports that the account's quota or credit is used up")
  }
}

/**
 * @since 0.1.0
 * @category errors
 */
export class AuthenticationFailed extends Schema.TaggedError<AuthenticationFailed>(
  "effect-compaction/errors/AuthenticationFailed"
)("AuthenticationFailed", common) {
  readonly code = "AUTHENTICATION_FAILED"
  override get message(): string {
    return said(this, "did not accept the API key, or the key may not use this model")
  }
}

/**
 * @since 0.1.0
 * @category errors
 */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>("effect-compaction/errors/InvalidRequest")(
  "InvalidRequest",
  common
) {
  readonly code = "INVALID_REQUEST"
  override get message(): string {
    return said(this, "refused the request as invalid")
  }
}

/**
 * The request asks for more output than the model gives.
 *
 * @since 0.1.0
 * @category errors
 */
export class OutputLimitExceeded extends Schema.TaggedError<OutputLimitExceeded>(
  "effect-compaction/errors/OutputLimitExceeded"
)("OutputLimitExceeded", { ...common, limit: exactOptional(Schema.Number), requested: exactOptional(Schema.Number) }) {
  readonly code = "OUTPUT_LIMIT_EXCEEDED"
  override get message(): string {
    return said(this, "refused the request's output limit")
  }
}

/**
 * The request has too many bytes; tokens have nothing to do with it.
 *
 * @since 0.1.0
 * @category errors
 */
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>("effect-compaction/errors/PayloadTooLarge")(
  "PayloadTooLarge",
  common
) {
  readonly code = "PAYLOAD_TOO_LARGE"
  override get message(): string {
    return said(this, "refused the request's size in bytes")
  }
}

/**
 * @since 0.1.0
 * @category errors
 */
export class ContentFiltered extends Schema.TaggedError<ContentFiltered>("effect-compaction/errors/ContentFiltered")(
  "ContentFiltered",
  common
) {
  readonly code = "CONTENT_FILTERED"
  override get message(): string {
    return said(this, "filtered the content")
  }
}

/**
 * The provider cannot serve now: an overload, a server error, a broken connection.
 *
 * @since 0.1.0
 * @category errors
 */
export class ProviderUnavailable extends Schema.TaggedError<ProviderUnavailable>(
  "effect-compaction/errors/ProviderUnavailable"
)("ProviderUnavailable", { ...common, retryAfter: exactOptional(Schema.Number) }) {
  readonly code = "PROVIDER_UNAVAILABLE"
  override get message(): string {
    return said(this, "is unavailable")
  }
}

/**
 * @since 0.1.0
 * @category errors
 */
export class ProviderTimeout extends Schema.TaggedError<ProviderTimeout>("effect-compaction/errors/ProviderTimeout")(
  "ProviderTimeout",
  common
) {
  readonly code = "PROVIDER_TIMEOUT"
  override get message(): string {
    return said(this, "did not answer in time")
  }
}

/**
 * The provider's answer is not of the form that it should have; a stream that just ends is one.
 *
 * @since 0.1.0
 * @category errors
 */
export class MalformedResponse extends Schema.TaggedError<MalformedResponse>(
  "effect-compaction/errors/MalformedResponse"
)("MalformedResponse", common) {
  readonly code = "MALFORMED_RESPONSE"
  override get message(): string {
    return said(this, "sent an answer that cannot be read")
  }
}

/**
 * A finished answer without any content.
 *
 * @since 0.1.0
 * @category errors
 */
export class EmptyResponse extends Schema.TaggedError<EmptyResponse>("effect-compaction/errors/EmptyResponse")(
  "EmptyResponse",
  common
) {
  readonly code = "EMPTY_RESPONSE"
  override get message(): string {
    return said(this, "sent an empty answer")
  }
}

/**
 * An error that cannot be placed.
 *
 * @since 0.1.0
 * @category errors
 */
export class ProviderError extends Schema.TaggedError<ProviderError>("effect-compaction/errors/ProviderError")(
  "ProviderError",
  common
) {
  readonly code = "PROVIDER_ERROR"
  override get message(): string {
    return said(this, "failed")
  }
}

/**
 * @since 0.1.0
 * @category errors
 */
export const ModelError = Schema.Union(
  ContextWindowExceeded,
  RateLimited,
  QuotaExceeded,
  AuthenticationFailed,
  InvalidRequest,
  OutputLimitExceeded,
  PayloadTooLarge,
  ContentFiltered,
  ProviderUnavailable,
  ProviderTimeout,
  MalformedResponse,
  EmptyResponse,
  ProviderError
)

/**
 * Any way in which a model request can fail.
 *
 * @since 0.1.0
 * @category errors
 */
export type ModelError = typeof ModelError.Type

/**
 * @since 0.1.0
 * @category predicates
 */
export const isModelError: (u: unknown) => u is ModelError = Schema.is(ModelError)
