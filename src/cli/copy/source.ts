/**
 * What is copied: logs that are read as they stand, without a lock and without a change to them.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { LogWriteFailed, SessionCorrupt } from "../../errors/SessionError.ts"
import type { EncodedBatch } from "../../session/LogFrame.ts"
import type { SessionId } from "../../session/Ids.ts"
import type { BadInput } from "../exitCode.ts"

/**
 * A batch as it stands in the log, verified.
 *
 * @since 0.1.0
 * @category models
 */
export interface SourceBatch extends EncodedBatch {
  /** of the line or row, with its frame */
  readonly bytes: number
}

/**
 * A session that could not even be looked at, or that a log's name hides.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unusable {
  readonly session: string
  readonly reason: string
}

/**
 * One session's log. `owner` says in words who has it open, where somebody has or may have; `batches` are the whole batches
 * that are written when the stream ends.
 *
 * @since 0.1.0
 * @category models
 */
export interface SourceLog {
  readonly session: SessionId
  readonly owner: Effect.Effect<string | undefined, BadInput>
  readonly batches: Stream.Stream<SourceBatch, SessionCorrupt | LogWriteFailed>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Source {
  readonly shown: string
  /** all sessions, or the one of that id, if there is one */
  readonly logs: (
    session: SessionId | undefined
  ) => Effect.Effect<{ readonly logs: ReadonlyArray<SourceLog>; readonly unusable: ReadonlyArray<Unusable> }, BadInput>
}
