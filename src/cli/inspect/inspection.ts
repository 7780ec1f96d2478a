/**
 * Looks through one session: what fills its window, how it grew, and what could be done about it.
 *
 * @since 0.1.0
 */
import * as Policy from "../../compaction/Policy.ts"
import type { TokenEstimator } from "../../compaction/TokenEstimator.ts"
import type { Request, Session } from "../../formats/Transcript.ts"
import type { Envelope } from "../../session/Envelope.ts"
import type * as Message from "../../session/Message.ts"
import * as Route from "../../session/Route.ts"
import * as MeterReplay from "../meter/replay.ts"
import * as MeterReport from "../meter/report.ts"
import { advice } from "./advice.ts"
import { forecast, type Weighed } from "./forecast.ts"
import * as Heavy from "./heavy.ts"
import type { Kept } from "./kept.ts"
import { each, fromList } from "./parts.ts"
import { repeats } from "./repeats.ts"
import type { Checkpoint, SessionReport, Steps } from "./report.ts"
import * as Sizes from "./sizes.ts"
import * as View from "./view.ts"
import { windowOf } from "./window.ts"

/**
 * `full`: as if the session's own tool had never compacted.
 *
 * @since 0.1.0
 * @category models
 */
export interface Settings {
  readonly window: number | undefined
  readonly policy: Policy.Policy
  readonly full: boolean
}

/** A request of the session, with what the provider counted and what the meter had said, where the file has it. */
interface Step {
  readonly at: number
  readonly place: string
  readonly request: Request | undefined
  readonly row: MeterReplay.Row | undefined
}

/** Each answer is a step, and so is a request that was counted and has none; of several at one place the last counts. */
const stepsOf = (
  { messages, requests }: Session,
  rows: ReadonlyArray<MeterReplay.Row>,
  kept: Kept
): ReadonlyArray<Step> => {
  // one more than the index of the request at a place, 0 where none is
  const asked = new Int32Array(messages.length + 1)
  requests.forEach(({ at }, i) => (asked[at] = i + 1))
  const steps: Array<Step> = []
  for (let at = 0; at <= messages.length; at++) {
    const index = asked[at]! - 1
    if (index === -1 && messages[at]?.role !== "assistant") continue
    const request = requests[index]
    steps.push({ at, request, row: rows[index], place: request?.place ?? Heavy.placeOf(messages, at, kept) })
  }
  return steps
}

const unknownRoute: Route.Route = { provider: "unknown", model: "unknown" }

const routeOf = (session: Session): Route.Route | undefined => {
  const request = session.requests.findLast(({ model }) => model !== undefined)
  return request?.model === undefined ? undefined : { provider: request.provider ?? "unknown", model: request.model }
}

/** All tokenizers where requests went to models of several, else the one. */
const meterEstimator = (session: Session, { estimator, estimatorFor }: Kept): TokenEstimator => {
  const all = new Map<string, ReadonlyArray<number>>()
  let before: Request | undefined
  for (const request of session.requests) {
    const same = request.provider === before?.provider && request.model === before?.model
    if (before !== undefined && same) continue
    before = request
    const route = { provider: request.provider ?? "unknown", model: request.model ?? "unknown" }
    const key = Route.key(route)
    if (!all.has(key)) all.set(key, estimator.weights(route))
  }
  const [first = estimator.weights(unknownRoute), ...others] = all.values()
  return others.every((weights) => weights.every((weight, k) => weight === first[k])) ? estimatorFor(first) : estimator
}

const envelopeTokens = (session: Session, route: Route.Route, sizes: Sizes.Sizes): Sizes.Tokens => {
  const { system, tools } = session
  const envelope: Envelope = { route, ...(system === undefined ? {} : { system }) }
  const withTools: Envelope = { ...envelope, ...(tools === undefined ? {} : { tools }) }
  // the few tokens of framing that a request has anyway stand with the system prompt, where there is one
  const framed = sizes.envelope(envelope)
  return Sizes.plus(
    Sizes.as("system", system === undefined ? 0 : framed),
    Sizes.as("tools", sizes.envelope(withTools) - framed)
  )
}

/**
 * What the first count holds beside what the file shows: only the first, since later counts would put the estimate's errors
 * in here too.
 */
const hiddenTokens = (session: Session, steps: ReadonlyArray<Step>, shown: (at: number) => number): number => {
  if (session.visible === undefined || session.visible === "full") return 0
  const first = steps.find(({ row }) => row?.apart === "first-count")
  return first?.row === undefined ? 0 : Math.max(0, first.row.counted - shown(first.at))
}

const column = <A>(steps: ReadonlyArray<Step>, value: (step: Step, index: number) => A): ReadonlyArray<A> =>
  steps.map(value)

const largestGrowths = 5

const growthOf = (steps: ReadonlyArray<Step>, sizes: Sizes.Sizes): SessionReport["growth"] => {
  // what stands before the first request did not grow
  const values = steps.slice(1).map(({ at }, before) => Math.round(sizes.total(steps[before]!.at, at)))
  const least = Float64Array.from(values).sort().at(-largestGrowths) ?? 0
  return {
    median: MeterReport.percentile(values, 0.5),
    p95: MeterReport.percentile(values, 0.95),
    largest: values
      .flatMap((tokens, before) =>
        tokens >= least ? [{ step: before + 1, place: steps[before + 1]!.place, tokens }] : []
      )
      .sort((a, b) => b.tokens - a.tokens)
      .slice(0, largestGrowths)
  }
}

