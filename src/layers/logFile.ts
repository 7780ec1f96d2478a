/**
 * Logs as files in a folder, one file a session, one line a batch.
 *
 * @since 0.1.0
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { LogWriteFailed, SessionCorrupt } from "../errors/SessionError.ts"
import type { Seq, SessionId } from "../session/Ids.ts"
import * as LogFrame from "../session/LogFrame.ts"
import * as LogScan from "../session/LogScan.ts"
import { type Batch, type LogHandle, LogStore, type Replay } from "../services/LogStore.ts"
import { describe } from "./logFault.ts"
import { fromSessionId } from "./logFileName.ts"
import * as LogLock from "./logLock.ts"
import * as LogOwner from "./logOwner.ts"
import * as LogWriter from "./logWriter.ts"

/**
 * `sync: "batch"`, the default, syncs every batch to disk before it is acknowledged. `"none"` leaves plain appends to
 * the system: they survive the death of the process, not that of the machine; what asks for `sync` is always synced.
 * `host` names this machine in locks where it has no /proc: a lock of another machine is never taken.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly directory: string
  readonly sync?: "batch" | "none"
  readonly host?: string
}

/** Bytes that are read at once: most logs in one piece. What is not read of them stays in memory by such pieces. */
const chunkSize = 4 * 1024 * 1024

/** A folder's entries are on disk once the folder is synced. Not every platform can do it, and those need not. */
const syncDirectory = (fs: FileSystem.FileSystem, path: string): Effect.Effect<void> =>
  Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(path, { flag: "r" }), (file) => file.sync)))

/** Creates the folder and those above it, so that none is forgotten by a power loss. */
const makeDirectory = (fs: FileSystem.FileSystem, path: string): Effect.Effect<void, PlatformError> =>
  Effect.gen(function* () {
    if (yield* fs.exists(path)) return
    const slash = path.lastIndexOf("/", path.length - 2)
    const parent = slash > 0 ? path.slice(0, slash) : slash === 0 ? "/" : "."
    if (parent !== path) yield* makeDirectory(fs, parent)
    yield* fs.makeDirectory(path, { recursive: true, mode: 0o700 })
    yield* syncDirectory(fs, parent)
  })

/**
 * The store alone. It needs a `FileSystem` that has hard links, or at least creates a file exclusively.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const fs = yield* FileSystem.FileSystem
  const me = yield* LogOwner.self(fs, options.host)
  const { directory, sync = "batch" } = options

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

  /** Nothing where there is no file. */
  const openToRead = (path: string) =>
    Effect.catchIf(
      Effect.asSome(fs.open(path, { flag: "r" })),
      (error) => error._tag === "SystemError" && error.reason === "NotFound",
      () => Effect.succeedNone
    )

  /** Gives what is in the file chunk by chunk, and reads the next one while one is taken. */
  const forEachChunk = <E>(path: string, take: (bytes: Uint8Array) => Effect.Effect<void, E>) =>
    Effect.gen(function* () {
      const file = yield* openToRead(path)
      if (Option.isNone(file)) return
      let rest = Number((yield* file.value.stat).size)
      const read = Effect.suspend(() =>
        rest === 0
          ? Effect.succeedNone
          : Effect.tap(file.value.readAlloc(Math.min(rest, chunkSize)), (bytes) => {
              rest = Option.isNone(bytes) ? 0 : rest - bytes.value.length
            })
      )
      let chunk = yield* read
      while (Option.isSome(chunk)) {
        const bytes = chunk.value
        const taking = Effect.suspend(() => take(bytes))
        // two fibers for nothing behind the last one
        chunk = yield* rest === 0
          ? Effect.as(taking, Option.none())
          : Effect.zipLeft(read, taking, { concurrent: true })
      }
    }).pipe(Effect.scoped)

  /** Verifies the whole file and holds none of it. */
  const verify = Effect.fnUntraced(function* (session: SessionId, path: string, replay: Replay = () => Either.void) {
    const scan = LogScan.make()
    const take = (bytes: Uint8Array) =>
      Either.mapLeft(
        Either.flatMap(scan.push(bytes), (lines) => replayed(lines, replay)),
        corrupt(session)
      )
    yield* Effect.catchTags(forEachChunk(path, take), {
      BadArgument: unusable(session, "read"),
      SystemError: unusable(session, "read")
    })
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
  const readFrom = (session: SessionId, path: string, writer: LogWriter.LogWriter): LogHandle["read"] =>
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

  const open = Effect.fnUntraced(function* (session: SessionId, replay?: () => Replay) {
    const name = yield* fromSessionId(session)
    const path = `${directory}/${name}.jsonl`
    const failed = Effect.mapError(unusable(session, "opened"))
    const read = Effect.suspend(() => verify(session, path, replay?.()))

    yield* failed(makeDirectory(fs, directory))
    const lock = yield* LogLock.acquire({ fs, folder: `${directory}/${name}.lock`, session, me, read }).pipe(
      Effect.catchTags({ BadArgument: unusable(session, "opened"), SystemError: unusable(session, "opened") })
    )
    const file = yield* failed(fs.open(path, { flag: "a", mode: 0o600 }))
    const size = Number((yield* failed(file.stat)).size)
    if (size === 0) yield* syncDirectory(fs, directory)

    // nobody may write to a log without its lock; if somebody did meanwhile, what was read is not what is there
    const isRead = lock.read.length + lock.read.torn === size
    const { next, length, torn } = isRead ? lock.read : yield* read
    if (torn > 0) {
      yield* Effect.logWarning(
        `session "${session}": cut ${torn} bytes of an unfinished write off ${path}; the log goes on at seq ${next}`
      )
      yield* failed(file.truncate(length))
    }
    const writer = yield* LogWriter.make({ session, file, next, length, sync })
    const handle: LogHandle = {
      writer: lock.owner.writer,
      read: readFrom(session, path, writer),
      append: writer.append
    }
    return handle
  })

  const exists = Effect.fnUntraced(function* (session: SessionId) {
    const path = `${directory}/${yield* fromSessionId(session)}.jsonl`
    const there = fs.stat(path).pipe(
      Effect.map(({ size }) => size > 0),
      Effect.catchIf(
        (error) => error._tag === "SystemError" && error.reason === "NotFound",
        () => Effect.succeed(false)
      )
    )
    return yield* Effect.mapError(there, unusable(session, "read"))
  })

  return LogStore.of({ open, exists })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<LogStore, never, FileSystem.FileSystem> =>
  Layer.effect(LogStore, make(options))
