/**
 * How the command ends, for scripts and for people.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"

/**
 * `ran`: also when something could not fit, and the report says what. `missed`: of what was written too much is left.
 * `interrupted` is what a shell expects after Ctrl-C.
 *
 * @since 0.1.0
 * @category constants
 */
export const exitCode = { ran: 0, failed: 1, badInput: 2, missed: 3, interrupted: 130 } as const

/**
 * What each of them means, for help and the documentation.
 *
 * @since 0.1.0
 * @category constants
 */
export const meanings: ReadonlyArray<readonly [code: number, meaning: string]> = [
  [exitCode.ran, "it ran, also when something could not fit; the report then says what."],
  [
    exitCode.failed,
    "it failed; of classify --expect: something is not as expected; of doctor: something is wrong with the log; of copy: a session was not copied, or is not the same at both ends."
  ],
  [exitCode.badInput, "what was given cannot be used: nothing was written."],
  [
    exitCode.missed,
    "compact wrote, or with --dry-run would write, a session that is larger than it was to be; the last line says what stays."
  ],
  [exitCode.interrupted, "interrupted; the logs are whole. A provider ends so, and a chat that is left by Ctrl-C."]
]

/**
 * What was given cannot be used. The message is one sentence for the person who gave it.
 *
 * @since 0.1.0
 * @category errors
 */
export class BadInput extends Data.TaggedError("BadInput")<{ readonly message: string }> {}

/**
 * The run itself went wrong.
 *
 * @since 0.1.0
 * @category errors
 */
export class RunFailed extends Data.TaggedError("RunFailed")<{ readonly message: string }> {}

/**
 * A file was made smaller, and not as small as it was to be.
 *
 * @since 0.1.0
 * @category errors
 */
export class TargetMissed extends Data.TaggedError("TargetMissed")<{ readonly message: string }> {}
