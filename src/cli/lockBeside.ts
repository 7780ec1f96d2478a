/**
 * Who has a log file open, without touching its lock.
 *
 * @since 0.1.0
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as LogLock from "../layers/logLock.ts"
import type { State } from "../layers/logOwner.ts"

/**
 * The lock beside the log, where somebody holds it. `since` is epoch milliseconds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Lock {
  readonly owner: string
  readonly since?: number
  readonly state: State
}

/**
 * The lock of the log file at `path`. One that cannot be looked at is one of which nothing is known.
 *
 * @since 0.1.0
 * @category getters
 */
export const lockBeside = (fs: FileSystem.FileSystem, path: string): Effect.Effect<Lock | undefined> =>
  path.endsWith(".jsonl")
    ? LogLock.holder(fs, `${path.slice(0, -".jsonl".length)}.lock`).pipe(
        Effect.map(
          Option.match({
            onNone: () => undefined,
            onSome: ({ owner, state }): Lock =>
              owner === undefined
                ? { owner: "an owner that cannot be read", state }
                : { owner: owner.owner, since: owner.since, state }
          })
        ),
        Effect.catchAll((error) =>
          Effect.succeed<Lock>({ owner: `somebody (the lock cannot be read: ${error.message})`, state: "unknown" })
        )
      )
    : Effect.succeed(undefined)
