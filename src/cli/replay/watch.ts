/**
 * What is told while a replay runs.
 *
 * @since 0.1.0
 */
import type { Outcome } from "../../layers/CompactService.ts"
import type { Trigger } from "../../session/SessionEvent.ts"
import { whole } from "../say.ts"

/**
 * Tokens. `Refused`: the provider's refusal, as it stated it; `Compacted`: what a run came to; `CompactionFailed`: it
 * landed nothing and failed.
 *
 * @since 0.1.0
 * @category models
 */
export type Happening =
  | { readonly _tag: "Refused"; readonly limit: number | undefined; readonly requested: number | undefined }
  | { readonly _tag: "Compacted"; readonly outcome: Outcome }
  | { readonly _tag: "CompactionFailed"; readonly trigger: Trigger; readonly detail: string }

const number = (value: number | undefined): string => (value === undefined ? "?" : whole(value))

/**
 * The line that a person reads, where there is something to read.
 *
 * @since 0.1.0
 * @category conversions
 */
export const lineOf = (session: string, happening: Happening): string | undefined => {
  switch (happening._tag) {
    case "Refused":
      return `${session}: refused, limit ${number(happening.limit)}, requested ${number(happening.requested)}`
    case "CompactionFailed":
      return `${session}: ${happening.trigger} compaction failed: ${happening.detail}`
    case "Compacted": {
      const { outcome } = happening
      if (outcome._tag === "Reduced") {
        const rungs = outcome.rungs.length === 0 ? "" : ` by ${outcome.rungs.join(" + ")}`
        return `${session}: ${outcome.trigger}${rungs}, ${number(outcome.before)} -> ${number(outcome.after)} tokens, generation ${outcome.generation}`
      }
      return outcome.trigger === "context-overflow"
        ? `${session}: context-overflow, nothing to gain (${outcome.reason}; envelope ${number(outcome.envelope)}, newest unit ${number(outcome.unit)}, window ${number(outcome.window)})`
        : undefined
    }
  }
}
