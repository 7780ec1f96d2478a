/**
 * Everything that a session's log says, folded into one value: the surface, the meter, and where the turn, its step and
 * its compaction are. Live operation and replay use this one fold, so a resumed session is the one that stopped.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import type { Route } from "../session/Route.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Meter from "./Meter.ts"
import * as Records from "./Records.ts"
import type * as RouteFacts from "./RouteFacts.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

export type { Accepted, CurrentEnvelope, Ineffective, Refusal, Seen, Step, SummaryCall } from "./Records.ts"

/**
 * A value that each message makes anew: so it holds little itself, and all that a message leaves as it is stands in
 * `records`, which states share. To who reads it both are fields of the state. It is not for spreading, which would lose
 * them: `changed` makes another.
 *
 * @since 0.1.0
 * @category models
 */
export class SessionState implements Records.Records {
  // declared, so that nothing is stored before the constructor does: objects that began otherwise are slower to read
  /** seq of the next event */
  declare readonly revision: Seq
  /** seq of the newest answer or message that came by appending, -1 before the first */
  declare readonly newest: Seq
  declare readonly surface: SurfaceState.SurfaceState
  declare readonly meter: Meter.Meter
  declare readonly records: Records.Records
  /** a spread is no state: the types say so */
  declare private readonly whole: true

  constructor(
    revision: Seq,
    newest: Seq,
    surface: SurfaceState.SurfaceState,
    meter: Meter.Meter,
    records: Records.Records
  ) {
    this.revision = revision
    this.newest = newest
    this.surface = surface
    this.meter = meter
    this.records = records
  }

  get opened() {
    return this.records.opened
  }
  get parent() {
    return this.records.parent
  }
  get envelope() {
    return this.records.envelope
  }
  get routes() {
    return this.records.routes
  }
  get turn() {
    return this.records.turn
  }
  get openTurn() {
    return this.records.openTurn
  }
  get suspendedTurn() {
    return this.records.suspendedTurn
  }
  get queued() {
    return this.records.queued
  }
  get step() {
    return this.records.step
  }
  get openStep() {
    return this.records.openStep
  }
  get accepted() {
    return this.records.accepted
  }
  get refusals() {
    return this.records.refusals
  }
  get byteRefusals() {
    return this.records.byteRefusals
  }
  get refusal() {
    return this.records.refusal
  }
  get openCompaction() {
    return this.records.openCompaction
  }
  get lastPressure() {
    return this.records.lastPressure
  }
  get resting() {
    return this.records.resting
  }
  get summaryCall() {
    return this.records.summaryCall
  }
  get recordedSummary() {
    return this.records.recordedSummary
  }
  get summaries() {
    return this.records.summaries
  }
}

/**
 * The state of an empty log.
 *
 * @since 0.1.0
 * @category constructors
 */
export const empty = (estimator: TokenEstimator): SessionState =>
  new SessionState(0, -1, SurfaceState.empty(estimator.dimensions), Meter.empty(), Records.empty())

/**
 * What may be another in the next state.
 *
 * @since 0.1.0
 * @category models
 */
export interface Changes extends Partial<Records.Records> {
  readonly newest?: Seq
  readonly surface?: SurfaceState.SurfaceState
  readonly meter?: Meter.Meter
}

/**
 * The state with these changes. `revision` has a place of its own, since changes that somebody worked out gain no field but by
 * a spread, which an engine takes many times as long for.
 *
 * @since 0.1.0
 * @category combinators
 */
export const changed = (
  state: SessionState,
  { meter = state.meter, newest = state.newest, surface = state.surface, ...records }: Changes,
  revision: Seq = state.revision
): SessionState => new SessionState(revision, newest, surface, meter, Records.changed(state.records, records))

/**
 * The state with one more message, the newest. Records stay as they are.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withMessage = (
  state: SessionState,
  seq: Seq,
  surface: SurfaceState.SurfaceState,
  meter: Meter.Meter
): SessionState => new SessionState(seq + 1, seq, surface, meter, state.records)

/** One object, since estimators keep what they made for a route. */
const unknownRoute = { provider: "unknown", model: "unknown" }

/**
 * The weights of the tokenizer of an envelope's route; without one, of a route that nobody knows.
 *
 * @since 0.1.0
 * @category getters
 */
export const weightsFor = (
  envelope: Records.CurrentEnvelope | undefined,
  estimator: TokenEstimator
): ReadonlyArray<number> => estimator.weights(envelope === undefined ? unknownRoute : envelope.envelope.route)

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
export const seen = (state: SessionState): Records.Seen => ({
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

/**
 * Why this is no session: the copy of a branch that was cut off, which would be read as what never was.
 *
 * @since 0.1.0
 * @category getters
 */
export const unfinishedBranch = ({ parent, revision }: SessionState): string | undefined =>
  parent === undefined || revision > parent.seq
    ? undefined
    : `it is a branch of session "${parent.session}" at seq ${parent.seq} whose copy was not finished`
