/**
 * Everything that a session's log says, folded into one value: the surface, the meter, and where the turn, its step and
 * its compaction are. Live operation and replay use this one fold, so a resumed session is the one that stopped.
 *
 * @since 0.1.0
 */
import * as Order from "effect/Order"
import * as SortedMap from "effect/SortedMap"
import type * as Envelope from "../session/Envelope.ts"
import type { Seq } from "../session/Ids.ts"
import type { Message } from "../session/Message.ts"
import type { Route } from "../session/Route.ts"
import type * as SessionEvent from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Usage from "../session/Usage.ts"
import type { Carried } from "./Changes.ts"
import * as Meter from "./Meter.ts"
import type * as RouteFacts from "./RouteFacts.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

/**
 * The envelope that the newest `request/envelope` event holds.
 *
 * @since 0.1.0
 * @category models
 */
export interface CurrentEnvelope extends Carried {
  readonly envelope: Envelope.Envelope
}

/**
 * A step: one model request and the tool calls that it asked for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Step {
  readonly turn: number | null
  readonly step: number
  /** the generation that its request was built at */
  readonly generation: number
  readonly seq: Seq
  /** what its request was built from */
  readonly surface: SurfaceState.SurfaceState
}

/**
 * The newest request that the provider answered: its cache holds these very messages.
 *
 * @since 0.1.0
 * @category models
 */
export interface Accepted {
  readonly surface: SurfaceState.SurfaceState
  readonly envelope: CurrentEnvelope
  /** its input, where the provider counted it; `short`: less than it had to be, by what the count before it was */
  readonly counted?: { readonly input: number; readonly short: boolean }
}

/**
 * The newest refused request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refusal extends Omit<Step, "surface"> {
  /** what the meter had said of it */
  readonly measured: number
  readonly limit?: number
  readonly requested?: number
  /** what it had too much of; absent: tokens */
  readonly unit?: "tokens" | "bytes"
}

/**
 * What a pressure run saw when it ended; another one needs something new.
 *
 * @since 0.1.0
 * @category models
 */
export interface Seen {
  readonly newest: Seq
  readonly envelopeKey: string
}

/**
 * Summaries in a row, of one trigger, that failed or did not help.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ineffective {
  readonly times: number
  /** raw counts of the surface at the last of them, and its route */
  readonly surface: ReadonlyArray<number>
  readonly routeKey: string
  /** fingerprint of the policy of the last of them; undefined: its record does not say */
  readonly policy: string | undefined
}

/**
 * A summary request that ended.
 *
 * @since 0.1.0
 * @category models
 */
