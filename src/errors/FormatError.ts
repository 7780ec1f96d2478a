/**
 * What may go wrong when a transcript is read.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { exactOptional } from "../session/exactOptional.ts"

/**
 * Why a text is not a transcript.
 *
 * @since 0.1.0
 * @category models
 */
export const TranscriptInvalidReason = Schema.Literal(
  "empty",
  "not-json",
  "unknown-shape",
  "unknown-format",
  "newer-version",
  "broken-line",
  "no-messages"
)

/**
 * @since 0.1.0
 * @category models
 */
export type TranscriptInvalidReason = typeof TranscriptInvalidReason.Type

/**
 * The text cannot be read as a transcript. `line` counts from 1; `path` leads to the place inside the JSON. The message
 * does not name the file: who opened it knows it.
 *
 * @since 0.1.0
 * @category errors
 */
export class TranscriptInvalid extends Schema.TaggedError<TranscriptInvalid>(
  "effect-compaction/errors/TranscriptInvalid"
)("TranscriptInvalid", {
  reason: TranscriptInvalidReason,
  detail: Schema.String,
  line: exactOptional(Schema.Int),
  path: exactOptional(Schema.Array(Schema.String))
}) {
  override get message(): string {
    const place = [
      ...(this.line === undefined ? [] : [`line ${this.line}`]),
      ...(this.path === undefined || this.path.length === 0 ? [] : [`at ${this.path.join(".")}`])
    ]
    return `this is not a readable transcript${place.length === 0 ? "" : ` (${place.join(", ")})`}: ${this.detail}`
  }
}

/**
 * Why a transcript has no text in a format.
 *
 * @since 0.1.0
 * @category models
 */
export const TranscriptUnwritableReason = Schema.Literal("unknown-format", "only-read", "several-sessions", "no-json")

/**
 * The transcript cannot be written in the format that was asked for.
 *
 * @since 0.1.0
 * @category errors
 */
export class TranscriptUnwritable extends Schema.TaggedError<TranscriptUnwritable>(
  "effect-compaction/errors/TranscriptUnwritable"
)("TranscriptUnwritable", { reason: TranscriptUnwritableReason, detail: Schema.String }) {
  override get message(): string {
    return `this transcript cannot be written so: ${this.detail}`
  }
}

/**
 * Any way in which reading or writing a transcript can fail.
 *
 * @since 0.1.0
 * @category errors
 */
export type FormatError = TranscriptInvalid | TranscriptUnwritable
