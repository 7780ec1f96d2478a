/**
 * Reads what the command is given. What cannot be used becomes one sentence for a person.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { Policy } from "../compaction/Policy.ts"
import * as Formats from "../formats/Formats.ts"
import * as Lines from "../formats/Lines.ts"
import type { TranscriptInvalid } from "../errors/FormatError.ts"
import { BadInput } from "./exitCode.ts"
import * as PolicyFile from "./policyFile.ts"
import { filesIn } from "./sessionFolder.ts"
import { unreadable } from "./unreadable.ts"

/**
 * `what` the file is, for the error where it cannot be read.
 *
 * @since 0.1.0
 * @category constructors
 */
export const readText = (path: string, what: string): Effect.Effect<string, BadInput, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(path)).pipe(Effect.mapError(unreadable(path, what)))

/** Pieces of this many bytes cost little each, and are little to hold. */
const chunkSize = 1 << 20

/**
 * One piece of a file after the other, in the same memory: what is told has to be done with before the next. While one is gone
 * through, the next is read.
 */
const readFile = (
  path: string,
  what: string,
  take: (bytes: Uint8Array) => Either.Either<void, BadInput>
): Effect.Effect<void, BadInput, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const file = yield* fs.open(path)
    // Node's own kind of bytes finds a line break five times as fast
    let [piece, spare] = [Buffer.alloc(chunkSize), Buffer.alloc(chunkSize)]
    let reading = yield* Effect.forkScoped(file.read(piece))
    for (;;) {
      const size = Number(yield* Fiber.join(reading))
      if (size === 0) return
      reading = yield* Effect.forkScoped(file.read(spare))
      // a fiber begins when the one that forked it lets it
      yield* Effect.yieldNow()
      yield* take(piece.subarray(0, size))
      ;[piece, spare] = [spare, piece]
    }
  }).pipe(
    Effect.scoped,
    Effect.catchTag("SystemError", (error) => Effect.fail(unreadable(path, what)(error))),
    Effect.catchTag("BadArgument", (error) => Effect.fail(unreadable(path, what)(error)))
  )

const readBytes = (path: string, what: string): Stream.Stream<Uint8Array, BadInput, FileSystem.FileSystem> => {
  const bytes =
    path === "-"
      ? NodeStream.stdin
      : Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream(path, { chunkSize })))
  return Stream.mapError(bytes, unreadable(path, what))
}

/**
 * The lines of a file, or of stdin if it is called `-`, as they come in.
 *
 * @since 0.1.0
 * @category constructors
 */
export const readLines = (path: string, what: string): Stream.Stream<string, BadInput, FileSystem.FileSystem> =>
  readBytes(path, what).pipe(Stream.decodeText(), Stream.splitLines)

const toldOf =
  (path: string) =>
  ({ message }: TranscriptInvalid) =>
    new BadInput({ message: `${path}: ${message}` })

const isFolder = (path: string) =>
  path === "-"
    ? Effect.succeed(false)
    : Effect.flatMap(FileSystem.FileSystem, (fs) => fs.stat(path)).pipe(
        Effect.map(({ type }) => type === "Directory"),
        // that it cannot be read is told when it is read
        Effect.orElseSucceed(() => false)
      )

/**
 * Reads a session file, or stdin if it is called `-`, as it comes in: of a format of lines nothing but what `keep` gives
 * is held in memory. Of a folder, the files of its one session.
 *
 * @since 0.1.0
 * @category constructors
 */
export const readTranscript = Effect.fnUntraced(function* (path: string, options: Formats.Options) {
  if (yield* isFolder(path)) {
    const files = yield* filesIn(path)
    if (options.format === undefined && Formats.detect(files) === undefined) {
      return yield* new BadInput({ message: `${path} is no session in several files: name one of its files` })
    }
    return yield* Either.mapLeft(Formats.decode(files, options), toldOf(path))
  }
  const lines = Lines.splitter()
  const reader = Formats.reader(options)
  const told = toldOf(path)
  const take = (some: Iterable<string>): Either.Either<void, BadInput> => {
    for (const line of some) {
      const taken = reader.line(line)
      if (Either.isLeft(taken)) return Either.left(told(taken.left))
    }
    return Either.void
  }
  const push = (bytes: Uint8Array) => take(lines.push(bytes))
  yield* path === "-" ? Stream.runForEach(readBytes(path, "transcript"), push) : readFile(path, "transcript", push)
  const rest = lines.end()
  if (rest !== undefined) yield* take([rest])
  return yield* Either.mapLeft(reader.end(rest !== undefined), told)
})

/**
 * @since 0.1.0
 * @category constructors
 */
export const readPolicy: (path: string) => Effect.Effect<Policy, BadInput, FileSystem.FileSystem> = Effect.fnUntraced(
  function* (path) {
    const text = yield* readText(path, "policy")
    return yield* Either.mapLeft(
      PolicyFile.decode(text),
      (detail) => new BadInput({ message: `the policy ${path} cannot be used: ${detail}` })
    )
  }
)

/**
 * A whole number of tokens above zero, written without anything around it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const tokenCount = (option: string, text: string): Effect.Effect<number, BadInput> =>
  /^[0-9]+$/u.test(text) && Number(text) > 0 && Number.isSafeInteger(Number(text))
    ? Effect.succeed(Number(text))
    : Effect.fail(new BadInput({ message: `${option} takes a whole number of tokens above 0, and not "${text}"` }))

/**
 * The folder for the logs: the one that was named, which need not exist, or a fresh one.
 *
 * @since 0.1.0
 * @category constructors
 */
export const logFolder = Effect.fnUntraced(function* (named: string | undefined) {
  const fs = yield* FileSystem.FileSystem
  if (named === undefined) {
    return yield* Effect.mapError(
      fs.makeTempDirectory({ prefix: "effect-compaction-" }),
      (error) => new BadInput({ message: `no temporary folder can be made for the logs: ${error.message}` })
    )
  }
  const found = yield* Effect.option(fs.stat(named))
  if (found._tag === "Some" && found.value.type !== "Directory") {
    return yield* new BadInput({ message: `--dir ${named} is a file, and the logs need a folder` })
  }
  return named
})
