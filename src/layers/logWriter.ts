/**
 * Appends batches to the end of an opened log file, one line each.
 *
 * @since 0.1.0
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { LogWriteFailed } from "../errors/SessionError.ts"
import type { Seq, SessionId } from "../session/Ids.ts"
import * as LogFrame from "../session/LogFrame.ts"
import type { Batch, LogHandle } from "../services/LogStore.ts"
import { describe } from "./logFault.ts"

/**
 * `written` is how far the log goes: what is past it was never acknowledged.
 *
 * @since 0.1.0
 * @category models
 */
export interface LogWriter {
  readonly written: () => { readonly next: Seq; readonly length: number }
  readonly append: LogHandle["append"]
}

/**
 * `next` and `length` are where the log ends now. The writer ends with the scope, after an append that has begun.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (options: {
  readonly session: SessionId
  readonly file: FileSystem.File
  readonly next: Seq
  readonly length: number
  readonly sync: "batch" | "turn" | "none"
}) {
  const { session, file } = options
  const semaphore = yield* Effect.makeSemaphore(1)
  let { next, length } = options
  let ended: { readonly written: "no" | "unknown"; readonly detail: string } | undefined

  yield* Effect.addFinalizer(() =>
    semaphore.withPermits(1)(Effect.sync(() => (ended ??= { written: "no", detail: "the log is closed" })))
  )

  const failure = (seq: Seq, written: "no" | "unknown", detail: string) =>
    new LogWriteFailed({ session, seq, written, detail })

  const end = (seq: Seq, detail: string) => {
    ended = { written: "unknown", detail: `this writer ended when ${detail}` }
    return failure(seq, "unknown", detail)
  }

  const write = Effect.fnUntraced(function* (batch: Batch, line: Uint8Array) {
    const wrote = yield* Effect.exit(file.writeAll(line))
    if (Exit.isSuccess(wrote)) return
    const why = `the write failed: ${describe(Cause.squash(wrote.cause))}`
    // Part of the line may be there, or all of it. It is undone only if that is on disk too.
    const undone = yield* Effect.exit(Effect.zipRight(file.truncate(length), file.sync))
    if (Exit.isSuccess(undone)) return yield* failure(batch.seq, "no", why)
    return yield* end(batch.seq, `${why}; it could not be undone: ${describe(Cause.squash(undone.cause))}`)
  })

  const appendOne = Effect.fnUntraced(function* (batch: Batch, sync: boolean) {
    if (ended !== undefined) return yield* failure(batch.seq, ended.written, ended.detail)
    if (batch.seq !== next) return yield* failure(batch.seq, "no", `the next free seq is ${next}`)
    let size = 0
    // A batch without events is no line. It may still ask for what is written to be synced.
    if (batch.events.length > 0) {
      const line = LogFrame.encode(batch.seq, batch.events)
      if (Either.isLeft(line)) return yield* failure(batch.seq, "no", line.left)
      size = line.right.length
      yield* write(batch, line.right)
    }
    if (sync) {
      const synced = yield* Effect.exit(file.sync)
      // Not tried again: a system may forget what it failed to sync and report success the next time.
      if (Exit.isFailure(synced)) {
        return yield* end(batch.seq, `the sync failed: ${describe(Cause.squash(synced.cause))}`)
      }
    }
    next += batch.events.length
    length += size
  })

  const writer: LogWriter = {
    written: () => ({ next, length }),
    append: (batch, { idle, sync }) => {
      const synced = sync || options.sync === "batch" || (options.sync === "turn" && idle === true)
      return semaphore.withPermits(1)(Effect.uninterruptible(appendOne(batch, synced)))
    }
  }
  return writer
}) satisfies (...args: never) => Effect.Effect<LogWriter, never, Scope.Scope>
