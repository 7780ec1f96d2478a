/**
 * What may go wrong with a session and its log.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { exactOptional } from "../session/exactOptional.ts"
import type { ModelError } from "./ModelError.ts"

/**
 * Another owner writes this session. `since` is epoch milliseconds, where the owner left it.
 *
 * @since 0.1.0
 * @category errors
 */
export class SessionLocked extends Schema.TaggedError<SessionLocked>("effect-compaction/errors/SessionLocked")(
  "SessionLocked",
  { session: Schema.String, owner: Schema.String, since: exactOptional(Schema.Number) }
) {
  override get message(): string {
    const since = this.since === undefined ? "" : ` since ${new Date(this.since).toISOString()}`
    return `session "${this.session}" is open elsewhere: ${this.owner} holds it${since}`
  }
}

/**
 * A turn runs, or waits for answers to its tool calls; or a request of an application's own loop is out, and `turn` is null.
 *
 * @since 0.1.0
 * @category errors
 */
export class SessionBusy extends Schema.TaggedError<SessionBusy>("effect-compaction/errors/SessionBusy")(
  "SessionBusy",
  {
    session: Schema.String,
    turn: Schema.NullOr(Schema.Int),
    state: Schema.Literal("running", "suspended")
  }
) {
  override get message(): string {
    const busyWith = this.turn === null ? "a request of the application's own loop" : `turn ${this.turn}`
    return this.state === "running"
      ? `session "${this.session}" is busy with ${busyWith}`
      : `session "${this.session}" waits for answers to the tool calls of turn ${this.turn}: use AgentLoop.resume`
  }
}

/**
 * There is no turn that waits for answers to its tool calls.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotSuspended extends Schema.TaggedError<NotSuspended>("effect-compaction/errors/NotSuspended")(
  "NotSuspended",
  { session: Schema.String }
) {
  override get message(): string {
    return `session "${this.session}" has no turn that waits for answers: it may have been resumed already`
  }
}

/**
 * The log cannot be read as a session. `seq` is the first event that is not trusted; `line` counts from 1, where the
 * store has lines.
 *
 * @since 0.1.0
 * @category errors
 */
export class SessionCorrupt extends Schema.TaggedError<SessionCorrupt>("effect-compaction/errors/SessionCorrupt")(
  "SessionCorrupt",
  { session: Schema.String, seq: Schema.Number, line: exactOptional(Schema.Number), reason: Schema.String }
) {
  override get message(): string {
    const line = this.line === undefined ? "" : `, line ${this.line}`
    return `the log of session "${this.session}" cannot be read at seq ${this.seq}${line}: ${this.reason}`
  }
}

/**
 * A batch was not acknowledged. `written: "no"`: it is not in the log. `"unknown"`: it may be; this writer has ended and
 * the next open decides.
 *
 * @since 0.1.0
 * @category errors
 */
export class LogWriteFailed extends Schema.TaggedError<LogWriteFailed>("effect-compaction/errors/LogWriteFailed")(
  "LogWriteFailed",
  { session: Schema.String, seq: Schema.Number, written: Schema.Literal("no", "unknown"), detail: Schema.String }
) {
  override get message(): string {
    const state = this.written === "no" ? "was not written" : "may or may not have been written"
    return `session "${this.session}": the batch at seq ${this.seq} ${state}: ${this.detail}`
  }
}

/**
 * A branch that cannot be made: nothing was written. `session` is the one to branch, `as` the id for the branch.
 *
 * - `no-such-session`: nothing is known of it
 * - `no-such-seq`: it has no event there
 * - `invalid-id`: `as` cannot name a session
 * - `exists`: there is a session of that id already, or a copy of something else that was not finished
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidBranch extends Schema.TaggedError<InvalidBranch>("effect-compaction/errors/InvalidBranch")(
  "InvalidBranch",
  {
    session: Schema.String,
    as: Schema.String,
    reason: Schema.Literal("no-such-session", "no-such-seq", "invalid-id", "exists"),
    detail: Schema.String
  }
) {
  override get message(): string {
    return `session "${this.session}" was not branched (${this.reason}): ${this.detail}`
  }
}

/**
 * @since 0.1.0
 * @category errors
 */
export type OpenError = SessionLocked | SessionCorrupt | LogWriteFailed

/**
 * @since 0.1.0
 * @category errors
 */
export type TurnError = ModelError | SessionBusy | LogWriteFailed
