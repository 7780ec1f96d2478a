import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { clipToTokens } from "../../compaction/CodePoints.ts"
import { carriesAll } from "../../compaction/requestBytes.ts"
import { countTextOf } from "../../compaction/Situation.ts"
import { forSpan, halved, omitted, type SummaryProposal, withoutMedia } from "../../compaction/summarising.ts"
import type { SummaryFailed } from "../../errors/CompactionError.ts"
import type { LogWriteFailed } from "../../errors/SessionError.ts"
import type { Run } from "../../services/CompactService.ts"
import { ModelAdapter } from "../../services/ModelAdapter.ts"
import type { Summarizer } from "../../services/Summarizer.ts"
import { Surface } from "../../services/Surface.ts"
import * as SurfaceState from "../../session/SurfaceState.ts"
import { type CheckedSummary, summaryOf } from "./summaryCall.ts"

/** A summary, the whole units that it stands for, and how many tokens of them it was made without. */
export interface FoldedSummary extends CheckedSummary {
  readonly nodes: ReadonlyArray<SurfaceState.Node>
  readonly omitted: number
}

/** The summariser may overflow and get half of the chunk this often (design section 9). */
const halvings = 3

/** The same span for the conversation's own model, where the one that it was borrowed from gave nothing. */
const withOwnModel = ({ situation }: Run, { first, last }: SummaryProposal) => {
  const { instead } = situation.summary
  const { surface } = situation.state
  const from = SurfaceState.positionOf(surface, first)
  const to = SurfaceState.positionOf(surface, last)
  if (instead === undefined || from === undefined || to === undefined) return undefined
  const own = { ...situation, summary: instead }
  const proposal = forSpan(own, from, to + 1)
  return proposal === undefined ? undefined : { situation: own, proposal }
}

/**
 * Summarises chunk by chunk, each request with the summary so far. A chunk that the summariser finds too large comes back
 * in halves, and what is too many bytes comes back once without images and files; where a later one fails for good, what was
 * summarised until then counts. The same payload is never sent twice.
 */
export const foldSummary = (
  run: Run,
  proposal: SummaryProposal
): Effect.Effect<FoldedSummary, SummaryFailed | LogWriteFailed, Surface | Summarizer | ModelAdapter> =>
  Effect.gen(function* () {
    const { situation } = run
    const adapter = yield* ModelAdapter
    const carries = adapter.sends?.(situation.summary.envelope.route)?.carries ?? carriesAll
    let { chunks, maxTokens } = proposal
    let covered = 0
    let halvingsLeft = halvings
    let dropsMedia = false
    let summary: CheckedSummary | undefined
    while (covered < chunks.length) {
      const exit = yield* Effect.exit(summaryOf(run, { chunk: chunks[covered]!, previous: summary?.text, maxTokens }))
      if (Exit.isSuccess(exit)) {
        // a summariser that is no model of ours may not keep to the cap
        const text = clipToTokens(exit.value.text, maxTokens, countTextOf(situation))
        summary = { text, route: exit.value.route }
        covered++
        continue
      }
      const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
      if (Cause.isInterrupted(exit.cause) || failure?._tag === "LogWriteFailed")
        return yield* Effect.failCause(exit.cause)
      if (failure?.reason === "overflow" && halvingsLeft > 0) {
        const smaller = halved(situation, { chunks, maxTokens }, covered, failure.limit)
        if (smaller !== undefined) {
          halvingsLeft--
          chunks = dropsMedia
            ? (withoutMedia(situation, smaller.chunks, covered, carries) ?? smaller.chunks)
            : smaller.chunks
          maxTokens = smaller.maxTokens
          continue
        }
      }
      if (failure?.reason === "payload-too-large" && !dropsMedia) {
        const lighter = withoutMedia(situation, chunks, covered, carries)
        if (lighter !== undefined) {
          dropsMedia = true
          chunks = lighter
          continue
        }
      }
      if (summary === undefined) {
        const own = withOwnModel(run, proposal)
        return own === undefined
          ? yield* Effect.failCause(exit.cause)
          : yield* foldSummary({ ...run, situation: own.situation }, own.proposal)
      }
      const { id } = yield* Surface
      yield* Effect.logWarning(
        `session "${id}": summary request ${covered + 1} of ${chunks.length} failed; what the ones before it cover is replaced`,
        exit.cause
      )
      break
    }
    const summarised = chunks.slice(0, covered)
    return {
      ...summary!,
      nodes: summarised.flatMap((chunk) => chunk.nodes),
      omitted: omitted(situation, summarised)
    }
  })
