/**
 * The fold: one event of the log after the other gives the session's state. Live operation and replay use it alike.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as SortedMap from "effect/SortedMap"
import * as Envelope from "../session/Envelope.ts"
import type { Seq } from "../session/Ids.ts"
import * as Message from "../session/Message.ts"
import * as Route from "../session/Route.ts"
import * as SessionEvent from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Usage from "../session/Usage.ts"
import { measure } from "./measure.ts"
import * as Meter from "./Meter.ts"
import * as RouteFacts from "./RouteFacts.ts"
import {
  countsOf,
  nodeOf,
  routeFacts,
  routeOf,
  seen,
  shadowedBy,
  weights,
  withMessage,
  type SessionState,
  type Step
} from "./SessionState.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

type ReadEvent = SessionEvent.SessionEvent | SessionEvent.SkippedEvent

interface Span extends SurfaceState.Replacement {
  readonly sources?: ReadonlyArray<Seq>
}

const withReport = (state: SessionState, usage: Usage.Usage | undefined, estimator: TokenEstimator): SessionState => {
  const { envelope } = state
  if (envelope === undefined || !Usage.isReported(usage)) return state
  const meter = Meter.reported(
    state.meter,
    usage.inputTokens,
    measure(state, estimator).totalTokens,
    weights(state, estimator),
    envelope.routeKey
  )
  const facts = RouteFacts.accepted(routeFacts(state, envelope.routeKey), usage.inputTokens)
  return { ...state, meter, routes: new Map(state.routes).set(envelope.routeKey, facts) }
}

/** The request of the open step was answered. */
const accepted = (state: SessionState): SessionState => {
  const { envelope, openStep } = state
  if (envelope === undefined || openStep === undefined || state.accepted?.surface === openStep.surface) return state
  return { ...state, accepted: { surface: openStep.surface, envelope } }
}

/** The count of an answer that was cut off is not that of what was kept of it. */
const usageOf = ({ data }: SessionEvent.BodyOf<"message/assistant">): Usage.Usage | undefined =>
  data.interrupted === true ? undefined : data.usage

type Folded = SessionState | SurfaceState.Violation

const surfaceEvent = (
  state: SessionState,
  event: SessionEvent.SurfaceBody & SessionEvent.SessionEvent,
  estimator: TokenEstimator
): Folded => {
  const node = nodeOf(event, estimator, routeOf(state))
  if (event.data.replaces !== undefined) {
    return Either.merge(replacements(state, [{ ...event.data.replaces, node }], estimator))
  }
  return event.type === "message/assistant"
    ? answer(state, event, node, estimator)
    : appended(state, node, event.type === "message/user" ? event.data.queued : undefined)
}

const appended = (state: SessionState, node: SurfaceState.Node, queued: Seq | undefined): Folded => {
  const surface = SurfaceState.appendOrRefuse(state.surface, node)
  if (surface instanceof SurfaceState.Violation) return surface
  const next = withMessage(state, node, surface)
  return queued === undefined ? next : { ...next, queued: SortedMap.remove(state.queued, queued) }
}

const answer = (
  state: SessionState,
  event: SessionEvent.BodyOf<"message/assistant">,
  node: SurfaceState.Node,
  estimator: TokenEstimator
): Folded => {
  // the report is of the request, which this answer was not part of
  const counted = accepted(withReport(state, event.data.usage, estimator))
  if (Message.isEmpty(node.message)) return { ...counted, revision: node.seq + 1, newest: node.seq }
  const meter = Meter.answered(counted.meter, node, usageOf(event))
  return appended(meter === counted.meter ? counted : { ...counted, meter }, node, undefined)
}

/**
 * Lands replacements in one pass. `sources`, where given, must name exactly the nodes that are shadowed.
 *
 * @since 0.1.0
 * @category folds
 */
export const replacements = (
  state: SessionState,
  spans: ReadonlyArray<Span>,
  estimator: TokenEstimator
): Either.Either<SessionState, SurfaceState.Violation> => {
  const surface = SurfaceState.replace(state.surface, spans)
  if (Either.isLeft(surface)) return Either.left(surface.left)
  const scale = weights(state, estimator)
  const routeKey = state.envelope?.routeKey ?? ""
  let { meter, revision } = state
  for (const span of spans) {
    const shadowed = shadowedBy(state.surface, span)
    if (span.sources !== undefined && !sameSeqs(span.sources, shadowed)) {
      const detail = `seq ${span.node.seq} names other sources than the nodes from seq ${span.first} to ${span.last}`
      return Either.left(new SurfaceState.Violation("no-such-node", detail))
    }
    meter = Meter.replaced(meter, shadowed, scale, routeKey)
    revision = Math.max(revision, span.node.seq + 1)
  }
  return Either.right({ ...state, revision, surface: surface.right, meter })
}

