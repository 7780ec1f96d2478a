/**
 * How an adapter reaches its server: the client, the headers of each request, and what in them is secret.
 *
 * @since 0.1.0
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

/**
 * @since 0.1.0
 * @category models
 */
export interface ConnectionOptions {
  readonly apiKey?: Redacted.Redacted
  /** Sent with each request. What is secret in them is `Redacted`. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>>
  /** How long the connection may be silent; 5 minutes by default. Comments that keep it alive count as a sign. */
  readonly idleTimeout?: Duration.DurationInput
}

/**
 * @since 0.1.0
 * @category models
 */
export interface HttpConnection {
  /** A response lives as long as the scope that its request is made in. */
  readonly client: HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope>
  /** By names in lower case; with the key, so only for the request itself. */
  readonly headers: Readonly<Record<string, string>>
  /** What no error may show. */
  readonly secrets: ReadonlyArray<string>
  readonly idleTimeout: Duration.DurationInput
}

const reveal = (value: string | Redacted.Redacted) => (Redacted.isRedacted(value) ? Redacted.value(value) : value)

/**
 * `keyHeaders` are the headers that carry the key, and go before the options' own.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (
  { apiKey, headers = {}, idleTimeout = "5 minutes" }: ConnectionOptions,
  keyHeaders: (apiKey: string) => Readonly<Record<string, string>>
) {
  const connection: HttpConnection = {
    // the client's own span would hold the headers, and the error that ended it the request
    client: HttpClient.withScope(HttpClient.withTracerDisabledWhen(yield* HttpClient.HttpClient, () => true)),
    headers: {
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), reveal(value)])),
      ...(apiKey === undefined ? {} : keyHeaders(Redacted.value(apiKey)))
    },
    secrets: [apiKey, ...Object.values(headers)].flatMap((value) =>
      Redacted.isRedacted(value) ? [String(Redacted.value(value))] : []
    ),
    idleTimeout
  }
  return connection
})
