import * as Option from "effect/Option"
import type { OverflowSign } from "../compaction/rescue.ts"
import type { Row } from "../errors/classifierRow.ts"
import { classify, judge, type Verdict } from "../errors/classify.ts"
import { ContextWindowExceeded, isModelError, type ModelError, PayloadTooLarge } from "../errors/ModelError.ts"
import * as Route from "../session/Route.ts"

const numbersOf = (figures: { readonly [K in keyof OverflowSign]?: OverflowSign[K] | undefined }): OverflowSign => ({
  ...(figures.limit === undefined ? {} : { limit: figures.limit }),
  ...(figures.limitCounts === undefined ? {} : { limitCounts: figures.limitCounts }),
  ...(figures.requested === undefined ? {} : { requested: figures.requested })
})

/** An error of somebody else's may have getters that throw. */
const fieldOf = (holder: unknown, name: string): unknown => {
  try {
    return (holder as Readonly<Record<string, unknown>> | null | undefined)?.[name]
  } catch {
    return undefined
  }
}

const statusOf = (error: unknown): number | undefined => {
  for (const holder of [error, fieldOf(error, "response")]) {
    for (const name of ["status", "statusCode"]) {
      const value = fieldOf(holder, name)
      if (typeof value === "number") return value
    }
  }
  return undefined
}

const tooManyBytes: OverflowSign = { unit: "bytes" }

/** What a verdict of the classifier says of the request that was refused. */
export const signOf = ({ input, limit, limitCounts, tag }: Verdict): Option.Option<OverflowSign> => {
  if (tag === "PayloadTooLarge") return Option.some(tooManyBytes)
  return tag === "ContextWindowExceeded"
    ? Option.some(numbersOf({ limit, limitCounts, requested: input }))
    : Option.none()
}

/**
 * Whether an error says that this very request was too long, or had too many bytes. One of ours says so by its tag, and only for the route that
 * was asked (an overflow of another model's request is not ours to rescue); one of a client that we do not know is read by
 * the classifier's table, the application's own rows first.
 */
export const overflowSign = (
  error: unknown,
  route: Route.Route,
  rows: ReadonlyArray<Row>
): Option.Option<OverflowSign> => {
  if (error instanceof ContextWindowExceeded || error instanceof PayloadTooLarge) {
    if (!Route.equals(error.route, route)) return Option.none()
    return Option.some(error instanceof PayloadTooLarge ? tooManyBytes : numbersOf(error))
  }
  // an adapter has judged it by all that the provider said, and the error holds an excerpt only
  if (typeof error !== "object" || error === null || isModelError(error)) return Option.none()
  const status = statusOf(error)
  return signOf(judge({ route, body: error, delivery: "thrown", rows, ...(status === undefined ? {} : { status }) }))
}

/** What clients and gateways write where a refusal came without a body. */
const wordless = /^\W*(?:(?:api|http|status|code|error|bad request|no body|null|\d{3})\W*)*$/i

/** Errors behind which an overflow may hide: an empty answer, and a refusal that says nothing. */
const mayHide = ({ _tag, detail, status }: ModelError): boolean => {
  if (_tag === "EmptyResponse") return true
  const isRefusal = _tag === "InvalidRequest" || _tag === "PayloadTooLarge" || _tag === "ProviderError"
  return isRefusal && (status === 400 || status === 413) && wordless.test(detail)
}

/**
 * Whether an error that does not say so is one of a request that was too long, if that request filled the window: nothing
 * in it speaks for anything else. Read as `overflowSign` reads it.
 */
export const mayBeOverflow = (error: unknown, route: Route.Route, rows: ReadonlyArray<Row>): boolean => {
  if (isModelError(error)) return Route.equals(error.route, route) && mayHide(error)
  if (typeof error !== "object" || error === null) return false
  const status = statusOf(error)
  return mayHide(
    classify({ route, body: error, delivery: "thrown", rows, ...(status === undefined ? {} : { status }) })
  )
}
