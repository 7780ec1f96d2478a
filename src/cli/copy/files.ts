/**
 * Copies from and to log files: one, or a folder of them.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { basename, dirname } from "node:path"
import { LogWriteFailed, SessionCorrupt } from "../../errors/SessionError.ts"
import { describe } from "../../layers/logFault.ts"
import { fromSessionId } from "../../layers/logFileName.ts"
import * as LogFile from "../../layers/logFile.ts"
import type { SessionId } from "../../session/Ids.ts"
import * as LogFrame from "../../session/LogFrame.ts"
import * as LogScan from "../../session/LogScan.ts"
import * as outlinedEvents from "../../session/outlinedEvents.ts"
import type { LogStore } from "../../services/LogStore.ts"
import type { Source, SourceBatch, SourceLog, Unusable } from "./source.ts"
import { BadInput } from "../exitCode.ts"
import { unreadable } from "../unreadable.ts"
import { lockBeside } from "../lockBeside.ts"

const chunkSize = FileSystem.KiB(1024)
const suffix = ".jsonl"

const batchesOf = (lines: ReadonlyArray<LogScan.Line>): Either.Either<Chunk.Chunk<SourceBatch>, LogScan.Fault> => {
  const batches: Array<SourceBatch> = []
  for (const { bytes, header, number } of lines) {
    const { count, seq } = header
    const json = LogFrame.eventsOf(bytes, header)
    if (Either.isLeft(json)) return Either.left({ seq, line: number, reason: json.left })
    batches.push({ seq, count, json: json.right, bytes: bytes.length + 1 })
  }
  return Either.right(Chunk.unsafeFromArray(batches))
}

/** An unfinished write at the end is no batch, and left out as an opening leaves it out. */
const batches = (fs: FileSystem.FileSystem, path: string, session: SessionId): SourceLog["batches"] =>
  Stream.suspend(() => {
    const scan = LogScan.make()
    const corrupt = (fault: LogScan.Fault) => new SessionCorrupt({ session, ...fault })
    const atEnd = Stream.drain(Stream.fromEffect(Effect.suspend(() => Effect.mapError(scan.end(), corrupt))))
    return fs.stream(path, { chunkSize }).pipe(
      Stream.mapError(
        (error) =>
          new LogWriteFailed({
            session,
            seq: 0,
            written: "no",
            detail: `the log could not be read: ${describe(error)}`
          })
      ),
      Stream.mapEffect((bytes) => Either.mapLeft(Either.flatMap(scan.push(bytes), batchesOf), corrupt)),
      Stream.flattenChunks,
      Stream.concat(atEnd)
    )
  })

const logAt = (fs: FileSystem.FileSystem, path: string, session: SessionId): SourceLog => ({
  session,
  owner: Effect.map(lockBeside(fs, path), (lock) => {
    if (lock === undefined || lock.state === "gone") return undefined
    const since = lock.since === undefined ? "" : ` since ${new Date(lock.since).toISOString()}`
    return lock.state === "live"
      ? `${lock.owner} has it open${since}`
      : `${lock.owner} may have it open${since}, which cannot be told from here`
  }),
  batches: batches(fs, path, session)
})

/** Which session a log says that it is; undefined: it holds nothing. */
const sessionOf = (
  fs: FileSystem.FileSystem,
  path: string
): Effect.Effect<SessionId | undefined, SessionCorrupt | LogWriteFailed> =>
  Effect.flatMap(Stream.runHead(batches(fs, path, basename(path))), (first) => {
    if (Option.isNone(first)) return Effect.succeed(undefined)
    const refuse = (reason: string) => new SessionCorrupt({ session: basename(path), seq: 0, line: 1, reason })
    const events = outlinedEvents.make(first.value)
    if (Either.isLeft(events)) return refuse(events.left.reason)
    const [event] = events.right
    return event?.type === "session/opened"
      ? Effect.succeed(event.data.session)
      : refuse("it does not begin as a session does")
  })

/**
 * One log file, whatever its name: the session is the one that it says.
 *
 * @since 0.1.0
 * @category constructors
 */
export const sourceFile = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const source: Source = {
    shown: path,
    logs: Effect.fnUntraced(function* (wanted) {
      const session = yield* Effect.mapError(sessionOf(fs, path), ({ message }) => new BadInput({ message }))
      if (session === undefined) return yield* new BadInput({ message: `the log ${path} holds nothing` })
      if (wanted !== undefined && wanted !== session) {
        return yield* new BadInput({ message: `${path} is the log of session "${session}", not of "${wanted}"` })
      }
      return { logs: [logAt(fs, path, session)], unusable: [] }
    })
  }
  return source
})

/**
 * A folder of the file store.
 *
 * @since 0.1.0
 * @category constructors
 */
export const sourceFolder = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const one = Effect.fnUntraced(function* (session: SessionId) {
    const path = `${folder}/${yield* fromSessionId(session)}${suffix}`
    return (yield* Effect.mapError(fs.exists(path), unreadable(path, "log"))) ? [logAt(fs, path, session)] : []
  })
  const all = Effect.fnUntraced(function* () {
    const logs: Array<SourceLog> = []
    const unusable: Array<Unusable> = []
    const names = yield* Effect.mapError(fs.readDirectory(folder), unreadable(folder, "folder"))
    for (const name of names.filter((name) => name.endsWith(suffix)).sort()) {
      const path = `${folder}/${name}`
      const found = yield* Effect.either(sessionOf(fs, path))
      if (Either.isLeft(found)) unusable.push({ session: name, reason: found.left.message })
      // a session that was opened and died before its first batch
      else if (found.right !== undefined) {
        const session = found.right
        const own = `${yield* fromSessionId(session)}${suffix}`
        if (name === own) logs.push(logAt(fs, path, session))
        else {
          const reason = `it is a log of session "${session}", whose file is named ${own}: copy it as a file`
          unusable.push({ session: name, reason })
        }
      }
    }
    return { logs, unusable }
  })
  const source: Source = {
    shown: folder,
    logs: (session) => (session === undefined ? all() : Effect.map(one(session), (logs) => ({ logs, unusable: [] })))
  }
  return source
})

/**
 * A store for the folder, whose batches are on disk once one is appended that asks for it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const targetFolder = (directory: string): Effect.Effect<LogStore["Type"], never, FileSystem.FileSystem> =>
  LogFile.make({ directory, sync: "none" })

/**
 * A store of one file, whatever its name.
 *
 * @since 0.1.0
 * @category constructors
 */
export const targetFile = (path: string): Effect.Effect<LogStore["Type"], never, FileSystem.FileSystem> =>
  LogFile.makeNamed({ directory: dirname(path), sync: "none" }, () => Effect.succeed(basename(path, suffix)))
