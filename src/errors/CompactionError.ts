/**
 * What may go wrong with a compaction. None of these ends a turn.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { exactOptional } from "../session/exactOptional.ts"
import type { LogWriteFailed, SessionBusy } from "./SessionError.ts"

/**
 * A replacement that the surface refuses: nothing was written.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidReplacement extends Schema.TaggedError<InvalidReplacement>(
  "effect-compaction/errors/InvalidReplacement"
)("InvalidReplacement", {
  session: Schema.String,
  reason: Schema.Literal(
    "no-such-node",
    "reversed",
    "overlapping",
    "splits-a-pair",
    "not-smaller",
    "changes-more-than-content",
    "no-ticket",
    "empty"
  ),
  detail: Schema.String
}) {
  override get message(): string {
    return `session "${this.session}": the replacement was refused (${this.reason}): ${this.detail}`
  }
}

/**
 * Why a summary was not made.
 *
 * @since 0.1.0
 * @category models
 */
export const SummaryFailedReason = Schema.Literal(
  "no-route",
  "overflow",
  "payload-too-large",
  "empty",
  "truncated",
  "no-text",
  "protocol",
  "filtered",
  "unknown-finish",
  "no-structure",
  "not-smaller",
  "timed-out",
  "model"
)

/**
 * @since 0.1.0
 * @category errors
 */
export class SummaryFailed extends Schema.TaggedError<SummaryFailed>("effect-compaction/errors/SummaryFailed")(
  "SummaryFailed",
  { reason: SummaryFailedReason, detail: Schema.String, limit: exactOptional(Schema.Number) }
) {
  override get message(): string {
    return `no summary (${this.reason})${this.detail === "" ? "" : `: ${this.detail}`}`
  }
}

/**
 * A compaction of this session runs already.
 *
 * @since 0.1.0
 * @category errors
 */
export class CompactionBusy extends Schema.TaggedError<CompactionBusy>("effect-compaction/errors/CompactionBusy")(
  "CompactionBusy",
  { session: Schema.String }
) {
  override get message(): string {
    return `a compaction of session "${this.session}" is running`
  }
}

/**
 * The span that was summarised is not what stands on the surface now.
 *
 * @since 0.1.0
 * @category errors
 */
export class SpanChanged extends Schema.TaggedError<SpanChanged>("effect-compaction/errors/SpanChanged")(
  "SpanChanged",
  {
    session: Schema.String,
    first: Schema.Number,
    last: Schema.Number
  }
) {
  override get message(): string {
    return `session "${this.session}": the messages from seq ${this.first} to ${this.last} changed while they were summarised`
  }
}

/**
 * A policy that cannot be used; `path` names the field.
 *
 * @since 0.1.0
 * @category errors
 */
export class PolicyInvalid extends Schema.TaggedError<PolicyInvalid>("effect-compaction/errors/PolicyInvalid")(
  "PolicyInvalid",
  { path: Schema.Array(Schema.String), detail: Schema.String }
) {
  override get message(): string {
    return `the compaction policy is invalid at ${this.path.length === 0 ? "its top level" : this.path.join(".")}: ${this.detail}`
  }
}

/**
 * What `Compaction.once` was given is not what its type says; `path` leads to the place.
 *
 * @since 0.1.0
 * @category errors
 */
export class InputInvalid extends Schema.TaggedError<InputInvalid>("effect-compaction/errors/InputInvalid")(
  "InputInvalid",
  { path: Schema.Array(Schema.String), detail: Schema.String }
) {
  override get message(): string {
    return `Compaction.once cannot work with ${this.path.length === 0 ? "what it was given" : this.path.join(".")}: ${this.detail}`
  }
}

/**
 * @since 0.1.0
 * @category errors
 */
export type CompactionError =
  SessionBusy | CompactionBusy | SummaryFailed | SpanChanged | InvalidReplacement | LogWriteFailed