/** The first step at this place of the session or behind it; how many there are, where none is. */
const firstFrom = (steps: ReadonlyArray<Step>, at: number): number => {
  let low = 0
  let high = steps.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (steps[middle]!.at < at) low = middle + 1
    else high = middle
  }
  return low
}

const shadowedShown = 12

const checkpointsOf = (
  session: Session,
  view: View.View,
  steps: ReadonlyArray<Step>,
  sizes: Sizes.Sizes,
  kept: Kept,
  sizeBy: (tokens: Sizes.Tokens) => number
): ReadonlyArray<Checkpoint> =>
  view.compactions.map(({ added, after, at, before, gone, goneTokens, shadowed }): Checkpoint => {
    const step = firstFrom(steps, at)
    const tokens = Sizes.plus(...added.map(sizes.of))
    return {
      step,
      place: Heavy.placeOf(session.messages, at, kept),
      before: sizeBy(before),
      after: sizeBy(after),
      tokens: Math.round(Sizes.sum(tokens)),
      words: added.map((message) => Heavy.wordsOf(message, kept)).find((words) => words !== "") ?? "",
      shadowed: {
        messages: gone,
        parts: fromList(goneTokens.map(Math.round)),
        heaviest: Heavy.heaviest(session.messages, shadowed, sizes, kept, shadowedShown)
      }
    }
  })

const heaviestShown = 10

/**
 * The report of one session, whose blocks went through `kept.keep`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const inspect = (session: Session, kept: Kept, settings: Settings): SessionReport => {
  const { messages } = session
  const route = routeOf(session)
  const { density, rows } = MeterReplay.replay(session, meterEstimator(session, kept))
  const sizes = Sizes.make(messages, kept, kept.estimator.weights(route ?? unknownRoute), density)
  const view = View.make(settings.full ? { ...session, compactions: [] } : session, sizes)
  const steps = stepsOf(session, rows, kept)
  const envelope = envelopeTokens(session, route ?? unknownRoute, sizes)
  const hidden = hiddenTokens(session, steps, (at) => Sizes.sum(envelope) + Sizes.sum(view.at(at)))
  const front = Sizes.plus(envelope, Sizes.as("hidden", hidden))
  const carried = (tokens: Sizes.Tokens): Sizes.Tokens => Sizes.plus(front, tokens)
  const size = (tokens: Sizes.Tokens): number => Math.round(Sizes.sum(carried(tokens)))

  const composed = steps.map(({ at }) => carried(view.at(at)))
  const table: Steps = {
    place: column(steps, ({ place }) => place),
    message: column(steps, ({ at }) => at + 1),
    tokens: composed.map((tokens) => Math.round(Sizes.sum(tokens))),
    parts: each((place) => composed.map((tokens) => Math.round(tokens[place]!))),
    counted: column(steps, ({ row }) => row?.counted ?? null),
    predicted: column(steps, ({ row }) => row?.predicted.mean ?? null),
    upper: column(steps, ({ row }) => row?.predicted.upper ?? null),
    apart: column(steps, ({ row }) => row?.apart ?? null),
    generation: column(steps, ({ at }) => view.generationAt(at))
  }

  const largest = [...table.counted, ...table.tokens].reduce<number>((most, value) => Math.max(most, value ?? 0), 0)
  const window = windowOf(settings.window, route, largest)
  const policy = Policy.forRoute(settings.policy, route ?? unknownRoute)
  const budgets = Policy.budgets(policy, { window: window.tokens })
  const last = carried(view.at(messages.length))
  const report: Omit<SessionReport, "advice"> = {
    id: session.id,
    route: route === undefined ? null : Route.format(route),
    messages: messages.length,
    window,
    policy: { threshold: budgets.threshold, retain: budgets.retain, summaryMaxTokens: budgets.summaryMaxTokens },
    density,
    tokens: Math.round(Sizes.sum(last)),
    parts: fromList(last.map(Math.round)),
    said: Math.round(sizes.total(0, messages.length)),
    heaviest: Heavy.heaviest(messages, view.numbers, sizes, kept, heaviestShown),
    repeats: repeats(messages, kept, (place) => sizes.total(place, place + 1)),
    growth: growthOf(steps, sizes),
    steps: table,
    accuracy: rows.length === 0 ? null : MeterReport.figures(rows),
    checkpoints: checkpointsOf(session, view, steps, sizes, kept, size),
    forecast: forecast(
      {
        front: Sizes.sum(front),
        requests: steps,
        messages: messages.map((message, i) => weighed(message, sizes.total(i, i + 1), sizes, policy))
      },
      budgets,
      window.tokens
    ),
    notes: session.notes
  }
  return { ...report, advice: advice(report) }
}

/** A prune cuts a result that is over the policy's budget, unless its tool is exempt. */
const weighed = (
  message: Message.Message,
  tokens: number,
  sizes: Sizes.Sizes,
  { prune }: Policy.RoutePolicy
): Weighed => {
  let prunable = 0
  for (const block of message.content) {
    if (block.type !== "tool-result" || prune === false || prune.exempt.includes(block.name)) continue
    prunable += sizes.prunable(block)
  }
  return { tokens, prunable, startsUnit: message.role !== "tool" }
}
