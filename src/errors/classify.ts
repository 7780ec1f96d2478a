/**
 * Makes our errors of what providers answer.
 *
 * An error that no row and no status places is a `ProviderError`: it is passed on as it is, never taken for an overflow
 * and never retried, so that a wording that nobody has seen yet costs an error message and not the user's history.
 *
 * @since 0.1.0
 */
import * as EffectRegExp from "effect/RegExp"
import * as ErrorBody from "./errorBody.ts"
import { type Evidence, judgeBody } from "./judge.ts"
import * as Errors from "./ModelError.ts"

/**
 * @since 0.1.0
 * @category re-exports
 */
export type { Delivery, Row } from "./classifierRow.ts"

/**
 * @since 0.1.0
 * @category re-exports
 */
export { type Evidence, judge, type Verdict } from "./judge.ts"

const detailLength = 500

/**
 * A secret, as it is or as JSON writes it, in any case, since codes are compared without one. A server that wants no key is
 * given one of a letter or two: as a part of a word it is none.
 */
const shown = (secret: string): RegExp => {
  const forms = [secret, JSON.stringify(secret).slice(1, -1)].map(EffectRegExp.escape).join("|")
  return new RegExp(/^\w{1,7}$/.test(secret) ? `(?<![a-z0-9])(?:${forms})(?![a-z0-9])` : forms, "gi")
}

/**
 * Takes secrets out of a text, and cuts it to what an error may carry.
 *
 * @since 0.1.0
 * @category conversions
 */
export const excerpt = (text: string, secrets: ReadonlyArray<string> = []): string => {
  let clean = text
  for (const secret of secrets) if (secret !== "") clean = clean.replaceAll(shown(secret), "<redacted>")
  clean = clean.replace(/\s+/g, " ").trim()
  if (clean.length <= detailLength) return clean
  // not between the halves of a surrogate pair
  const end = /[\ud800-\udbff]/.test(clean[detailLength - 2] ?? "") ? detailLength - 2 : detailLength - 1
  return `${clean.slice(0, end)}…`
}

const waitWords =
  /(?:try again|retry) (?:in|after) (?:(\d+) ?h(?:ours?)?(?![a-z]) ?)?(?:(\d+) ?m(?:in(?:ute)?s?)?(?![a-z]) ?)?(?:(\d+(?:\.\d+)?) ?(ms|s(?:ec(?:ond)?s?)?)\b)?/i

/** "in 120ms", "in 4.5s", "in 1m2s", "in 5 minutes": how long the text asks to wait, milliseconds. */
const waitOf = (texts: string) => {
  const [, hours = "0", minutes = "0", rest = "0", unit = ""] = waitWords.exec(texts) ?? []
  const seconds = Number(hours) * 3600 + Number(minutes) * 60
  const milliseconds = seconds * 1000 + Number(rest) * (unit.toLowerCase() === "ms" ? 1 : 1000)
  return milliseconds === 0 ? undefined : Math.min(Math.ceil(milliseconds), Number.MAX_SAFE_INTEGER)
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
