/**
 * Logs as files in a folder, one file a session, one line a batch.
 *
 * @since 0.1.0
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { LogWriteFailed, SessionCorrupt } from "../errors/SessionError.ts"
import type { Seq, SessionId } from "../session/Ids.ts"
import * as LogFrame from "../session/LogFrame.ts"
import * as LogScan from "../session/LogScan.ts"
import { type Batch, type LogHandle, LogStore, type Replay } from "../services/LogStore.ts"
import { describe, isReason } from "./logFault.ts"
import { fromSessionId } from "./logFileName.ts"
import * as LogFolder from "./logFolder.ts"
import * as LogGuard from "./logGuard.ts"
import * as LogLock from "./logLock.ts"
import * as LogMark from "./logMark.ts"
import * as LogOwner from "./logOwner.ts"
import * as LogWriter from "./logWriter.ts"

/**
 * `sync: "batch"`, the default, syncs every batch to disk before it is acknowledged. `"turn"` does so where no turn runs:
 * at the end of each turn, when one is suspended, and for what is appended between turns. `"none"` leaves plain appends
 * to the system. Without a sync they survive the death of the process, not that of the machine; a replacement, and what
 * else asks for it, is always synced. docs/file-store.md has the promises of each.
 *
 * `whenLocked: "wait"` waits until a living owner lets go of the session or is gone, looking from time to time, for
 * `waitAtMost` (default: until it is interrupted); then, and by default (`"fail"`) at once, an opener gets `SessionLocked`.
 * An owner that cannot be asked, such as one on another machine, is never waited for.
 *
 * `host` names this machine in locks where it has no /proc: a lock of another machine is never taken.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly directory: string
  readonly sync?: "batch" | "turn" | "none"
  readonly whenLocked?: "fail" | "wait"
  readonly waitAtMost?: Duration.DurationInput
  readonly host?: string
}

/** Bytes that are read at once: most logs in one piece. What nobody asks for of them stays in memory by such pieces. */
const chunkSize = 4 * 1024 * 1024

/**
 * A store whose files are named otherwise than by `fromSessionId`. `nameOf` gives names of which none leaves the folder.
 *
 * @internal
 */
