/**
 * Says which of our errors a provider's answer is.
 *
 * An error that no row and no status places is a `ProviderError`: it is passed on as it is, never taken for an overflow
 * and never retried, so that a wording that nobody has seen yet costs an error message and not the user's history.
 *
 * @since 0.1.0
 */
import type { Route } from "../session/Route.ts"
import type { Delivery, Row } from "./classifierRow.ts"
import * as Rows from "./classifierRows.ts"
import * as ErrorBody from "./errorBody.ts"
import * as Errors from "./ModelError.ts"
import { overflowWordingRows } from "./overflowRows.ts"

/**
 * @since 0.1.0
 * @category models
 */
export type { Delivery, Row } from "./classifierRow.ts"

/**
 * `body` is anything: text, parsed JSON, something thrown. `retryAfter` is what the answer's headers said, milliseconds.
 * `maxOutputTokens` is the output that the request had asked for: some providers state only the sum. `secrets` are
 * taken out of whatever text gets into the error.
 *
 * @since 0.1.0
 * @category models
 */
export interface Evidence {
  readonly route: Route
  readonly status?: number
  readonly body: unknown
  readonly delivery: Delivery
  readonly requestId?: string
  readonly retryAfter?: number
  readonly maxOutputTokens?: number
  readonly secrets?: ReadonlyArray<string>
  /** Rows of the application's own, asked before ours. */
  readonly rows?: ReadonlyArray<Row>
}

/**
 * `requested` is the figure that the provider calls requested, output included where it does so; `input` are the tokens
 * of the request's input alone, where that is stated or can be told. `row` is null if no row matched.
 *
 * @since 0.1.0
 * @category models
 */
export interface Verdict {
  readonly tag: Errors.ModelError["_tag"]
  readonly row: string | null
  readonly why: string
  readonly limit?: number
  readonly limitCounts?: "input" | "input-and-output"
  readonly requested?: number
  readonly input?: number
}

