// What becomes of a damaged log: at the store that opens it, at the doctor, its repair, a copy, and a reader of formats.
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { copySession } from "../../src/cli/copy/session.ts"
import { sourceFile } from "../../src/cli/copy/files.ts"
import * as LogExamination from "../../src/compaction/LogExamination.ts"
import { runEstimator as estimator } from "../../src/compaction/RunEstimator.ts"
import * as Formats from "../../src/formats/Formats.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as sessionLog from "../../src/layers/sessionLog.ts"
import * as Surface from "../../src/layers/Surface.ts"
import { SessionId } from "../../src/services/SessionId.ts"
import * as Message from "../../src/session/Message.ts"
import type { Original } from "./original.ts"

/**
 * - `original`: all of it. `prefix`: its first batches, and the store said so; `cut`: the same of a file that ends between two
 *   batches, which is a shorter log, so that nothing can tell
 * - `refused`: a typed error
 *
 * `wrong` is what must not be: an exception, a hang, something else than the original's batches, a fault that is not told.
 */
export interface Verdict {
  readonly opened: "original" | "prefix" | "cut" | "refused" | "wrong"
  /** the doctor kept something, and it was written and opened */
  readonly repaired: boolean
  readonly wrong: ReadonlyArray<string>
}

/** Longer than the slowest machine takes for a log of this size, and shorter than for ever. */
const patience = "60 seconds"

/** Nothing here is about what survives a power loss, and a sync for each lock and line takes most of the time. */
const unsynced = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (fs): FileSystem.FileSystem => ({
    ...fs,
    open: (path, options) =>
      Effect.map(fs.open(path, options), (file) => Object.create(file, { sync: { value: Effect.void } }))
  }))
).pipe(Layer.provide(NodeFileSystem.layer))

interface Opened {
  readonly batches: ReadonlyArray<string>
  readonly revision: number
  readonly warnings: number
}

const opening = Effect.gen(function* () {
  const { log, state } = yield* sessionLog.open("s", estimator)
  const batches = Chunk.toArray(yield* Stream.runCollect(log.read(0)))
  return { batches: batches.map(({ events }) => JSON.stringify(events)), revision: state.revision }
}).pipe(Effect.scoped)

/** The session goes on: what a dead writer left is closed, something is said, and it opens again with that. */
const goingOn = Effect.gen(function* () {
  yield* Effect.scoped(
    Effect.flatMap(Surface.make(), (surface) => surface.append(Message.user("still here"))).pipe(
      Effect.provideService(SessionId, "s")
    )
  )
  return yield* opening
})

const inStore = (directory: string) => Effect.provide(LogStore.layerFile({ directory, sync: "none" }))

/** Its batches are the original's first ones. */
const beginning = ({ batches }: { readonly batches: ReadonlyArray<string> }, original: Original): boolean =>
  batches.length <= original.batches.length && batches.every((batch, i) => batch === original.batches[i])

const said = (cause: Cause.Cause<unknown>): string => Cause.pretty(cause).split("\n").slice(0, 3).join(" ")

const typed = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(
    Cause.failureOption(cause),
    (error) => (error as { readonly _tag?: unknown } | undefined)?._tag === "SessionCorrupt"
  )

const examine = (bytes: Uint8Array, size: number) =>
  Effect.try(() => {
    const examiner = LogExamination.make(estimator)
    for (let at = 0; at < bytes.length; at += size) examiner.push(bytes.slice(at, at + size))
    return examiner.end()
  })

