/**
 * Copies one session's log, batch by batch, and looks at both ends before it says so.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { measure } from "../../compaction/measure.ts"
import { runEstimator as estimator } from "../../compaction/RunEstimator.ts"
import { applyAll } from "../../compaction/SessionFold.ts"
import * as SessionState from "../../compaction/SessionState.ts"
import { type LogWriteFailed, type OpenError, SessionCorrupt } from "../../errors/SessionError.ts"
import * as LogFrame from "../../session/LogFrame.ts"
import * as outlinedEvents from "../../session/outlinedEvents.ts"
import type { LogHandle, LogStore } from "../../services/LogStore.ts"
import { differences } from "./compare.ts"
import type { SourceLog } from "./source.ts"
import type { BadInput } from "../exitCode.ts"

/**
 * - `copied`: the whole of it. `continued`: the destination held the beginning, and got the rest
 * - `same`: it was there already, and nothing was written
 * - `refused`: nothing was written, because of `reason`. `failed`: something may have been, and the copy is not to be used
 *
 * `written` counts the events that were written; the other figures are those of the session.
 *
 * @since 0.1.0
 * @category models
 */
export type Outcome =
  | {
      readonly outcome: "copied" | "continued" | "same"
      readonly events: number
      readonly written: number
      readonly batches: number
      readonly bytes: number
      readonly generation: number
      readonly messages: number
      readonly tokens: number
      /** somebody had it open, and may have gone on */
      readonly whileOpen: boolean
    }
  | { readonly outcome: "refused" | "failed"; readonly reason: string }

const refused = (reason: string): Outcome => ({ outcome: "refused", reason })
const failed = (reason: string): Outcome => ({ outcome: "failed", reason })

const digest = ({ json }: LogFrame.EncodedBatch): string => createHash("sha256").update(json).digest("base64")

/** A log folded, with what tells each of its batches from any other. */
interface Folded {
  readonly state: SessionState.SessionState
  readonly digests: ReadonlyArray<string>
}

interface Folding {
  readonly take: (batch: LogFrame.EncodedBatch) => Either.Either<void, outlinedEvents.Fault>
  readonly folded: () => Folded
}

const folding = (): Folding => {
  let state = SessionState.empty(estimator)
  let digests: Array<string> = []
  return {
    take: (batch) => {
      // a store may have to begin again
      if (batch.seq === 0) {
        state = SessionState.empty(estimator)
        digests = []
      }
      const next = Either.flatMap(outlinedEvents.make(batch), (events) =>
        Either.mapLeft(applyAll(state, events, estimator), ({ detail }) => ({ seq: state.revision, reason: detail }))
      )
      if (Either.isLeft(next)) return Either.left(next.left)
      state = next.right
      digests.push(digest(batch))
      return Either.void
    },
    folded: () => ({ state, digests })
  }
}

/** The events as values, which a store writes as they stood: a line that another hand wrote would come out otherwise. */
const values = (batch: LogFrame.EncodedBatch): Either.Either<ReadonlyArray<unknown>, string> =>
  Either.flatMap(LogFrame.decodeEvents(batch.json, batch.count), (events) =>
    Either.flatMap(LogFrame.encodeEvents(events), (text) =>
      Buffer.from(text).equals(batch.json)
        ? Either.right(events)
        : Either.left("its JSON is not laid out as this library writes it, and a copy would not have the same bytes")
    )
  )

const look = Effect.fnUntraced(function* ({ batches, session }: SourceLog) {
  const fold = folding()
  let bytes = 0
  yield* Stream.runForEach(batches, (batch) => {
    bytes += batch.bytes
    return Either.mapLeft(
      Either.flatMap(
        Either.mapLeft(values(batch), (reason) => ({ seq: batch.seq, reason })),
        () => fold.take(batch)
      ),
      (fault) => new SessionCorrupt({ session, ...fault })
    )
  })
  return { ...fold.folded(), bytes }
})

/** The copy as its store has it, opened and folded; read, where the store did not give it on the way. */
const opened = Effect.fnUntraced(function* (store: LogStore["Type"], session: string) {
  const fold = folding()
  const log = yield* store.open(session, fold.take)
  if (fold.folded().state.revision > 0) return { log, ...fold.folded() }
  yield* Stream.runForEach(log.read(0), ({ events, seq }) =>
    Either.mapLeft(
      Either.flatMap(
        Either.mapLeft(LogFrame.encodeEvents(events), (reason) => ({ seq, reason })),
        (json) => fold.take({ seq, count: events.length, json: Buffer.from(json) })
      ),
      (fault) => new SessionCorrupt({ session, ...fault })
    )
  )
  return { log, ...fold.folded() }
})