export const makeNamed = Effect.fnUntraced(function* (
  options: Options,
  nameOf: (session: SessionId) => Effect.Effect<string>
) {
  const fs = yield* FileSystem.FileSystem
  const me = yield* LogOwner.self(fs, options.host)
  const { directory, sync = "batch", waitAtMost = Duration.infinity, whenLocked = "fail" } = options
  const wait = whenLocked === "wait" ? Duration.decode(waitAtMost) : undefined

  const unusable = (session: SessionId, did: string) => (error: PlatformError) =>
    new LogWriteFailed({ session, seq: 0, written: "no", detail: `the log could not be ${did}: ${describe(error)}` })

  const corrupt = (session: SessionId) => (fault: LogScan.Fault) => new SessionCorrupt({ session, ...fault })

  /** Gives the lines to `replay`, which may keep their bytes: each chunk that is read is memory of its own. */
  const replayed = (lines: ReadonlyArray<LogScan.Line>, replay: Replay): Either.Either<void, LogScan.Fault> => {
    for (const { bytes, header, number } of lines) {
      const { count, seq } = header
      const json = LogFrame.eventsOf(bytes, header)
      if (Either.isLeft(json)) return Either.left({ seq, line: number, reason: json.left })
      const taken = replay({ seq, count, json: json.right })
      if (Either.isLeft(taken)) return Either.left({ line: number, ...taken.left })
    }
    return Either.void
  }

  /** Gives the first `size` bytes of the file chunk by chunk; the next one is read while one is taken. */
  const forEachChunk = <E>(file: FileSystem.File, size: number, take: (bytes: Uint8Array) => Effect.Effect<void, E>) =>
    Effect.gen(function* () {
      let rest = size
      const read = Effect.suspend(() =>
        Effect.tap(file.readAlloc(Math.min(rest, chunkSize)), (bytes) => {
          rest = Option.isNone(bytes) ? 0 : rest - bytes.value.length
        })
      )
      for (let chunk = rest === 0 ? Option.none() : yield* read; Option.isSome(chunk);) {
        const taking = take(chunk.value)
        // two fibers for nothing behind the last one
        if (rest === 0) return yield* taking
        chunk = yield* Effect.zipLeft(read, taking, { concurrent: true })
      }
    })

  /** Verifies the whole file and holds none of it. */
  const verify = Effect.fnUntraced(function* (
    session: SessionId,
    file: FileSystem.File,
    size: number,
    mark: Option.Option<number>,
    replay: Replay = () => Either.void
  ) {
    const scan = LogScan.make(undefined, Option.getOrUndefined(mark))
    const take = (bytes: Uint8Array) =>
      Effect.suspend(() =>
        Either.mapLeft(
          Either.flatMap(scan.push(bytes), (lines) => replayed(lines, replay)),
          corrupt(session)
        )
      )
    yield* forEachChunk(file, size, take).pipe(
      Effect.catchTags({ BadArgument: unusable(session, "read"), SystemError: unusable(session, "read") })
    )
    return yield* Effect.mapError(scan.end(), corrupt(session))
  })

  const decode = (session: SessionId, from: Seq, lines: ReadonlyArray<LogScan.Line>) => {
    const batches: Array<Batch> = []
    for (const { header, bytes, number } of lines) {
      if (header.seq + header.count <= from) continue
      const events = Either.flatMap(LogFrame.eventsOf(bytes, header), (json) =>
        LogFrame.decodeEvents(json, header.count)
      )
      if (Either.isLeft(events)) {
        return Either.left(corrupt(session)({ seq: header.seq, line: number, reason: events.left }))
      }
      batches.push({ seq: header.seq, events: events.right })
    }
    return Either.right(Chunk.unsafeFromArray(batches))
  }

  /** What was written when the stream begins; an append meanwhile is not seen half. */
  const read = (session: SessionId, path: string, writer: LogWriter.LogWriter): LogHandle["read"] =>
    Effect.fnUntraced(function* (from: Seq) {
      const { next, length } = writer.written()
      if (from >= next) return Stream.empty
      const scan = LogScan.make()
      const short = Effect.suspend(() =>
        Effect.flatMap(Effect.mapError(scan.end(), corrupt(session)), (end) =>
          end.next === next
            ? Effect.void
            : corrupt(session)({ seq: end.next, line: end.lines + 1, reason: "the file was cut after it was opened" })
        )
      )
      return fs.stream(path, { chunkSize, bytesToRead: length }).pipe(
        Stream.mapError(unusable(session, "read")),
        Stream.mapEffect((bytes) =>
          Either.flatMap(Either.mapLeft(scan.push(bytes), corrupt(session)), (lines) => decode(session, from, lines))
        ),
        Stream.flattenChunks,
        Stream.concat(Stream.drain(Stream.fromEffect(short)))
      )
    }, Stream.unwrap)

  const look = (session: SessionId, path: string, did: string) =>
    fs.stat(path).pipe(
      Effect.asSome,
      Effect.catchIf(
        (error) => isReason(error, "NotFound"),
        () => Effect.succeedNone
      ),
      Effect.mapError(unusable(session, did))
    )

  /** Looked at before it is opened: a pipe would never open, and a device might never end. */
  const openFile = Effect.fnUntraced(function* (session: SessionId, path: string) {
    const found = yield* look(session, path, "opened")
    if (Option.isSome(found) && found.value.type !== "File") {
      const detail = `the log could not be opened: ${path} is a ${found.value.type}, not a file`
      return yield* new LogWriteFailed({ session, seq: 0, written: "no", detail })
    }
    const opened = Effect.flatMap(fs.open(path, { flag: "a+", mode: 0o600 }), (file) =>
      Effect.map(Option.match(found, { onNone: () => file.stat, onSome: Effect.succeed }), ({ ino, size }) => ({
        file,
        inode: Option.getOrUndefined(ino),
        size: Number(size)
      }))
    )
    return yield* Effect.mapError(opened, unusable(session, "opened"))
  })

  const openWithin = Effect.fnUntraced(function* (session: SessionId, replay?: Replay) {
    const name = yield* nameOf(session)
    const path = `${directory}/${name}.jsonl`
    const mark: LogMark.Place = { fs, directory, path: `${directory}/${name}.unsynced` }
    const failed = Effect.mapError(unusable(session, "opened"))

    const lock = yield* LogLock.acquire({ fs, folder: `${directory}/${name}.lock`, session, me, wait }).pipe(
      Effect.catchTags({ BadArgument: unusable(session, "opened"), SystemError: unusable(session, "opened") })
    )
    const { file, inode, size } = yield* openFile(session, path)
    const marked = yield* failed(LogMark.read(mark))

    const { next, length, torn } = yield* verify(session, file, size, marked, replay)
    if (length === 0) yield* failed(LogFolder.syncWithParents(fs, directory))
    if (torn > 0) {
      yield* Effect.logWarning(
        `session "${session}": cut ${torn} bytes of an unfinished write off ${path}; the log goes on at seq ${next}`
      )
      yield* failed(file.truncate(length))
    }
    if (torn > 0 || Option.isSome(marked)) yield* failed(file.sync)
    if (Option.isSome(marked)) yield* failed(LogMark.remove(mark))
    const writer = yield* LogWriter.make({
      session,
      file,
      next,
      length,
      sync,
      beforeUnsynced: (length) => LogMark.write(mark, length),
      guard: LogGuard.make({ fs, path, inode, lock })
    })
    const handle: LogHandle = { writer: lock.writer, read: read(session, path, writer), append: writer.append }
    return handle
  })

  /** An opening that failed holds nothing, so that it can be tried again in the same scope. */
  const open: LogStore["Type"]["open"] = (session, replay) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        Effect.scopeWith((scope) => Scope.fork(scope, ExecutionStrategy.sequential)),
        (own) =>
          restore(Scope.extend(openWithin(session, replay), own)).pipe(
            Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))
          )
      )
    )

  const exists = Effect.fnUntraced(function* (session: SessionId) {
    const found = yield* look(session, `${directory}/${yield* fromSessionId(session)}.jsonl`, "read")
    return Option.exists(found, ({ size }) => size > 0)
  })

  return LogStore.of({ open, exists })
})

/**
 * The store alone. It needs a `FileSystem` that has hard links, or at least creates a file exclusively.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<LogStore["Type"], never, FileSystem.FileSystem> =>
  makeNamed(options, fromSessionId)

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<LogStore, never, FileSystem.FileSystem> =>
  Layer.effect(LogStore, make(options))
