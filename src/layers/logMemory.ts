/**
 * Logs in memory, for tests and for sessions that need not outlive the process.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { LogWriteFailed, SessionLocked } from "../errors/SessionError.ts"
import type { Seq, SessionId } from "../session/Ids.ts"
import * as jsonCopy from "../session/jsonCopy.ts"
import { type Batch, type LogHandle, LogStore } from "../services/LogStore.ts"
import { AtOnce } from "./AtOnce.ts"

interface Log {
  /** As JSON would bring them back: nobody who wrote or read them can change them, and what is no JSON is refused here too. */
  readonly batches: Array<Batch>
  next: Seq
  owner: { readonly writer: string; readonly since: number } | undefined
}

const makeHandle = (session: SessionId, log: Log, writer: string): LogHandle => ({
  writer,
  read: (from) =>
    Stream.suspend(() => Stream.fromIterable(log.batches.filter(({ events, seq }) => seq + events.length > from))).pipe(
      Stream.map(({ events, seq }): Batch => ({ seq, events: Either.getOrThrow(jsonCopy.make(events)) }))
    ),
  append: (batch) =>
    new AtOnce(() => {
      const refuse = (detail: string) =>
        Exit.fail(new LogWriteFailed({ session, seq: batch.seq, written: "no", detail }))
      if (log.owner?.writer !== writer) return refuse("the log is closed")
      if (batch.seq !== log.next) return refuse(`the next free seq is ${log.next}`)
      const events = jsonCopy.make(batch.events)
      if (Either.isLeft(events)) return refuse(events.left)
      log.next += events.right.length
      if (log.next > batch.seq) log.batches.push({ seq: batch.seq, events: events.right })
      return Exit.void
    })
})

/**
 * A store of its own; its logs live as long as it does.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<LogStore["Type"]> = Effect.sync(() => {
  const logs = new Map<SessionId, Log>()

  const open = Effect.fnUntraced(function* (session: SessionId) {
    const since = yield* Clock.currentTimeMillis
    const log = logs.get(session) ?? { batches: [], next: 0, owner: undefined }
    logs.set(session, log)
    const take = Effect.suspend(() => {
      if (log.owner !== undefined) {
        return new SessionLocked({ session, owner: "a writer of this store", since: log.owner.since })
      }
      log.owner = { writer: globalThis.crypto.randomUUID(), since }
      return Effect.succeed(log.owner)
    })
    const { writer } = yield* Effect.acquireRelease(take, () => Effect.sync(() => (log.owner = undefined)))
    return makeHandle(session, log, writer)
  })

  return LogStore.of({ open, exists: (session) => Effect.sync(() => (logs.get(session)?.next ?? 0) > 0) })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<LogStore> = Layer.effect(LogStore, make)
