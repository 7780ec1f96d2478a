/**
 * Holds an error against the table of rows.
 *
 * @since 0.1.0
 */
import type { Route } from "../session/Route.ts"
import type { Delivery, Row } from "./classifierRow.ts"
import * as Rows from "./classifierRows.ts"
import * as ErrorBody from "./errorBody.ts"
import { toNumber } from "./figurePattern.ts"
import { generalFigures } from "./generalRows.ts"
import type { ModelError } from "./ModelError.ts"

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
  readonly tag: ModelError["_tag"]
  readonly row: string | null
  readonly why: string
  readonly limit?: number
  readonly limitCounts?: "input" | "input-and-output"
  readonly requested?: number
  readonly input?: number
}

/** An error as it is held against the rows. */
interface Case {
  readonly provider: string
  readonly delivery: Delivery
  readonly status: number | undefined
  readonly body: ErrorBody.ErrorBody
  readonly texts: string
}

/** Providers say it in the first sentences; the bound keeps a hostile body cheap. */
const maxWords = 10_000

const statusFields = ["status", "statuscode", "status_code", "httpstatuscode", "code", "raw_status_code"]

const statusInWords =
  /^(?:[\w .-]{0,60}?\b(?:HTTP|status(?: code)?|error(?: code)?|\w*error|\w*exception|responded|code)[: ]{1,3})?[[(]?(400|401|402|403|404|408|413|422|429|500|502|503|504|529)\b(?! ?tokens|[.,]?\d)/i

const isFailure = (status: number | undefined): status is number =>
  status !== undefined && status >= 400 && status < 600

/** The status that the body says it would have had, or else had where it came from. */
const innerStatus = ({ codes, numbers }: ErrorBody.ErrorBody): number | undefined =>
  [
    ...statusFields.map((name) => numbers.get(name)),
    ...codes.map((code) => (/^\d{3}$/.test(code) ? Number(code) : 0))
  ].find(isFailure)

/** Statuses under which a request is never too long, whatever the words. */
const neverOverflow = new Set([401, 402, 403, 404, 408, 429])

/**
 * The answer's own status, unless a gateway passed a more telling one on in the body; else the body's, else the one that
 * its words begin with.
 */
const statusOf = (status: number | undefined, body: ErrorBody.ErrorBody): number | undefined => {
  const inner = innerStatus(body)
  if (!isFailure(status)) return inner ?? toNumber(statusInWords.exec(body.texts[0] ?? "")?.[1]) ?? status
  return inner !== undefined && neverOverflow.has(inner) && !neverOverflow.has(status) ? inner : status
}

/** Statuses under which the words decide. */
const mayBeOverflow = new Set([400, 413, 422])

/** A status that says it all is not overruled by a code or a word that may stand anywhere. */
const contradicts = (tag: ModelError["_tag"], status: number | undefined): boolean => {
  if (tag === "InvalidRequest" && (status === 413 || (status ?? 0) >= 500)) return true
  if (status === 401) return tag !== "AuthenticationFailed"
  if (status === 404) return tag !== "QuotaExceeded"
  return (
    status === 429 &&
    !["RateLimited", "QuotaExceeded", "ProviderUnavailable", "ContentFiltered", "ProviderTimeout"].includes(tag)
  )
}

const statusTags: ReadonlyArray<readonly [(status: number) => boolean, ModelError["_tag"]]> = [
  [(status) => status === 401 || status === 403 || status === 407, "AuthenticationFailed"],
  [(status) => status === 402, "QuotaExceeded"],
  [(status) => status === 408 || status === 504 || status === 524, "ProviderTimeout"],
  [(status) => status === 413, "PayloadTooLarge"],
  [(status) => status === 429, "RateLimited"],
  [(status) => status >= 500, "ProviderUnavailable"],
  [(status) => status >= 400, "InvalidRequest"]
]

/** A pattern of the application's own may remember where it stopped. */
const find = (pattern: RegExp, text: string): RegExpExecArray | null => {
  pattern.lastIndex = 0
  return pattern.exec(text)
}

interface Match {
  readonly row: Row
  readonly words: RegExpExecArray | null
  readonly why: string
}

const brief = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text)

const codeOf = (row: Row, { codes }: ErrorBody.ErrorBody): string | undefined => {
  const { code } = row
  if (code === undefined) return undefined
  return code instanceof RegExp
    ? codes.find((given) => find(code, given) !== null)
    : codes.find((given) => code.some((known) => known.toLowerCase() === given))
}

const matchRow = (row: Row, { body, delivery, provider, status, texts }: Case): Match | undefined => {
  if (row.provider !== undefined && !row.provider.includes(provider)) return undefined
  if (row.delivery !== undefined && !row.delivery.includes(delivery)) return undefined
  if (row.status !== undefined && (status === undefined || !row.status.includes(status))) return undefined
  const code = codeOf(row, body)
  if (row.code !== undefined && code === undefined) return undefined
  const { answer, wording } = row
  const answered = answer === undefined ? undefined : body.answers.find((text) => find(answer, text) !== null)
  if (answer !== undefined && answered === undefined) return undefined
  const words = wording === undefined ? null : find(wording, texts)
  if (wording !== undefined && words === null) return undefined
  if (row.where !== undefined && find(row.where, texts) === null) return undefined
  if (row.veto !== undefined && find(row.veto, texts) !== null) return undefined
  const why =
    code !== undefined
      ? `the code "${brief(code)}"`
      : words !== null
        ? `the words "${brief(words[0])}"`
        : answered !== undefined
          ? `"${brief(answered)}" in place of an answer`
          : "all that the row names"
  return { row, words, why }
}

interface Figures {
  readonly limit: number | undefined
  readonly input: number | undefined
  readonly requested: number | undefined
  readonly counts: Row["limitCounts"]
}

/** A request that would have fitted was not refused for its size: these figures mean something else. */
const wouldFit = (limit: number | undefined, ...asked: ReadonlyArray<number | undefined>): boolean =>
  limit !== undefined && asked.some((tokens) => tokens !== undefined) && asked.every((tokens) => (tokens ?? 0) < limit)

const figuresOf = ({ row, words }: Match, { body, texts }: Case): Figures => {
  const found: Record<string, number | undefined> = {}
  for (const groups of [words?.groups, ...(row.figures ?? []).map((figure) => find(figure, texts)?.groups)]) {
    const figures = Object.entries(groups ?? {}).map(([name, text]) => [name, toNumber(text)] as const)
    const { input = 0, limit, output, requested } = Object.fromEntries(figures)
    const sum = output === undefined ? input : input + output
    if (row.tag === "ContextWindowExceeded" && wouldFit(limit, sum || undefined, requested)) continue
    // a second group of the same meaning in one wording is numbered
    for (const [name, figure] of figures) found[name.replace(/\d$/, "")] ??= figure
  }
  const field = (name: string | undefined) => (name === undefined ? undefined : body.numbers.get(name.toLowerCase()))
  const stated = field(row.inputField) ?? found["input"]
  const input = stated === undefined ? undefined : stated + (found["more"] ?? 0)
  return {
    limit: field(row.limitField) ?? found["limit"],
    input,
    requested: found["requested"] ?? input,
    counts: row.limitCounts ?? (found["output"] === undefined ? undefined : "input-and-output")
  }
}

/** A code says what it is; the wording beside it says how much, and of what. */
const figuresBeside = (match: Match, given: Case, table: ReadonlyArray<Row>): Figures => {
  const own = figuresOf(match, given)
  if (match.row.tag !== "ContextWindowExceeded" || match.row.code === undefined) return own
  const worded = table.find(
    (row) => row.tag === match.row.tag && row.wording !== undefined && find(row.wording, given.texts) !== null
  )
  const row: Row = worded ?? { ...match.row, figures: generalFigures }
  const said = figuresOf(
    { ...match, row, words: row.wording === undefined ? null : find(row.wording, given.texts) },
    given
  )
  return {
    limit: own.limit ?? said.limit,
    input: own.input ?? said.input,
    requested: own.requested ?? said.requested,
    counts: own.counts ?? said.counts
  }
}

/** Figures of two sentences may belong to two things; a wrong window is worse than none. */
const sensible = (tag: ModelError["_tag"], figures: Figures): Figures =>
  tag === "ContextWindowExceeded" && figures.counts !== "input-and-output" && wouldFit(figures.limit, figures.requested)
    ? { limit: undefined, input: undefined, requested: undefined, counts: figures.counts }
    : figures

/** Under another status the words of a server that failed may mention the window without meaning this request. */
const isBelieved = (row: Row, { limit, requested }: Figures, status: number | undefined): boolean =>
  row.tag !== "ContextWindowExceeded" ||
  !isFailure(status) ||
  mayBeOverflow.has(status) ||
  row.code !== undefined ||
  row.underServerError === true ||
  (limit !== undefined && requested !== undefined)

/** The input where only a sum is stated: what the request asked for as output is known. */
const withoutOutput = ({ counts, requested }: Figures, output: number | undefined) =>
  counts === "input-and-output" && requested !== undefined && output !== undefined && output < requested
    ? requested - output
    : requested

/**
 * Judges what was read of a body.
 *
 * @since 0.1.0
 * @category getters
 */
export const judgeBody = (
  evidence: Evidence,
  body: ErrorBody.ErrorBody,
  table: ReadonlyArray<Row> = Rows.rows
): Verdict => {
  const given: Case = {
    provider: evidence.route.provider,
    delivery: evidence.delivery,
    status: statusOf(evidence.status, body),
    body,
    // a sentence ends where a text does
    texts: body.texts.join(". ").slice(0, maxWords)
  }
  const theirs = evidence.rows ?? []
  for (const row of [...theirs, ...table]) {
    // of the application's own rows a status says only whether there can be an overflow
    const isVetoed =
      row.tag === "ContextWindowExceeded"
        ? given.status !== undefined && neverOverflow.has(given.status)
        : !theirs.includes(row) && contradicts(row.tag, given.status)
    const match = isVetoed ? undefined : matchRow(row, given)
    if (match === undefined) continue
    const figures = sensible(row.tag, figuresBeside(match, given, table))
    if (!isBelieved(row, figures, given.status)) continue
    const { counts, limit, requested } = figures
    const input = figures.input ?? withoutOutput(figures, evidence.maxOutputTokens)
    return {
      tag: row.tag,
      row: row.id,
      why: match.why,
      ...(limit === undefined ? {} : { limit }),
      ...(counts === undefined || limit === undefined ? {} : { limitCounts: counts }),
      ...(requested === undefined ? {} : { requested }),
      ...(input === undefined ? {} : { input })
    }
  }
  const { status } = given
  const byStatus = status === undefined ? undefined : statusTags.find(([matches]) => matches(status))
  return byStatus === undefined
    ? { tag: "ProviderError", row: null, why: "nothing in it is known" }
    : { tag: byStatus[1], row: null, why: `the status ${status}` }
}

/**
 * Judges and says why. `classify` makes an error of it.
 *
 * @since 0.1.0
 * @category getters
 */
export const judge = (evidence: Evidence, table: ReadonlyArray<Row> = Rows.rows): Verdict =>
  judgeBody(evidence, ErrorBody.read(evidence.body), table)
