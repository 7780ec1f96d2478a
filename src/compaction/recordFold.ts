/**
 * Events that only the log holds, and no message of the surface: of the session, its turns and steps, and its compactions.
 *
 * @since 0.1.0
 */
import * as SortedMap from "effect/SortedMap"
import * as Envelope from "../session/Envelope.ts"
import type { OutlinedEvent } from "../session/outlinedEvents.ts"
import * as Route from "../session/Route.ts"
import type * as SessionEvent from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Usage from "../session/Usage.ts"
import { answered } from "./answeredRequest.ts"
import { measure } from "./measure.ts"
import * as Meter from "./Meter.ts"
import { recorded as recordedSummary } from "./recordedSummary.ts"
import * as RouteFacts from "./RouteFacts.ts"
import { type Changes, routeFacts, seen, type SessionState, type Step } from "./SessionState.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

/** A chain of refused requests has ended: the next one begins with all its attempts. */
const chainOver = { refusals: 0, byteRefusals: 0, refusal: undefined }

const nothing: Changes = {}

const routesAnswered = ({ envelope, routes }: SessionState): SessionState["routes"] => {
  const facts = envelope === undefined ? undefined : routes.get(envelope.routeKey)
  if (envelope === undefined || facts?.refusals === undefined) return routes
  return new Map(routes).set(envelope.routeKey, RouteFacts.answered(facts))
}

const stepEnd = (
  state: SessionState,
  { data }: SessionEvent.BodyOf<"step/end">,
  estimator: TokenEstimator
): Changes => {
  const { envelope, openStep } = state
  if (data.outcome === "completed") {
    const told = answered(state, data.usage, estimator)
    return {
      openStep: undefined,
      accepted: told.accepted,
      routes: routesAnswered(told),
      meter: Meter.unreported(told.meter),
      ...chainOver
    }
  }
  const closed = { openStep: undefined, meter: Meter.unreported(state.meter) }
  if (envelope === undefined || openStep === undefined) return closed
  const facts = routeFacts(state, envelope.routeKey)
  if (data.outcome === "refused") {
    const { surface: _surface, ...step } = openStep
    return {
      ...closed,
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
    ? { ...closed, routes: new Map(state.routes).set(envelope.routeKey, { ...facts, ceiling: data.limit }) }
    : closed
}

/** After a crash or an interruption nothing is known of what the run would have reached. */
const compactionEnd = (state: SessionState, data: SessionEvent.BodyOf<"compaction/end">["data"]): Changes => {
  const open = state.openCompaction
  const closed = { openCompaction: undefined }
  if (open === undefined || data.outcome === "interrupted") return closed
  const looked = open.trigger === "pressure" ? { lastPressure: seen(state) } : {}
  // resting counts what is paid for
  if (open.paid === false) return { ...closed, ...looked }
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
  return { ...closed, resting, ...looked }
}

/**
 * What an event without a message changes, but for the revision.
 *
 * @since 0.1.0
 * @category folds
 */
export const recorded = (state: SessionState, event: OutlinedEvent, estimator: TokenEstimator): Changes => {
  switch (event.type) {
    case "session/opened":
      return {
        opened: { session: event.data.session, writer: event.data.writer },
        parent: event.data.parent ?? state.parent
      }
    case "turn/start": {
      const resumed = state.suspendedTurn === event.data.turn
      return {
        turn: event.data.turn,
        openTurn: event.data.turn,
        suspendedTurn: undefined,
        step: resumed ? state.step : -1
      }
    }
    case "turn/end": {
      const suspended = event.data.outcome === "suspended"
      const ended = { openTurn: undefined, suspendedTurn: suspended ? event.data.turn : undefined }
      return event.data.settled === true ? ended : { ...ended, ...chainOver }
    }
    case "message/queued":
      return { queued: SortedMap.set(state.queued, event.seq, event.data.message) }
    case "step/start": {
      const { generation, step, turn } = event.data
      const open: Step = { turn, step, generation, seq: event.seq, surface: state.surface }
      return {
        step,
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
      return event.data.turn === null && event.data.outcome === "declined" ? chainOver : nothing
    case "request/envelope": {
      const { counts, envelope } = event.data
      return {
        envelope: {
          envelope,
          key: Envelope.key(envelope),
          routeKey: Route.key(envelope.route),
          counts: counts.estimator === estimator.id ? counts.values : estimator.envelope(envelope)
        }
      }
    }
    case "compaction/start":
      return { openCompaction: event.data }
    case "compaction/call": {
      const { summaries } = state
      const { limit, outcome, route, span } = event.data
      const key = route === undefined ? "" : Route.key(route)
      return {
        summaryCall: { span, route, outcome, generation: state.surface.generation },
        recordedSummary: recordedSummary(state.recordedSummary, state.surface, event.seq, event.data),
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
      return event.data.trigger === "pressure" ? { lastPressure: seen(state) } : nothing
    case "compaction/summary":
      return {
        summaries: { ...state.summaries, landed: state.summaries.landed + 1 },
        // it stands there now, or something else does
        ...(state.recordedSummary?.first === event.data.span.first ? { recordedSummary: undefined } : {})
      }
    case "compaction/end":
      return compactionEnd(state, event.data)
    default:
      return nothing
  }
}
