/**
 * What compaction is allowed to do, and when: the settings, checked as a whole before anything runs.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import { PolicyInvalid } from "../errors/CompactionError.ts"
import * as CanonicalJson from "../session/CanonicalJson.ts"
import * as Crc32 from "../session/Crc32.ts"
import * as Route from "../session/Route.ts"
import { type Fields, Options, type Override } from "./PolicyOptions.ts"
import { markerLength, type PruneBudget } from "./prune.ts"

/**
 * The settings for one route, complete.
 *
 * - `auto`: two switches, because they answer two questions. Both false leaves manual calls.
 * - `threshold`: the share of the window at which pressure begins, in (0, 1].
 * - `outputReserve`: tokens kept free for the answer; absent, the request's own output limit. At most half the window counts.
 * - `retain`: what stays verbatim: below 1 a share of the window, from 1 on whole tokens. The smallest tail of whole
 *   messages that holds at least this stays; with 0 none has to.
 * - `maxOverflowRetries`: how often a refused request may be rescued; 0 turns rescue off, not prevention.
 * - `prune`: when and to what tool results are cut, in code points; `exempt` are names of tools; false: never.
 * - `summary.route`: the model that summarises; absent, the last one that the conversation used.
 * - `summary.maxTokens`: the cap of one summary; absent, the smaller of 8192 and an eighth of the window.
 * - `summary.quoteTokens`: how much of the newest user words goes verbatim into a checkpoint.
 * - `summary.attempts`: summaries within one run while pressure stays.
 * - `summary.timeLimit`: of one call. `runTimeLimit`: of a whole run.
 *
 * @since 0.1.0
 * @category models
 */
export interface RoutePolicy {
  readonly auto: { readonly pressure: boolean; readonly contextOverflow: boolean }
  readonly threshold: number
  readonly outputReserve?: number
  readonly retain: number
  readonly maxOverflowRetries: number
  readonly prune: false | (PruneBudget & { readonly exempt: ReadonlyArray<string> })
  readonly summary: {
    readonly route?: Route.Route
    readonly maxTokens?: number
    readonly quoteTokens: number
    readonly attempts: number
    readonly timeLimit: Duration.Duration
  }
  readonly runTimeLimit: Duration.Duration
}

/**
 * The settings for all routes; `models` holds what is different for single ones. Frozen.
 *
 * @since 0.1.0
 * @category models
 */
export interface Policy extends RoutePolicy {
  readonly models: ReadonlyArray<Override>
}

/** Freezes the containers that this module made; a Duration caches its hash in itself and must stay open. */
const freeze = <A extends RoutePolicy>(policy: A): A => {
  Object.freeze(policy.auto)
  if (policy.prune !== false) Object.freeze(Object.freeze(policy.prune).exempt)
  if (policy.summary.route !== undefined) Object.freeze(policy.summary.route)
  Object.freeze(policy.summary)
  return Object.freeze(policy)
}

const freezeDeep = <A>(value: A): A => {
  if (typeof value === "object" && value !== null && !Duration.isDuration(value) && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const field of Object.values(value)) freezeDeep(field)
  }
  return value
}

/**
 * Tells policies of a route apart: equal ones have the same. Of its text, so that it can be kept in a log.
 *
 * @since 0.1.0
 * @category conversions
 */
export const fingerprint = (policy: RoutePolicy): string =>
  Crc32.compute(new TextEncoder().encode(CanonicalJson.encode(policy))).toString(16)

const defaultPrune = { over: 8192, head: 4096, tail: 1024, exempt: [] as ReadonlyArray<string> }

/**
 * A complete policy: works with every window, needs no setting.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaults: Policy = freeze<Policy>({
  auto: { pressure: true, contextOverflow: true },
  threshold: 0.8,
  retain: 0.16,
  maxOverflowRetries: 1,
  prune: defaultPrune,
  summary: { quoteTokens: 2000, attempts: 2, timeLimit: Duration.minutes(2) },
  runTimeLimit: Duration.minutes(5),
  models: Object.freeze([])
})

/** The inherited value if nothing was given, none if it was cleared, else the one given. */
const optional = <A>(given: A | null | undefined, inherited: A | undefined): A | undefined =>
  given === undefined ? inherited : (given ?? undefined)

