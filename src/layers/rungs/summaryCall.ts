import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Checkpoint from "../../compaction/Checkpoint.ts"
import { askedOf } from "../../compaction/recordedSummary.ts"
import { omitted } from "../../compaction/summarising.ts"
import { type Chunk, spanOf } from "../../compaction/summaryChunks.ts"
import { check, missingHeadings } from "../../compaction/SummaryGate.ts"
import { SummaryFailed } from "../../errors/CompactionError.ts"
import type { LogWriteFailed } from "../../errors/SessionError.ts"
import type { Run } from "../../services/CompactService.ts"
import { Summarizer, type Summary } from "../../services/Summarizer.ts"
import { Surface } from "../../services/Surface.ts"
import type { Route } from "../../session/Route.ts"
import type { BodyOf } from "../../session/SessionEvent.ts"
import * as Usage from "../../session/Usage.ts"

/** A summary that passed the checks, and the route that served it. */
export interface CheckedSummary {
  readonly text: string
  readonly route: Route
}

/** What one request asks for. `previous` is the summary of what came before the chunk, where its messages do not hold it. */
export interface Asked {
  readonly chunk: Chunk
  readonly previous: string | undefined
  readonly maxTokens: number
  readonly missing?: ReadonlyArray<string>
}

/** What the answer lacks, told apart from what makes it no summary at all. */
class Unstructured {
  readonly missing: ReadonlyArray<string>
  constructor(missing: ReadonlyArray<string>) {
    this.missing = missing
  }
}

const judged = (answer: Summary, headings = false): Either.Either<string, SummaryFailed | Unstructured> =>
  Either.filterOrLeft(
    check(answer),
    (text) => !headings || missingHeadings(text).length === 0,
    (text) => new Unstructured(missingHeadings(text))
  )

const reasonOf = (failure: SummaryFailed | Unstructured): SummaryFailed["reason"] =>
  failure instanceof Unstructured ? "no-structure" : failure.reason

/** One request, interruptible, and recorded however it ends. */
const request = Effect.fnUntraced(function* ({ id, situation }: Run, wanted: Asked) {
  const surface = yield* Surface
  const summarizer = yield* Summarizer
  const { envelope } = situation.summary
  const { chunk, maxTokens, missing = [], previous } = wanted
  const span = spanOf(chunk)
  const asked = askedOf(envelope.route)
  const leftOut = omitted(situation, [chunk])
  const left = leftOut === 0 ? {} : { omitted: leftOut }
  const record = (data: Partial<BodyOf<"compaction/call">["data"]> & { readonly outcome: string }) =>
    surface.commit(() => [
      {
        type: "compaction/call",
        data: { id, rung: "summarise", output: "", route: envelope.route, span, asked, ...left, ...data }
      }
    ])
  const exit = yield* Effect.exit(
    Effect.interruptible(
      summarizer
        .summarize({
          envelope: { ...envelope, maxOutputTokens: maxTokens },
          span: chunk.sent,
          instruction: Checkpoint.instruction({ maxTokens, previous, missing })
        })
        .pipe(
          Effect.disconnect,
          Effect.timeoutFail({
            duration: situation.policy.summary.timeLimit,
            onTimeout: () => new SummaryFailed({ reason: "timed-out", detail: "the policy's time limit of one call" })
          })
        )
    )
  )
  if (Exit.isFailure(exit)) {
    const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
    yield* record({
      outcome: Cause.isInterrupted(exit.cause) ? "interrupted" : (failure?.reason ?? "died"),
      ...(failure?.limit !== undefined && Number.isFinite(failure.limit) ? { limit: failure.limit } : {})
    })
    return yield* Effect.failCause(exit.cause)
  }
  const { route = envelope.route, text } = exit.value
  const usage = Usage.sound(exit.value.usage)
  const summary = judged(exit.value, summarizer.headings)
  yield* record({
    outcome: Either.isRight(summary) ? "completed" : reasonOf(summary.left),
    output: text,
    route,
    ...(usage === undefined ? {} : { usage })
  })
  return { text: yield* summary, route } satisfies CheckedSummary
})

/** Asks for a summary; once more, naming what is missing, where the answer lacks headings that were asked for. */
export const summaryOf = (
  run: Run,
  asked: Asked
): Effect.Effect<CheckedSummary, SummaryFailed | LogWriteFailed, Surface | Summarizer> =>
  request(run, asked).pipe(
    Effect.catchIf(
      (error) => error instanceof Unstructured,
      ({ missing }) => request(run, { ...asked, missing })
    ),
    Effect.catchIf(
      (error) => error instanceof Unstructured,
      ({ missing }) =>
        Effect.fail(
          new SummaryFailed({
            reason: "no-structure",
            detail: `asked twice, the answer still lacks the headings ${missing.join(", ")}`
          })
        )
    )
  )