/** `chunk` is how many bytes the doctor is given at once. */
export const judge = (original: Original, bytes: Uint8Array, chunk: number): Effect.Effect<Verdict> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* fs.makeTempDirectoryScoped()
    const wrong: Array<string> = []
    const attempt = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
      Effect.map(Effect.exit(Effect.timeout(Effect.sandbox(effect), patience)), (exit) => {
        if (Exit.isSuccess(exit)) return Option.some(exit.value)
        wrong.push(`${what}: ${said(exit.cause)}`)
        return Option.none<A>()
      })
    const untouched = Buffer.compare(bytes, original.bytes) === 0
    const cutBetween =
      bytes.length === 0 ||
      (original.ends.includes(bytes.length) && Buffer.compare(bytes, original.bytes.subarray(0, bytes.length)) === 0)
    const write = Effect.fnUntraced(function* (name: string, content: Uint8Array) {
      const folder = `${directory}/${name}`
      yield* fs.makeDirectory(folder)
      yield* fs.writeFile(`${folder}/s.jsonl`, content)
      return folder
    })

    const open = Effect.fnUntraced(function* (at: string) {
      let warnings = 0
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(() => void warnings++)
      )
      const exit = yield* Effect.exit(Effect.timeout(opening, patience)).pipe(inStore(at), Effect.provide(logger))
      return Exit.map(exit, (opened): Opened => ({ ...opened, warnings }))
    })

    const at = yield* write("damaged", bytes)
    // reads only, and comes first: an opening cuts off a torn end
    const copied = yield* attempt(
      "copy",
      Effect.gen(function* () {
        const source = yield* sourceFile(`${at}/s.jsonl`)
        const found = yield* Effect.either(source.logs(undefined))
        if (found._tag === "Left") return undefined
        const target = yield* LogStore.makeMemory
        const outcome = yield* copySession({
          source: found.right.logs[0]!,
          target,
          whileOpen: false,
          progress: () => ({ written: () => {}, done: () => {} })
        })
        if (outcome.outcome === "failed") return yield* Effect.dieMessage(outcome.reason)
        return "events" in outcome ? outcome.batches : undefined
      })
    )
    const opened = yield* open(at)
    let verdict: Verdict["opened"] = "refused"
    let whole = 0
    if (Exit.isSuccess(opened)) {
      whole = opened.value.batches.length
      verdict =
        whole === original.batches.length
          ? "original"
          : opened.value.warnings > 0
            ? "prefix"
            : cutBetween
              ? "cut"
              : "wrong"
      if (verdict === "wrong") wrong.push(`opened as its first ${whole} batches, and nobody said so`)
      if (!beginning(opened.value, original)) wrong.push("opened as something else than the original's batches")
      const further = yield* attempt("going on", inStore(at)(goingOn))
      if (Option.isSome(further) && further.value.revision <= opened.value.revision)
        wrong.push("going on lost something")
    } else if (!typed(opened.cause)) wrong.push(`opening: ${said(opened.cause)}`)
    if (Option.isSome(copied) && copied.value !== undefined && copied.value !== whole) {
      wrong.push(`${copied.value} batches were copied of ${whole} that open`)
    }

    const found = yield* attempt("doctor", examine(bytes, chunk))
    let repaired = false
    if (Option.isSome(found)) {
      const { findings, kept } = found.value
      const faults = findings.filter(({ kind }) => kind === "fault").map(({ rule }) => rule)
      if (untouched && faults.length > 0) wrong.push(`the doctor finds ${faults[0]} in a log that is whole`)
      if (faults.length === 0 && !untouched && !cutBetween) wrong.push("the doctor finds nothing wrong")
      if (faults.length === 0 && Exit.isFailure(opened)) wrong.push("the doctor finds nothing, and it does not open")
      if (kept.length > 0) {
        const parts = kept.map(({ from, to }) => bytes.subarray(from, to))
        const again = yield* open(yield* write("repaired", new Uint8Array(Buffer.concat(parts))))
        repaired = Exit.isSuccess(again)
        // the beginning of a branch is a log, and no session until the branch is made again
        if (Exit.isFailure(again) && !(typed(again.cause) && faults.includes("unfinished-branch"))) {
          wrong.push(`the repaired log: ${said(again.cause)}`)
        }
        if (Exit.isSuccess(again)) {
          if (!beginning(again.value, original)) wrong.push("the repaired log holds what the original did not")
          if (again.value.batches.length < whole) wrong.push("the repair lost what an opening keeps")
        }
      } else if (whole > 0) wrong.push("the doctor keeps nothing of a log that opens")
    }
    yield* attempt(
      "formats",
      Effect.try(() => Formats.decode(new TextDecoder().decode(bytes)))
    )
    return { opened: wrong.length > 0 ? "wrong" : verdict, repaired, wrong } satisfies Verdict
  }).pipe(Effect.scoped, Effect.orDie, Effect.provide(unsynced))
