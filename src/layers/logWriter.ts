/**
 * Appends batches to the end of an opened log file, one line each.
 *
 * @since 0.1.0
 */
import type { PlatformError } from "@effect/platform/Error"
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
import type { LogGuard } from "./logGuard.ts"

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
  /** runs before the first write that is not synced, when all before it is on disk */
  readonly beforeUnsynced: (length: number) => Effect.Effect<void, PlatformError>
  readonly guard: LogGuard
}) {
  const { session, file, guard } = options
  const semaphore = yield* Effect.makeSemaphore(1)
  let { next, length } = options
  let marked = false
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

  const endBefore = (seq: Seq, detail: string) => {
    ended = { written: "no", detail: `this writer ended when ${detail}` }
    return failure(seq, "no", detail)
  }

  /** Whatever keeps a batch from being begun: nothing of it is written. */
  const prepare = Effect.fnUntraced(
    function* (seq: Seq, synced: boolean) {
      const taken = (yield* guard.lock) ?? (yield* guard.file(length))
      if (taken !== undefined) return yield* endBefore(seq, taken)
      if (synced || marked) return
      const before = yield* Effect.exit(file.sync)
      if (Exit.isFailure(before)) {
        return yield* endBefore(
          seq,
          `the sync of what stands before it failed: ${describe(Cause.squash(before.cause))}`
        )
      }
      yield* options.beforeUnsynced(length)
      marked = true
    },
    (effect, seq): Effect.Effect<void, LogWriteFailed> =>
      Effect.mapError(effect, (error) =>
        error._tag === "LogWriteFailed" ? error : failure(seq, "no", describe(error))
      )
  )

  const write = Effect.fnUntraced(function* (seq: Seq, line: Uint8Array) {
    const wrote = yield* Effect.exit(file.writeAll(line))
    if (Exit.isSuccess(wrote)) return
    const why = `the write failed: ${describe(Cause.squash(wrote.cause))}`
    // Part of the line may be there, or all of it. It is undone only if that is on disk too, and what is cut is our own.
    const undo = Effect.flatMap(guard.lock, (taken): Effect.Effect<void, unknown> =>
      taken === undefined ? Effect.zipRight(file.truncate(length), file.sync) : Effect.fail(taken)
    )
    const undone = yield* Effect.exit(undo)
    if (Exit.isSuccess(undone)) return yield* failure(seq, "no", why)
    return yield* end(seq, `${why}; it could not be undone: ${describe(Cause.squash(undone.cause))}`)
  })

  const appendOne = Effect.fnUntraced(function* ({ events, seq }: Batch, sync: boolean) {
    if (ended !== undefined) return yield* failure(seq, ended.written, ended.detail)
    if (seq !== next) return yield* failure(seq, "no", `the next free seq is ${next}`)
    let size = 0
    // A batch without events is no line. It may still ask for what is written to be synced.
    if (events.length > 0) {
      const line = LogFrame.encode(seq, events)
      if (Either.isLeft(line)) return yield* failure(seq, "no", line.left)
      size = line.right.length
      yield* prepare(seq, sync)
      yield* write(seq, line.right)
      const taken = yield* Effect.catchAll(guard.file(length + size), (error) => Effect.succeed(describe(error)))
      if (taken !== undefined) return yield* end(seq, `the batch was written: ${taken}`)
    }
    if (sync) {
      const synced = yield* Effect.exit(file.sync)
      // Not tried again: a system may forget what it failed to sync and report success the next time.
      if (Exit.isFailure(synced)) return yield* end(seq, `the sync failed: ${describe(Cause.squash(synced.cause))}`)
    }
    next += events.length
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