const mergeAuto = (base: RoutePolicy["auto"], given: Fields["auto"]): RoutePolicy["auto"] =>
  typeof given === "boolean"
    ? { pressure: given, contextOverflow: given }
    : {
        pressure: given?.pressure ?? base.pressure,
        contextOverflow: given?.contextOverflow ?? base.contextOverflow
      }

const mergePrune = (base: RoutePolicy["prune"], given: Fields["prune"]): RoutePolicy["prune"] => {
  if (given === false) return false
  if (given === undefined && base === false) return false
  const inherited = base === false ? defaultPrune : base
  return {
    over: given?.over ?? inherited.over,
    head: given?.head ?? inherited.head,
    tail: given?.tail ?? inherited.tail,
    exempt: [...(given?.exempt ?? inherited.exempt)]
  }
}

const mergeSummary = (base: RoutePolicy["summary"], given: Fields["summary"]): RoutePolicy["summary"] => {
  const chosen = optional(given?.route, base.route)
  const route = chosen === undefined || chosen.provider === "" ? undefined : { ...chosen }
  const maxTokens = optional(given?.maxTokens, base.maxTokens)
  return {
    ...(route === undefined ? {} : { route }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    quoteTokens: given?.quoteTokens ?? base.quoteTokens,
    attempts: given?.attempts ?? base.attempts,
    timeLimit: given?.timeLimit ?? base.timeLimit
  }
}

const merge = (base: RoutePolicy, given: Fields): RoutePolicy => {
  const outputReserve = optional(given.outputReserve, base.outputReserve)
  return {
    auto: mergeAuto(base.auto, given.auto),
    threshold: given.threshold ?? base.threshold,
    ...(outputReserve === undefined ? {} : { outputReserve }),
    retain: given.retain ?? base.retain,
    maxOverflowRetries: given.maxOverflowRetries ?? base.maxOverflowRetries,
    prune: mergePrune(base.prune, given.prune),
    summary: mergeSummary(base.summary, given.summary),
    runTimeLimit: given.runTimeLimit ?? base.runTimeLimit
  }
}

/** What the fields of a merged policy say against each other, at the field that was given. */
const contradiction = (policy: RoutePolicy, given: Fields, path: ReadonlyArray<string>): PolicyInvalid | undefined => {
  const invalid = (field: ReadonlyArray<string>, detail: string) =>
    new PolicyInvalid({ path: [...path, ...field], detail })
  const { prune, retain, runTimeLimit, summary, threshold } = policy
  if (retain < 1 && retain >= threshold) {
    return invalid(
      [given.retain === undefined ? "threshold" : "retain"],
      `retain (${retain} of the window) must be below threshold (${threshold} of the window): what stays would be pressure again`
    )
  }
  if (prune !== false && prune.head + markerLength + prune.tail > prune.over) {
    return invalid(
      ["prune"],
      `head (${prune.head}), the marker (up to ${markerLength}) and tail (${prune.tail}) must fit into over (${prune.over})`
    )
  }
  if (Duration.greaterThan(summary.timeLimit, runTimeLimit)) {
    return invalid(
      given.summary?.timeLimit === undefined ? ["runTimeLimit"] : ["summary", "timeLimit"],
      `the limit of one call (${Duration.format(summary.timeLimit)}) is above that of the whole run (${Duration.format(runTimeLimit)})`
    )
  }
  return undefined
}

/**
 * A union reports every member that failed: the deepest path is the member that was meant. That a field may also be left
 * out does not help whoever gave it a wrong value.
 */
const toInvalid = (error: ParseResult.ParseError): PolicyInvalid => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
  const depth = Math.max(...issues.map((issue) => issue.path.length))
  const deepest = issues.filter((issue) => issue.path.length === depth)
  const details = deepest
    .filter((issue) => deepest.length === 1 || !issue.message.startsWith("Expected undefined,"))
    .map((issue) => issue.message.replace(/^is unexpected, expected:/, "is not a setting; the settings here are"))
  return new PolicyInvalid({ path: (deepest[0]?.path ?? []).map(String), detail: [...new Set(details)].join("; or: ") })
}

