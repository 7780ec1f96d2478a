/**
 * The fold: one event of the log after the other gives the session's state. Live operation and replay use it alike.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as SortedMap from "effect/SortedMap"
import * as HeldMessage from "../session/HeldMessage.ts"
import type { Seq } from "../session/Ids.ts"
import * as Message from "../session/Message.ts"
import type { OutlinedEvent } from "../session/outlinedEvents.ts"
import * as SessionEvent from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import type * as Usage from "../session/Usage.ts"
import { answered } from "./answeredRequest.ts"
import * as Meter from "./Meter.ts"
import { recorded } from "./recordFold.ts"
import { changed, routeOf, type SessionState, weights, withMessage } from "./SessionState.ts"
import { countsOf, nodeOf, shadowedBy, sourceOf } from "./surfaceNodes.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

interface Span extends SurfaceState.Replacement {
  readonly sources?: ReadonlyArray<Seq>
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
  if (event.data.replaces !== undefined) {
    const node = nodeOf(event, estimator, routeOf(state))
    return Either.merge(replacements(state, [{ ...event.data.replaces, node }], estimator))
  }
  const message = HeldMessage.of(event)
  const counts = countsOf(event, message, estimator, routeOf(state))
  if (event.type === "message/assistant") return answer(state, event, message, counts, estimator)
  const surface = SurfaceState.appendOrRefuse(state.surface, event.seq, message, counts, sourceOf(event))
  if ("reason" in surface) return surface
  const next = withMessage(state, event.seq, surface, state.meter)
  const queued = event.type === "message/user" ? event.data.queued : undefined
  return queued === undefined ? next : changed(next, { queued: SortedMap.remove(state.queued, queued) })
}

const answer = (
  state: SessionState,
  event: SessionEvent.BodyOf<"message/assistant"> & SessionEvent.SessionEvent,
  message: HeldMessage.HeldMessage,
  counts: ReadonlyArray<number>,
  estimator: TokenEstimator
): Folded => {
  const { seq } = event
  // the report is of the request, which this answer was not part of
  const counted = answered(state, event.data.usage, estimator)
  if (Message.isEmpty(HeldMessage.outline(message))) return withMessage(counted, seq, counted.surface, counted.meter)
  const surface = SurfaceState.appendOrRefuse(counted.surface, seq, message, counts, "assistant")
  if ("reason" in surface) return surface
  return withMessage(counted, seq, surface, Meter.answered(counted.meter, seq, counts, usageOf(event)))
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
  return Either.right(changed(state, { surface: surface.right, meter }, revision))
}

const sameSeqs = (sources: ReadonlyArray<Seq>, nodes: ReadonlyArray<SurfaceState.Counted>): boolean =>
  sources.length === nodes.length && nodes.every((node, i) => sources[i] === node.seq)

const replacesOf = (event: OutlinedEvent | undefined): SessionEvent.Replaces | undefined =>
  event !== undefined && event.type !== "skipped" && SessionEvent.isSurfaceBody(event) ? event.data.replaces : undefined

const nothing: ReadonlyArray<never> = []

/** The replacements from place `from` on that land in one pass: each is of nodes that stood there before it. */
const passFrom = (
  events: ReadonlyArray<OutlinedEvent>,
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
  events: ReadonlyArray<OutlinedEvent>,
  estimator: TokenEstimator
): Either.Either<SessionState, SurfaceState.Violation> => {
  let current = state
  for (let i = 0; i < events.length;) {
    const pass = passFrom(events, i, estimator, current)
    const next: Folded =
      pass.length > 0
        ? Either.merge(replacements(current, pass, estimator))
        : applyOrRefuse(current, events[i]!, estimator)
    if ("reason" in next) return Either.left(next)
    current = next
    i += Math.max(pass.length, 1)
  }
  return Either.right(current)
}

/** `apply`, unwrapped: each event of a session comes this way. */
export const applyOrRefuse = (state: SessionState, event: OutlinedEvent, estimator: TokenEstimator): Folded =>
  event.type !== "skipped" && SessionEvent.isSurfaceBody(event)
    ? surfaceEvent(state, event as SessionEvent.SurfaceBody & SessionEvent.SessionEvent, estimator)
    : changed(state, recorded(state, event, estimator), event.seq + 1)

/**
 * One event later. A violation leaves the state as it was.
 *
 * @since 0.1.0
 * @category folds
 */
export const apply = (
  state: SessionState,
  event: OutlinedEvent,
  estimator: TokenEstimator
): Either.Either<SessionState, SurfaceState.Violation> => {
  const next = applyOrRefuse(state, event, estimator)
  return "reason" in next ? Either.left(next) : Either.right(next)
}