const sameSeqs = (sources: ReadonlyArray<Seq>, nodes: ReadonlyArray<SurfaceState.Node>): boolean =>
  sources.length === nodes.length && nodes.every((node, i) => sources[i] === node.seq)

/** A chain of refused requests has ended: the next one begins with all its attempts. */
const chainOver = { refusals: 0, byteRefusals: 0, refusal: undefined }

const routesAnswered = ({ envelope, routes }: SessionState): SessionState["routes"] => {
  const facts = envelope === undefined ? undefined : routes.get(envelope.routeKey)
  if (envelope === undefined || facts?.refusals === undefined) return routes
  return new Map(routes).set(envelope.routeKey, RouteFacts.answered(facts))
}

const stepEnd = (
  state: SessionState,
  { data }: SessionEvent.BodyOf<"step/end">,
  estimator: TokenEstimator
): SessionState => {
  const open = state.openStep
  const closed: SessionState = { ...state, openStep: undefined, meter: state.meter }
  if (data.outcome === "completed") {
    const answered = { ...closed, accepted: accepted(state).accepted, routes: routesAnswered(state) }
    const counted = withReport(answered, data.usage, estimator)
    return { ...counted, meter: Meter.unreported(counted.meter), ...chainOver }
  }
  const { envelope } = state
  const next = { ...closed, meter: Meter.unreported(state.meter) }
  if (envelope === undefined || open === undefined) return next
  const facts = routeFacts(state, envelope.routeKey)
  if (data.outcome === "refused") {
    const { surface: _surface, ...step } = open
    return {
      ...next,
      routes: new Map(state.routes).set(
        envelope.routeKey,
        data.unit === "bytes" ? facts : RouteFacts.refused(facts, data)
      ),
      ...(data.unit === "bytes" ? { byteRefusals: state.byteRefusals + 1 } : { refusals: state.refusals + 1 }),
      refusal: {
        ...step,
        measured: measure(state, estimator).totalTokens,
        ...(data.limit === undefined ? {} : { limit: data.limit }),
        ...(data.requested === undefined ? {} : { requested: data.requested }),
        ...(data.unit === undefined ? {} : { unit: data.unit })
      }
    }
  }
  return data.error?.tag === "RateLimited" && data.limit !== undefined
    ? { ...next, routes: new Map(state.routes).set(envelope.routeKey, { ...facts, ceiling: data.limit }) }
    : next
}

/** After a crash or an interruption nothing is known of what the run would have reached. */
const compactionEnd = (state: SessionState, data: SessionEvent.BodyOf<"compaction/end">["data"]): SessionState => {
  const open = state.openCompaction
  const next = { ...state, openCompaction: undefined }
  if (open === undefined || data.outcome === "interrupted") return next
  // resting counts what is paid for
  if (open.paid === false) return next
  const resting = new Map(state.resting)
  if (data.outcome === "landed" && data.targetMet !== false) resting.delete(open.trigger)
  else {
    resting.set(open.trigger, {
      times: (resting.get(open.trigger)?.times ?? 0) + 1,
      surface: SurfaceState.totalCounts(state.surface),
      routeKey: state.envelope?.routeKey ?? "",
      policy: open.policy
    })
  }
  return { ...next, resting, ...(open.trigger === "pressure" ? { lastPressure: seen(state) } : {}) }
}

const replacesOf = (event: ReadEvent | undefined): SessionEvent.Replaces | undefined =>
  event !== undefined && event.type !== "skipped" && SessionEvent.isSurfaceBody(event) ? event.data.replaces : undefined

const nothing: ReadonlyArray<never> = []

/** The replacements from place `from` on that land in one pass: each is of nodes that stood there before it. */
const passFrom = (
  events: ReadonlyArray<ReadEvent>,
  from: number,
  estimator: TokenEstimator,
  state: SessionState
): ReadonlyArray<Span> => {
  if (replacesOf(events[from]) === undefined) return nothing
  const pass: Array<Span> = []
  const landing = new Set<Seq>()
  for (let i = from; i < events.length; i++) {
    const event = events[i] as SessionEvent.SurfaceBody & SessionEvent.SessionEvent
    const replaces = replacesOf(event)
    if (replaces === undefined || replaces.sources.some((seq) => landing.has(seq))) break
    landing.add(event.seq)
    pass.push({ ...replaces, node: nodeOf(event, estimator, routeOf(state)) })
  }
  return pass
}

