/**
 * Makes our errors of what an HTTP client fails with. Nothing of the client's error is kept but a description: printed
 * or serialised it shows the request's headers, the API key among them.
 *
 * @since 0.1.0
 */
import type * as HttpClientError from "@effect/platform/HttpClientError"
import { excerpt } from "../../errors/classify.ts"
import * as Errors from "../../errors/ModelError.ts"
import type { Route } from "../../session/Route.ts"

const timeoutCode = /timeout|ETIMEDOUT/i

/** The system's codes along the chain of causes. Their messages are left alone: one about a header quotes the header. */
const codesOf = (error: unknown): ReadonlyArray<string> => {
  const codes: Array<string> = []
  let cause = error
  for (let depth = 0; depth < 8 && typeof cause === "object" && cause !== null; depth++) {
    const { cause: inner, code, name } = cause as Record<string, unknown>
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code)) codes.push(code)
    else if (name === "TimeoutError") codes.push(name)
    cause = inner
  }
  return codes
}

/**
 * @since 0.1.0
 * @category conversions
 */
export const fromClient = (
  error: HttpClientError.HttpClientError,
  options: { readonly route: Route; readonly secrets: ReadonlyArray<string>; readonly inside: boolean }
): Errors.ModelError => {
  const codes = codesOf(error.cause)
  const said = [error.description, ...codes].filter((text) => text !== undefined && text !== "").join(", ")
  const what = options.inside ? "the connection broke while the answer came" : "no connection"
  const common = {
    route: options.route,
    detail: excerpt(said === "" ? `${what} (${error.reason})` : `${what}: ${said}`, options.secrets)
  }
  if (error.reason === "InvalidUrl" || error.reason === "Encode") return new Errors.InvalidRequest(common)
  return codes.some((code) => timeoutCode.test(code))
    ? new Errors.ProviderTimeout(common)
    : new Errors.ProviderUnavailable(common)
}

const isFigure = (text: string): boolean => /^\d+(\.\d+)?$/.test(text)

/** A header may have more digits than a number, and no JSON has infinity. */
const whole = (milliseconds: number): number => Math.min(Math.ceil(milliseconds), Number.MAX_SAFE_INTEGER)

/** A date names its month or has colons in its time: `Date.parse` takes `-5` for one of the year 2001. */
const isDate = (text: string): boolean => /[a-z]{3}/i.test(text) || /\d:\d/.test(text)

/**
 * How long the headers of an answer ask to wait, milliseconds: `retry-after-ms`, or `retry-after` as seconds or as a
 * date. Undefined: they say nothing that can be read.
 *
 * @since 0.1.0
 * @category conversions
 */
export const retryAfter = (headers: Readonly<Record<string, string | undefined>>, now: number): number | undefined => {
  const inMilliseconds = headers["retry-after-ms"]?.trim()
  if (inMilliseconds !== undefined && isFigure(inMilliseconds)) return whole(Number(inMilliseconds))
  const value = headers["retry-after"]?.trim()
  if (value === undefined || value === "") return undefined
  if (isFigure(value)) return whole(Number(value) * 1000)
  const date = isDate(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