const decodeOptions = ParseResult.decodeUnknownEither(Options, { onExcessProperty: "error" })

/**
 * A policy from settings as they were written (in code, or parsed from JSON). What is not set has its default. Fails with
 * the path of the first field that cannot be used and the value found there: wrong types, values out of range, unknown
 * keys at any depth, a route listed twice, and values that contradict each other, in the base, in an entry of `models`, and
 * in what the two give together. A `null` clears what an entry would inherit for `outputReserve`, `summary.route` and
 * `summary.maxTokens`; so does a summary route of two empty names.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decode = (input: unknown): Either.Either<Policy, PolicyInvalid> => {
  const decoded = decodeOptions(input)
  if (Either.isLeft(decoded)) return Either.left(toInvalid(new ParseResult.ParseError({ issue: decoded.left })))
  const { models = [], ...given } = decoded.right
  const base = merge(defaults, given)
  const wrong = contradiction(base, given, [])
  if (wrong !== undefined) return Either.left(wrong)
  const seen = new Map<string, number>()
  for (const [index, entry] of models.entries()) {
    const path = ["models", String(index)]
    const earlier = seen.get(Route.key(entry))
    if (earlier !== undefined) {
      const detail = `${Route.format(entry)} has an entry already, at models.${earlier}`
      return Either.left(new PolicyInvalid({ path, detail }))
    }
    seen.set(Route.key(entry), index)
    const wrong = contradiction(merge(base, entry), entry, path)
    if (wrong !== undefined) return Either.left(wrong)
  }
  return Either.right(freeze<Policy>({ ...base, models: freezeDeep(models) }))
}

/**
 * The settings for one route: the base, and over it the entry of `models` for exactly this provider and model, merged field
 * by field. The same model under another provider keeps the base. Frozen.
 *
 * @since 0.1.0
 * @category getters
 */
export const forRoute = (policy: Policy, route: Route.Route): RoutePolicy => {
  const entry = policy.models.find((model) => Route.equals(model, route))
  return entry === undefined ? policy : freeze(merge(policy, entry))
}

/**
 * What a policy comes to in one route's window. All in tokens.
 *
 * - `threshold`: measured input at or above this is pressure. At least 1.
 * - `reserve`: kept free for the answer, at most half the window.
 * - `retain`: what the tail that stays must hold at least.
 * - `contradiction`: why pressure cannot work on this route; rescue works all the same.
 *
 * @since 0.1.0
 * @category models
 */
export interface Budgets {
  readonly threshold: number
  readonly reserve: number
  readonly retain: number
  readonly summaryMaxTokens: number
  readonly contradiction?: string
}

/**
 * The figures for a window. `window` must be a positive integer, `maxOutputTokens` is the request's own output limit.
 *
 * @since 0.1.0
 * @category getters
 */
export const budgets = (
  policy: RoutePolicy,
  route: { readonly window: number; readonly maxOutputTokens?: number }
): Budgets => {
  const { window } = route
  const reserve = Math.min(policy.outputReserve ?? route.maxOutputTokens ?? 0, Math.floor(window / 2))
  const threshold = Math.max(1, Math.min(Math.floor(policy.threshold * window), window - reserve))
  const retain = policy.retain < 1 ? Math.floor(policy.retain * window) : policy.retain
  const summaryMaxTokens = policy.summary.maxTokens ?? Math.max(1, Math.min(8192, Math.floor(window / 8)))
  return {
    threshold,
    reserve,
    retain,
    summaryMaxTokens,
    ...(retain < threshold
      ? {}
      : {
          contradiction: `retain keeps ${retain} tokens, and pressure begins at ${threshold} of the window of ${window} (${reserve} reserved for the answer): what stays would be pressure again`
        })
  }
}
