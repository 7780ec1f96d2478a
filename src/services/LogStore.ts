/**
 * Where logs are kept. The contract is two methods on an opened log.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { LogWriteFailed, OpenError } from "../errors/SessionError.ts"
import type { Seq, SessionId } from "../session/Ids.ts"
import type { EncodedBatch } from "../session/LogFrame.ts"

/**
 * What is written at once: whole or not at all. `seq` is the place of the first event; the events are encoded (plain
 * JSON values) and carry their own seq.
 *
 * @since 0.1.0
 * @category models
 */
export interface Batch {
  readonly seq: Seq
  readonly events: ReadonlyArray<unknown>
}

export type { EncodedBatch }

/**
 * An opened log. Its owner is the only writer until the scope that opened it closes.
 *
 * @since 0.1.0
 * @category models
 */
export interface LogHandle {
  /** Names this writer; no other open of any log, in any process, has the same. */
  readonly writer: string
  /** The batches that hold the events from `from` on, in order; the first may begin before `from`. */
  readonly read: (from: Seq) => Stream.Stream<Batch, OpenError>
  /**
   * Appends at the next free seq; another seq is refused with `written: "no"`. Once it succeeds the batch is written;
   * with `sync` it is also on disk. After a failure with `written: "unknown"` every later append fails.
   *
   * `idle` says that no turn runs after this batch: the last one ended, or waits for answers. A store that syncs by turn
   * does it then.
   */
  readonly append: (
    batch: Batch,
    options: { readonly sync: boolean; readonly idle?: boolean }
  ) => Effect.Effect<void, LogWriteFailed>
}

/**
 * Takes in one batch of a log, or says which event of it is no event of a session.
 *
 * @since 0.1.0
 * @category models
 */
export type Replay = (batch: EncodedBatch) => Either.Either<void, { readonly seq: Seq; readonly reason: string }>

/**
 * @since 0.1.0
 * @category tags
 */
export class LogStore extends Context.Tag("effect-compaction/services/LogStore")<
  LogStore,
  {
    /**
     * Opens the log of `id`, an empty one if there is none. A log that has a writer fails with `SessionLocked`, at once.
     *
     * A store that goes through the whole log to open it may give each of its batches to `replay` on the way, from seq 0 on and
     * once it is verified: the log is not read again then. What `replay` refuses is `SessionCorrupt`. It may keep the bytes:
     * they must stay as they are. A store that holds no JSON leaves `replay` alone, and the log is read from the handle.
     */
    readonly open: (id: SessionId, replay?: Replay) => Effect.Effect<LogHandle, OpenError, Scope.Scope>
    /** Whether a log of that name holds anything. Takes no lock. */
    readonly exists: (id: SessionId) => Effect.Effect<boolean, OpenError>
  }
>() {}
