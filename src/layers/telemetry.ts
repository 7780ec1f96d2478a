import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import type { Situation } from "../compaction/Situation.ts"
import type { CompactionError } from "../errors/CompactionError.ts"
import type { Outcome } from "../services/CompactService.ts"
import type { Route } from "../session/Route.ts"
import type { Usage } from "../session/Usage.ts"

/** The attributes of a model request that OpenTelemetry's gen_ai conventions name. */
export const genAiAttributes = (route: Route) => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": route.provider,
  "gen_ai.request.model": route.model
})

/** What a provider counted, under the names of the same conventions. */
export const usageAttributes = (usage: Usage) => ({
  "gen_ai.usage.input_tokens": usage.inputTokens,
  "gen_ai.usage.output_tokens": usage.outputTokens
})

const runs = Metric.counter("effect_compaction_runs", {
  description: "compaction runs, by trigger and outcome",
  incremental: true
})

const freed = Metric.histogram(
  "effect_compaction_freed_tokens",
  MetricBoundaries.exponential({ start: 256, factor: 2, count: 14 }),
  "tokens that a run took off the surface, by trigger"
)

const duration = Metric.timer("effect_compaction_duration", "how long a run took, by trigger")

const spent = Metric.counter("effect_compaction_summary_tokens", {
  description: "tokens that summary calls used, by trigger and direction (gen_ai.token.type)",
  incremental: true
})

/** Counts a run and what came of it. */
export const metered =
  ({ trigger }: Situation) =>
  <E extends CompactionError, R>(run: Effect.Effect<Outcome, E, R>): Effect.Effect<Outcome, E, R> => {
    const counted = (outcome: string) =>
      Metric.update(runs.pipe(Metric.tagged("trigger", trigger), Metric.tagged("outcome", outcome)), 1)
    return run.pipe(
      Metric.trackDuration(duration.pipe(Metric.tagged("trigger", trigger))),
      Effect.tapErrorCause(() => counted("failed")),
      Effect.tap((outcome) => {
        if (outcome._tag === "Declined") return counted(outcome.reason)
        const tokens = (direction: string, amount: number) =>
          Metric.update(
            spent.pipe(Metric.tagged("trigger", trigger), Metric.tagged("gen_ai.token.type", direction)),
            amount
          )
        return Effect.all(
          [
            counted(outcome.targetMet ? "reduced" : "reduced, target not met"),
            Metric.update(freed.pipe(Metric.tagged("trigger", trigger)), Math.max(outcome.before - outcome.after, 0)),
            tokens("input", outcome.spent.inputTokens),
            tokens("output", outcome.spent.outputTokens)
          ],
          { discard: true }
        )
      })
    )
  }