/**
 * Some events later. Replacements that follow each other land in one pass, as they did when they were written.
 *
 * @since 0.1.0
 * @category folds
 */
export const applyAll = (
  state: SessionState,
  events: ReadonlyArray<ReadEvent>,
  estimator: TokenEstimator
): Either.Either<SessionState, SurfaceState.Violation> => {
  let current = state
  for (let i = 0; i < events.length;) {
    const pass = passFrom(events, i, estimator, current)
    const next: Folded =
      pass.length > 0
        ? Either.merge(replacements(current, pass, estimator))
        : applyOrRefuse(current, events[i]!, estimator)
    if (next instanceof SurfaceState.Violation) return Either.left(next)
    current = next
    i += Math.max(pass.length, 1)
  }
  return Either.right(current)
}

/** `apply`, unwrapped: each event of a session comes this way. */
export const applyOrRefuse = (state: SessionState, event: ReadEvent, estimator: TokenEstimator): Folded =>
  event.type !== "skipped" && SessionEvent.isSurfaceBody(event)
    ? surfaceEvent(state, event as SessionEvent.SurfaceBody & SessionEvent.SessionEvent, estimator)
    : { ...logOnly(state, event, estimator), revision: event.seq + 1 }

/**
 * One event later. A violation leaves the state as it was.
 *
 * @since 0.1.0
 * @category folds
 */
export const apply = (
  state: SessionState,
  event: ReadEvent,
  estimator: TokenEstimator
): Either.Either<SessionState, SurfaceState.Violation> => {
  const next = applyOrRefuse(state, event, estimator)
  return next instanceof SurfaceState.Violation ? Either.left(next) : Either.right(next)
}

const logOnly = (state: SessionState, event: ReadEvent, estimator: TokenEstimator): SessionState => {
  switch (event.type) {
    case "session/opened":
      return {
        ...state,
        opened: { session: event.data.session, writer: event.data.writer },
        parent: event.data.parent ?? state.parent
      }
    case "turn/start": {
      const resumed = state.suspendedTurn === event.data.turn
      return {
        ...state,
        turn: event.data.turn,
        openTurn: event.data.turn,
        suspendedTurn: undefined,
        step: resumed ? state.step : -1
      }
    }
    case "turn/end": {
      const suspended = event.data.outcome === "suspended"
      const next = { ...state, openTurn: undefined, suspendedTurn: suspended ? event.data.turn : undefined }
      return event.data.settled === true ? next : { ...next, ...chainOver }
    }
    case "message/queued":
      return { ...state, queued: SortedMap.set(state.queued, event.seq, event.data.message) }
    case "step/start": {
      const open: Step = { seq: event.seq, ...event.data, surface: state.surface }
      return {
        ...state,
        step: event.data.step,
        openStep: open,
        meter:
          state.envelope === undefined
            ? state.meter
            : Meter.requested(state.meter, event.seq, state.envelope, SurfaceState.totalCounts(state.surface))
      }
    }
    case "step/end":
      return stepEnd(state, event, estimator)
    case "rescue/end":
      // an application's own loop has no turn whose end would reset the count
      return event.data.turn === null && event.data.outcome === "declined" ? { ...state, ...chainOver } : state
    case "request/envelope": {
      const { envelope } = event.data
      return {
        ...state,
        envelope: {
          envelope,
          key: Envelope.key(envelope),
          routeKey: Route.key(envelope.route),
          counts: countsOf(event.data.counts, estimator, () => estimator.envelope(envelope))
        }
      }
    }
    case "compaction/start":
      return { ...state, openCompaction: event.data }
    case "compaction/call": {
      const { summaries } = state
      const { limit, outcome, route, span } = event.data
      const key = route === undefined ? "" : Route.key(route)
      return {
        ...state,
        call: { span, route, outcome, generation: state.surface.generation },
        ...(limit === undefined || route === undefined
          ? {}
          : { routes: new Map(state.routes).set(key, RouteFacts.stated(routeFacts(state, key), { limit })) }),
        summaries: {
          calls: summaries.calls + 1,
          landed: summaries.landed,
          usage: event.data.usage === undefined ? summaries.usage : Usage.add(summaries.usage, event.data.usage)
        }
      }
    }
    case "compaction/prune":
      return event.data.trigger === "pressure" ? { ...state, lastPressure: seen(state) } : state
    case "compaction/summary":
      return { ...state, summaries: { ...state.summaries, landed: state.summaries.landed + 1 } }
    case "compaction/end":
      return compactionEnd(state, event.data)
    default:
      return state
  }
}
