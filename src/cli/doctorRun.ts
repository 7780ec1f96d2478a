/**
 * Examines a log file, and writes what of it can be kept.
 *
 * @since 0.1.0
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as LogExamination from "../compaction/LogExamination.ts"
import { runEstimator } from "../compaction/RunEstimator.ts"
import { isReason } from "../layers/logFault.ts"
import { faultCount, render } from "./doctorReport.ts"
import { BadInput, RunFailed } from "./exitCode.ts"
import { unreadable } from "./unreadable.ts"
import { lockBeside } from "./lockBeside.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Arguments {
  readonly log: string
  readonly json: boolean
  readonly repair: string | undefined
}

const examine = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, path: string) {
  const examiner = LogExamination.make(runEstimator)
  yield* fs.stream(path, { chunkSize: FileSystem.KiB(1024) }).pipe(
    Stream.runForEach((bytes) => Effect.sync(() => examiner.push(bytes))),
    Effect.mapError(unreadable(path, "log"))
  )
  return examiner.end()
})

const cannotWrite = (out: string) => (error: PlatformError) =>
  isReason(error, "AlreadyExists")
    ? new BadInput({ message: `--repair ${out} is there already, and is not overwritten` })
    : new RunFailed({ message: `the repaired log ${out} could not be written: ${error.message}` })

/** The parts of the log, one behind the other, in a new file, on disk before it is told. */
const write = (
  fs: FileSystem.FileSystem,
  log: string,
  out: string,
  kept: LogExamination.Examination["kept"]
): Effect.Effect<void, BadInput | RunFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const file = yield* fs.open(out, { flag: "wx", mode: 0o600 })
      const copied = Effect.forEach(
        kept,
        ({ from, to }) =>
          fs
            .stream(log, { offset: from, bytesToRead: to - from, chunkSize: FileSystem.KiB(1024) })
            .pipe(Stream.runForEach((bytes) => file.writeAll(bytes))),
        { discard: true }
      )
      // half a repair would look like a whole one
      yield* Effect.onError(Effect.zipRight(copied, file.sync), () => Effect.ignore(fs.remove(out)))
    })
  ).pipe(Effect.mapError(cannotWrite(out)))

const print = (text: string) => Effect.sync(() => void process.stdout.write(`${text}\n`))

/**
 * @since 0.1.0
 * @category constructors
 */
export const run = Effect.fnUntraced(function* ({ json, log, repair }: Arguments) {
  const fs = yield* FileSystem.FileSystem
  if (repair !== undefined && (yield* Effect.orElseSucceed(fs.exists(repair), () => false))) {
    return yield* new BadInput({ message: `--repair ${repair} is there already, and is not overwritten` })
  }
  const found = yield* examine(fs, log)
  const lock = yield* lockBeside(fs, log)
  const faults = faultCount(found)
  if (repair !== undefined && found.kept.length > 0) yield* write(fs, log, repair, found.kept)
  yield* print(json ? JSON.stringify({ log, faults, ...found, lock: lock ?? null }) : render(log, found, lock))
  if (repair !== undefined) {
    if (found.kept.length === 0) {
      return yield* new RunFailed({ message: `nothing of ${log} can be kept, and ${repair} was not written` })
    }
    if (!json) yield* print(`repaired: ${found.events} events in ${repair}`)
  }
  if (faults > 0 && found.kept.length === 0 && found.left.batches === 0) {
    return yield* new RunFailed({
      message: `${log} is no log of this library, or nothing is left of it: no line is a batch`
    })
  }
  if (faults > 0) {
    return yield* new RunFailed({ message: `${faults} ${faults === 1 ? "thing is" : "things are"} wrong with ${log}` })
  }
})
