/**
 * The surface of one session, and the only way to its log.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Draft, SurfaceDraft } from "../compaction/drafts.ts"
import type { SessionState } from "../compaction/SessionState.ts"
import type { CompactionBusy, InvalidReplacement, SpanChanged } from "../errors/CompactionError.ts"
import type { LogWriteFailed, OpenError, SessionBusy } from "../errors/SessionError.ts"
import type { Seq, SessionId } from "../session/Ids.ts"
import type { Message } from "../session/Message.ts"
import type * as SessionEvent from "../session/SessionEvent.ts"
import type { Node, SurfaceState } from "../session/SurfaceState.ts"
import type { Batch } from "./LogStore.ts"

export type { Draft, SurfaceDraft } from "../compaction/drafts.ts"

/**
 * The right to replace, for as long as the compaction run that opened it lasts.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ticket {
  readonly id: string
  readonly trigger: SessionEvent.Trigger
  /** the `CompactionRun` of the fiber that opened it */
  readonly run?: object | undefined
}

/**
 * What a session may be busy with: a turn of `AgentLoop`, or a request of an application's own loop.
 *
 * @since 0.1.0
 * @category models
 */
export type Occupant = "turn" | "request"

/**
 * What to put in place of what.
 *
 * @since 0.1.0
 * @category models
 */
export interface Replace {
  readonly spans: ReadonlyArray<{ readonly first: Seq; readonly last: Seq; readonly by: SurfaceDraft }>
  /**
   * What the decision was made on, and must still be there: the whole surface as it was, or these nodes, the same and in
   * this order.
   */
  readonly expected: { readonly surface: SurfaceState } | { readonly nodes: ReadonlyArray<Node> }
  /** The records that belong in the same batch, before and after the messages; the price is in tokens. */
  readonly records: (
    price: typeof SessionEvent.Price.Type,
    shadowed: readonly [Seq, ...Array<Seq>]
  ) => {
    readonly before: ReadonlyArray<Draft>
    readonly after: ReadonlyArray<Draft>
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Surface extends Context.Tag("effect-compaction/services/Surface")<
  Surface,
  {
    readonly id: SessionId
    /** Everything that the log says, at its newest revision. Takes no lock. */
    readonly state: Effect.Effect<SessionState>
    /** The same as a plain call, for who reads it at every step inside an effect of their own. */
    readonly unsafeState: () => SessionState
    /** How many replacements have landed, durably. It only grows. Takes no lock. */
    readonly generation: Effect.Effect<number>
    /** The messages of the next request. Takes no lock; built once a revision. */
    readonly messages: Effect.Effect<ReadonlyArray<Message>>
    /**
     * Appends messages in one batch. While an automatic compaction runs, messages of others wait until it ends. Where calls are open and something else than their results comes, the missing
     * results are filled in as aborted; a result without an open call becomes a text of the user's side. So no request
     * is ever built with half a pair.
     */
    readonly append: (...messages: ReadonlyArray<Message>) => Effect.Effect<void, LogWriteFailed>
    /**
     * Writes events in one batch, decided on the newest state; none: nothing is written. Uninterruptible once it has begun.
     * Answers the state as the batch left it.
     */
    readonly commit: (
      drafts: (state: SessionState) => ReadonlyArray<Draft>
    ) => Effect.Effect<SessionState, LogWriteFailed>
    /** Occupies the session until the scope closes. One at a time: a second one fails, at once. */
    readonly occupy: (by: Occupant) => Effect.Effect<void, SessionBusy, Scope.Scope>
    /** Who occupies it, in this process, at the moment of the call: so that `commit` can decide on it. */
    readonly occupant: () => Occupant | undefined
    /**
     * Opens a run, the only one of this session at a time; its ticket is void once `use` is over, whatever way.
     * `busy`: what to do while another run is open.
     */
    readonly withTicket: <A, E, R>(
      trigger: SessionEvent.Trigger,
      busy: "fail" | "wait",
      use: (ticket: Ticket) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | CompactionBusy, R>
    /** Voids the ticket that a fiber of this `CompactionRun` opened. For a run that does not end when it is told to. */
    readonly voidTicket: (run: object) => Effect.Effect<void>
    readonly openTicket: Effect.Effect<Ticket | undefined>
    /** Waits until no run is open. */
    readonly whenNoRun: Effect.Effect<void>
    /**
     * The commit point: refuses what is not strictly smaller, a void ticket, a span that changed; then writes durably,
     * then moves the generation. Answers the new one.
     */
    readonly replace: (
      ticket: Ticket,
      replace: Replace
    ) => Effect.Effect<number, InvalidReplacement | SpanChanged | LogWriteFailed>
    /** The log as it was written, from the batch that holds `from` on: for copies. */
    readonly batches: (from: Seq) => Stream.Stream<Batch, OpenError>
    /** The log from `from` on, shadowed events included. */
    readonly history: (from: Seq) => Stream.Stream<SessionEvent.SessionEvent | SessionEvent.SkippedEvent, OpenError>
    /** The events that are written from now on. A slow reader misses the oldest and holds nobody up. */
    readonly events: Stream.Stream<SessionEvent.SessionEvent>
  }
>() {}