const number = (text: string | undefined) => {
  if (text === undefined) return undefined
  const value = Number(text.replaceAll(",", ""))
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** Statuses under which a request is never too long, whatever the words. */
const neverOverflow = new Set([401, 402, 403, 404, 408, 429])

/** Words of a server that failed at its own work may mention the window without meaning this request. */
const mayBeOverflow = (row: Row, status: number | undefined, texts: string) =>
  status === undefined
    ? true
    : neverOverflow.has(status)
      ? false
      : status < 500 ||
        row.code !== undefined ||
        row.limitCounts !== undefined ||
        /exceeds? the available context/i.test(texts)

const statusTags: ReadonlyArray<readonly [(status: number) => boolean, Errors.ModelError["_tag"]]> = [
  [(status) => status === 401 || status === 403, "AuthenticationFailed"],
  [(status) => status === 402, "QuotaExceeded"],
  [(status) => status === 408 || status === 504, "ProviderTimeout"],
  [(status) => status === 413, "PayloadTooLarge"],
  [(status) => status === 429, "RateLimited"],
  [(status) => status >= 500, "ProviderUnavailable"],
  [(status) => status >= 400, "InvalidRequest"]
]

const allRows = [...Rows.codeRows, ...Rows.otherWordingRows, ...overflowWordingRows, ...Rows.lastWordingRows]

interface Match {
  readonly row: Row
  readonly words: RegExpExecArray | null
}

const matchRow = (row: Row, evidence: Evidence, body: ErrorBody.ErrorBody, texts: string): Match | undefined => {
  const { status } = evidence
  if (row.provider !== undefined && row.provider !== evidence.route.provider) return undefined
  if (row.delivery !== undefined && !row.delivery.includes(evidence.delivery)) return undefined
  if (row.status !== undefined && (status === undefined || !row.status.includes(status))) return undefined
  if (row.code !== undefined && !row.code.some((code) => body.codes.includes(code))) return undefined
  if (row.tag === "ContextWindowExceeded" && !mayBeOverflow(row, status, texts)) return undefined
  const words = row.wording === undefined ? null : row.wording.exec(texts)
  if (row.wording !== undefined && words === null) return undefined
  return row.veto !== undefined && row.veto.test(texts) ? undefined : { row, words }
}

/** A status that says it all is not overruled by a code or a word that may stand anywhere. */
const overruled = (tag: Errors.ModelError["_tag"], status: number | undefined) =>
  status === undefined
    ? false
    : status === 401
      ? tag !== "AuthenticationFailed"
      : status === 404
        ? tag !== "QuotaExceeded"
        : status === 429
          ? tag === "AuthenticationFailed" || tag === "PayloadTooLarge" || tag === "OutputLimitExceeded"
          : false

const figuresOf = ({ row, words }: Match, body: ErrorBody.ErrorBody, texts: string) => {
  const found: Record<string, number | undefined> = {}
  for (const groups of [words?.groups, ...(row.figures ?? []).map((figure) => figure.exec(texts)?.groups)]) {
    for (const name of Object.keys(groups ?? {})) {
      // a second group of the same meaning in one wording is numbered
      const key = name.replace(/\d$/, "")
      found[key] ??= number(groups?.[name])
    }
  }
  const limit = (row.limitField === undefined ? undefined : body.numbers.get(row.limitField)) ?? found["limit"]
  const stated = (row.inputField === undefined ? undefined : body.numbers.get(row.inputField)) ?? found["input"]
  const input = stated === undefined ? undefined : stated + (found["more"] ?? 0)
  return { limit, input, requested: found["requested"] ?? input }
}

/** The input where only a sum is stated: what the request asked for as output is known. */
const withoutOutput = (requested: number | undefined, counts: Row["limitCounts"], output: number | undefined) =>
  counts === "input-and-output" && requested !== undefined && output !== undefined && output < requested
    ? requested - output
    : requested

/** A code says what it is; the wording beside it says how much, and of what. */
const wordsOf = (texts: string): Match | undefined => {
  for (const row of overflowWordingRows) {
    const words = row.wording?.exec(texts) ?? null
    if (words !== null) return { row, words }
  }
  return undefined
}

/**
 * Judges and says why. `classify` makes an error of it.
 *
 * @since 0.1.0
 * @category getters
 */
export const judge = (evidence: Evidence): Verdict => judgeBody(evidence, ErrorBody.read(evidence.body))

/** An error under status 200 carries the status that it would have had, as a number in its body. */
const statusOf = (status: number | undefined, numbers: ErrorBody.ErrorBody["numbers"]) => {
  if (status !== undefined && status >= 400) return status
  const inner = ["code", "status", "status_code"].map((name) => numbers.get(name))
  return inner.find((code) => code !== undefined && code >= 400 && code < 600) ?? status
}

const judgeBody = (given: Evidence, body: ErrorBody.ErrorBody): Verdict => {
  const status = statusOf(given.status, body.numbers)
  const evidence: Evidence = status === undefined ? given : { ...given, status }
  const texts = body.texts.join("\n").slice(0, maxWords)
  for (const row of [...(evidence.rows ?? []), ...allRows]) {
    const match = matchRow(row, evidence, body, texts)
    if (match === undefined || overruled(row.tag, evidence.status)) continue
    const worded = row.tag === "ContextWindowExceeded" && row.code !== undefined ? wordsOf(texts) : undefined
    const own = figuresOf(match, body, texts)
    const said = worded === undefined ? own : figuresOf(worded, body, texts)
    const limit = said.limit ?? own.limit
    const requested = said.requested ?? own.requested
    const input = said.input ?? own.input
    const limitCounts = row.limitCounts ?? worded?.row.limitCounts
    const known = input ?? withoutOutput(requested, limitCounts, evidence.maxOutputTokens)
    return {
      tag: row.tag,
      row: row.id,
      why: row.code === undefined ? "its words" : "its code",
      ...(limit === undefined ? {} : { limit }),
      ...(limitCounts === undefined || limit === undefined ? {} : { limitCounts }),
      ...(requested === undefined ? {} : { requested }),
      ...(known === undefined ? {} : { input: known })
    }
  }
  const byStatus = status === undefined ? undefined : statusTags.find(([matches]) => matches(status))
  return byStatus === undefined
    ? { tag: "ProviderError", row: null, why: "nothing in it is known" }
    : { tag: byStatus[1], row: null, why: `its status ${status}` }
}

/** Providers say it in the first sentences; the bound keeps a hostile body cheap. */
const maxWords = 10_000

const detailLength = 500

/**
 * Takes secrets out of a text, and cuts it to what an error may carry.
 *
 * @since 0.1.0
 * @category conversions
 */
export const excerpt = (text: string, secrets: ReadonlyArray<string> = []): string => {
  let clean = text
  for (const secret of secrets) if (secret !== "") clean = clean.replaceAll(secret, "<redacted>")
  clean = clean.replace(/\s+/g, " ").trim()
  if (clean.length <= detailLength) return clean
  // not between the halves of a surrogate pair
  const end = /[\ud800-\udbff]/.test(clean[detailLength - 2] ?? "") ? detailLength - 2 : detailLength - 1
  return `${clean.slice(0, end)}…`
}

/** "in 120ms", "in 4.5s", "in 1m2s": how long the text asks to wait, milliseconds. */
const waitOf = (texts: string) => {
  const match = /(?:try again|retry) (?:in|after) (?:(\d+)m(?!s))?\s?(?:(\d+(?:\.\d+)?) ?(ms|s))?/i.exec(texts)
  const minutes = Number(match?.[1] ?? 0)
  const rest = Number(match?.[2] ?? 0) * (match?.[3]?.toLowerCase() === "ms" ? 1 : 1000)
  return match === null || minutes * 60_000 + rest === 0 ? undefined : Math.ceil(minutes * 60_000 + rest)
}

const textOf = (body: unknown) => (typeof body === "string" ? body : "")

/**
 * Never throws, takes time linear in the body, and looks only at fields that hold the provider's own words.
 *
 * @since 0.1.0
 * @category conversions
 */
export const classify = (evidence: Evidence): Errors.ModelError => {
  const body = ErrorBody.read(evidence.body)
  const { tag, limit, limitCounts, requested, input } = judgeBody(evidence, body)
  const texts = body.texts.length === 0 ? textOf(evidence.body) : body.texts.join(" ")
  const { secrets } = evidence
  const common = {
    route: evidence.route,
    ...(evidence.status === undefined ? {} : { status: evidence.status }),
    ...(evidence.requestId === undefined ? {} : { requestId: excerpt(evidence.requestId, secrets) }),
    detail: excerpt(texts === "" ? body.codes.join(" ") : texts, secrets)
  }
  const limitOf = limit === undefined ? {} : { limit }
  const asked = input ?? requested
  const requestedOf = asked === undefined ? {} : { requested: asked }
  const wait = evidence.retryAfter ?? waitOf(texts)
  const retryAfter = wait === undefined ? {} : { retryAfter: wait }
  switch (tag) {
    case "ContextWindowExceeded":
      return new Errors.ContextWindowExceeded({
        ...common,
        ...limitOf,
        ...requestedOf,
        ...(limitCounts === undefined ? {} : { limitCounts })
      })
    case "RateLimited":
      return new Errors.RateLimited({
        ...common,
        ...retryAfter,
        ...limitOf,
        ...requestedOf,
        ...(limit !== undefined && asked !== undefined && asked > limit ? { neverFits: true } : {})
      })
    case "OutputLimitExceeded":
      return new Errors.OutputLimitExceeded({ ...common, ...limitOf, ...requestedOf })
    case "ProviderUnavailable":
      return new Errors.ProviderUnavailable({ ...common, ...retryAfter })
    default:
      return new plain[tag](common)
  }
}

const plain = {
  QuotaExceeded: Errors.QuotaExceeded,
  AuthenticationFailed: Errors.AuthenticationFailed,
  InvalidRequest: Errors.InvalidRequest,
  PayloadTooLarge: Errors.PayloadTooLarge,
  ContentFiltered: Errors.ContentFiltered,
  ProviderTimeout: Errors.ProviderTimeout,
  MalformedResponse: Errors.MalformedResponse,
  EmptyResponse: Errors.EmptyResponse,
  ProviderError: Errors.ProviderError
}