export interface SummaryCall {
  readonly span: { readonly first: Seq; readonly last: Seq } | undefined
  readonly route: Route | undefined
  readonly outcome: string
  /** of the surface, when it ended */
  readonly generation: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface SessionState {
  /** seq of the next event */
  readonly revision: Seq
  readonly opened: { readonly session: string; readonly writer: string } | undefined
  /** where it branched off, if it did */
  readonly parent: SessionEvent.Parent | undefined
  readonly surface: SurfaceState.SurfaceState
  readonly meter: Meter.Meter
  readonly envelope: CurrentEnvelope | undefined
  readonly routes: ReadonlyMap<string, RouteFacts.RouteFacts>
  /** number of the newest turn, -1 before the first */
  readonly turn: number
  readonly openTurn: number | undefined
  /** the turn that ended as suspended and was not resumed */
  readonly suspendedTurn: number | undefined
  /** context that waits to join, by the seq of its `message/queued`: neither taking one in nor letting one join copies the others */
  readonly queued: SortedMap.SortedMap<Seq, Message>
  /** number of the newest step of this turn, or of the session where the application runs its own loop */
  readonly step: number
  readonly openStep: Step | undefined
  readonly accepted: Accepted | undefined
  /** refused requests since the last completed answer, or the last turn that a living process ended */
  readonly refusals: number
  /** the same of those that were refused for their bytes, which `refusals` does not count */
  readonly byteRefusals: number
  readonly refusal: Refusal | undefined
  readonly openCompaction: SessionEvent.BodyOf<"compaction/start">["data"] | undefined
  /** seq of the newest answer or message that came by appending, -1 before the first */
  readonly newest: Seq
  readonly lastPressure: Seen | undefined
  readonly resting: ReadonlyMap<SessionEvent.Trigger, Ineffective>
  /** the newest summary request */
  readonly summaryCall: SummaryCall | undefined
  readonly summaries: { readonly calls: number; readonly landed: number; readonly usage: Usage.Usage }
}

/**
 * The state of an empty log.
 *
 * @since 0.1.0
 * @category constructors
 */
export const empty = (estimator: TokenEstimator): SessionState => ({
  revision: 0,
  opened: undefined,
  parent: undefined,
  surface: SurfaceState.empty(estimator.dimensions),
  meter: Meter.empty(),
  envelope: undefined,
  routes: new Map(),
  turn: -1,
  openTurn: undefined,
  suspendedTurn: undefined,
  queued: SortedMap.empty(Order.number),
  step: -1,
  openStep: undefined,
  accepted: undefined,
  refusals: 0,
  byteRefusals: 0,
  refusal: undefined,
  openCompaction: undefined,
  newest: -1,
  lastPressure: undefined,
  resting: new Map(),
  summaryCall: undefined,
  summaries: { calls: 0, landed: 0, usage: Usage.zero }
})

/**
 * The state with one more message. Every field is named, because a spread of so many costs an engine fifty times as much
 * (1.3 microseconds against 25 nanoseconds on Node 20), and each message pays for it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withMessage = (
  state: SessionState,
  node: SurfaceState.Node,
  surface: SurfaceState.SurfaceState
): SessionState => ({
  revision: node.seq + 1,
  opened: state.opened,
  parent: state.parent,
  surface,
  meter: state.meter,
  envelope: state.envelope,
  routes: state.routes,
  turn: state.turn,
  openTurn: state.openTurn,
  suspendedTurn: state.suspendedTurn,
  queued: state.queued,
  step: state.step,
  openStep: state.openStep,
  accepted: state.accepted,
  refusals: state.refusals,
  byteRefusals: state.byteRefusals,
  refusal: state.refusal,
  openCompaction: state.openCompaction,
  newest: node.seq,
  lastPressure: state.lastPressure,
  resting: state.resting,
  summaryCall: state.summaryCall,
  summaries: state.summaries
})

/** One object, since estimators keep what they made for a route. */
const unknownRoute = { provider: "unknown", model: "unknown" }

/**
 * The weights of the tokenizer of an envelope's route; without one, of a route that nobody knows.
 *
 * @since 0.1.0
 * @category getters
 */
export const weightsFor = (envelope: CurrentEnvelope | undefined, estimator: TokenEstimator): ReadonlyArray<number> =>
  estimator.weights(envelope === undefined ? unknownRoute : envelope.envelope.route)

/**
 * The weights of the current route's tokenizer.
 *
 * @since 0.1.0
 * @category getters
 */
export const weights = (state: SessionState, estimator: TokenEstimator): ReadonlyArray<number> =>
  weightsFor(state.envelope, estimator)

/**
 * Where the next request goes, as far as is known.
 *
 * @since 0.1.0
 * @category getters
 */
export const routeOf = ({ envelope }: SessionState): Route | undefined => envelope?.envelope.route

/**
 * @since 0.1.0
 * @category getters
 */
export const routeFacts = (state: SessionState, routeKey: string): RouteFacts.RouteFacts =>
  state.routes.get(routeKey) ?? {}

/**
 * What a pressure run that ends now has seen.
 *
 * @since 0.1.0
 * @category getters
 */
export const seen = (state: SessionState): Seen => ({
  newest: state.newest,
  envelopeKey: state.envelope?.key ?? ""
})

/**
 * Whether nothing came to the session since the last pressure run ended: no answer, no message, no other envelope.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isRepeat = (state: SessionState): boolean => {
  const now = seen(state)
  return state.lastPressure?.newest === now.newest && state.lastPressure.envelopeKey === now.envelopeKey
}
