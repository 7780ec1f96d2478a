/**
 * What the log's records say of a session: all that a message alone does not change. Where the turn, its step and its
 * compaction are, what was sent and refused, what was learned of routes.
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
import type * as SurfaceState from "../session/SurfaceState.ts"
import * as Usage from "../session/Usage.ts"
import type { Carried } from "./Changes.ts"
import type * as RouteFacts from "./RouteFacts.ts"

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
 * A request that the provider answered and counted. `input` is its count; `short`: less than it had to be, by what the count
 * before it was.
 *
 * @since 0.1.0
 * @category models
 */
export interface Counted {
  readonly surface: SurfaceState.SurfaceState
  readonly envelope: CurrentEnvelope
  readonly counted: { readonly input: number; readonly short: boolean }
}

/**
 * The newest request that the provider answered: its cache holds these very messages. `before`: the newest that was counted,
 * where this one was not, or not yet, since a stream is counted at its end.
 *
 * @since 0.1.0
 * @category models
 */
export interface Accepted extends Omit<Counted, "counted"> {
  readonly counted?: Counted["counted"]
  readonly before?: Counted
}

/**
 * @since 0.1.0
 * @category getters
 */
export const newestCounted = (accepted: Accepted | undefined): Counted | undefined => {
  if (accepted?.counted === undefined) return accepted?.before
  const { counted, envelope, surface } = accepted
  return { surface, envelope, counted }
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
 * The newest summary that was paid for and has not come to stand for its messages. `seq` is that of the record which holds
 * its `output`, `id` the run's.
 *
 * @since 0.1.0
 * @category models
 */
export interface RecordedSummary {
  readonly id: string
  readonly seq: Seq
  readonly first: Seq
  readonly last: Seq
  readonly asked: string
  readonly output: string
  readonly omitted: number
  readonly route?: Route
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Records {
  readonly opened: { readonly session: string; readonly writer: string } | undefined
  /** where it branched off, if it did */
  readonly parent: SessionEvent.Parent | undefined
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
  readonly lastPressure: Seen | undefined
  readonly resting: ReadonlyMap<SessionEvent.Trigger, Ineffective>
  /** the newest summary request */
  readonly summaryCall: SummaryCall | undefined
  readonly recordedSummary: RecordedSummary | undefined
  readonly summaries: { readonly calls: number; readonly landed: number; readonly usage: Usage.Usage }
}

/**
 * Those of an empty log.
 *
 * @since 0.1.0
 * @category constructors
 */
export const empty = (): Records => ({
  opened: undefined,
  parent: undefined,
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
  lastPressure: undefined,
  resting: new Map(),
  summaryCall: undefined,
  recordedSummary: undefined,
  summaries: { calls: 0, landed: 0, usage: Usage.zero }
})

/**
 * Those with these changes. Each field is named, since an engine gives what a spread makes a hidden class of its own: a
 * fold that looks at records of many classes is slow for good.
 *
 * @since 0.1.0
 * @category combinators
 */
export const changed = (records: Records, changes: Partial<Records>): Records =>
  Object.assign(
    {
      opened: records.opened,
      parent: records.parent,
      envelope: records.envelope,
      routes: records.routes,
      turn: records.turn,
      openTurn: records.openTurn,
      suspendedTurn: records.suspendedTurn,
      queued: records.queued,
      step: records.step,
      openStep: records.openStep,
      accepted: records.accepted,
      refusals: records.refusals,
      byteRefusals: records.byteRefusals,
      refusal: records.refusal,
      openCompaction: records.openCompaction,
      lastPressure: records.lastPressure,
      resting: records.resting,
      summaryCall: records.summaryCall,
      recordedSummary: records.recordedSummary,
      summaries: records.summaries
    },
    changes
  )