/** Writes the batches that the copy lacks; `written` tells of each, with its number of events. */
const write = (
  source: SourceLog,
  { digests, state }: Folded,
  log: LogHandle,
  there: number,
  written: (events: number) => void
): Effect.Effect<void, OpenError> => {
  const { session } = source
  return source.batches.pipe(
    Stream.take(digests.length),
    Stream.zipWithIndex,
    Stream.drop(there),
    Stream.runForEach(([batch, i]) => {
      const corrupt = (reason: string) => new SessionCorrupt({ session, seq: batch.seq, reason })
      if (digest(batch) !== digests[i]) return corrupt("it is another batch than when it was read before")
      const { seq } = batch
      return Effect.flatMap(Either.mapLeft(values(batch), corrupt), (events) =>
        log.append({ seq, events }, { sync: false }).pipe(Effect.tap(() => Effect.sync(() => written(events.length))))
      )
    }),
    // a batch of nothing asks for all before it to be on disk
    Effect.zipRight(Effect.suspend(() => log.append({ seq: state.revision, events: [] }, { sync: true })))
  )
}

const startsWith = (whole: ReadonlyArray<string>, beginning: ReadonlyArray<string>): boolean =>
  beginning.length <= whole.length && beginning.every((digest, i) => digest === whole[i])

const otherSession = (source: Folded, copy: Folded): string => {
  const place = copy.digests.findIndex((digest, i) => digest !== source.digests[i])
  return place === source.digests.length
    ? `the destination has a session of that id that goes on behind the source's last event (seq ${source.state.revision - 1}): it is not overwritten`
    : `the destination has another session of that id, from its batch ${place + 1} on: it is not overwritten`
}

/**
 * Copies the session. Only what is wrong with the stores themselves is an error.
 *
 * @since 0.1.0
 * @category constructors
 */
export const copySession = (options: {
  readonly source: SourceLog
  readonly target: LogStore["Type"]
  readonly whileOpen: boolean
  /** told how many events are to be written, once it is known, and of each batch how many it was */
  readonly progress: (events: number) => { readonly written: (events: number) => void; readonly done: () => void }
}): Effect.Effect<Outcome, BadInput> => {
  const { source, target, whileOpen } = options
  const { session } = source
  return Effect.gen(function* () {
    const owner = yield* source.owner
    if (owner !== undefined && !whileOpen) {
      return refused(`${owner}; --while-open copies what is written up to now`)
    }
    const looked = yield* Effect.either(look(source))
    if (Either.isLeft(looked)) return refused(looked.left.message)
    const from = looked.right
    if (from.digests.length === 0) return refused("its log holds nothing")
    const unfinished = SessionState.unfinishedBranch(from.state)
    if (unfinished !== undefined) return refused(`${unfinished}: finish it, or branch it in the destination`)

    const written = yield* Effect.scoped(
      Effect.gen(function* () {
        const there = yield* Effect.either(opened(target, session))
        if (Either.isLeft(there)) return refused(`the destination: ${there.left.message}`)
        const { digests, log, state } = there.right
        if (!startsWith(from.digests, digests)) return refused(otherSession(from, there.right))
        const before = state.revision
        if (before < from.state.revision) {
          const progress = options.progress(from.state.revision - before)
          yield* Effect.ensuring(write(source, from, log, digests.length, progress.written), Effect.sync(progress.done))
        }
        return before
      })
    )
    if (typeof written !== "number") return written

    const copy = yield* Effect.scoped(opened(target, session))
    const differing = differences(from.state, copy.state, estimator)
    if (differing.length > 0) return failed(`the copy is not the same: ${differing.join("; ")}`)
    if (copy.digests.length !== from.digests.length || !startsWith(from.digests, copy.digests)) {
      return failed("the copy is not the same: its batches have other bytes")
    }
    const { revision, surface } = from.state
    const outcome: Outcome = {
      outcome: written === 0 ? "copied" : written === revision ? "same" : "continued",
      events: revision,
      written: revision - written,
      batches: from.digests.length,
      bytes: from.bytes,
      generation: surface.generation,
      messages: surface.length,
      tokens: measure(from.state, estimator).totalTokens,
      whileOpen: owner !== undefined
    }
    return outcome
  }).pipe(
    Effect.catchTags({
      SessionCorrupt: ({ message }) => Effect.succeed(failed(message)),
      SessionLocked: ({ message }) => Effect.succeed(failed(message)),
      LogWriteFailed: ({ message }: LogWriteFailed) => Effect.succeed(failed(message))
    })
  )
}
