/**
 * The requests of a conversation, as its log tells of them.
 *
 * @since 0.1.0
 */
import * as SessionEvent from "../../session/SessionEvent.ts"
import type { Usage } from "../../session/Usage.ts"
import type { Counter } from "./counter.ts"

/**
 * One request: a step of the log. `tokens` is its input as the provider counted it, in its usage or in its refusal,
 * undefined where it said nothing. `carried` is the same by our counter, and `uncompacted` what the request would have
 * carried if nothing had ever been compacted. `usage` is what the provider bills for it, absent where it said nothing:
 * nobody bills a refusal.
 *
 * @since 0.1.0
 * @category models
 */
export interface Step {
  readonly turn: number | null
  readonly generation: number
  readonly outcome: "answered" | "refused" | "failed" | "interrupted"
  readonly tokens: number | undefined
  readonly carried: number
  readonly uncompacted: number
  readonly usage: Usage | undefined
}

type Open = { -readonly [Field in keyof Step]: Step[Field] }

/**
 * @since 0.1.0
 * @category conversions
 */
export const stepsOf = (
  events: ReadonlyArray<SessionEvent.SessionEvent | SessionEvent.SkippedEvent>,
  counter: Counter
): ReadonlyArray<Step> => {
  const steps: Array<Open> = []
  const sizes = new Map<number, number>()
  let envelope = 0
  let onSurface = 0
  let everSaid = 0
  let open: Open | undefined
  for (const event of events) {
    if (event.type === "skipped") continue
    if (event.type === "request/envelope") {
      envelope = counter.envelope(event.data.envelope)
    } else if (event.type === "step/start") {
      const { generation, turn } = event.data
      open = {
        turn,
        generation,
        outcome: "interrupted",
        tokens: undefined,
        carried: envelope + onSurface,
        uncompacted: envelope + everSaid,
        usage: undefined
      }
      steps.push(open)
    } else if (event.type === "step/end") {
      if (open !== undefined && open.outcome !== "answered") {
        open.outcome = event.data.outcome === "completed" ? "answered" : event.data.outcome
        open.usage = event.data.usage
        open.tokens = event.data.usage?.inputTokens ?? event.data.requested
      }
      open = undefined
    } else if (SessionEvent.isSurfaceBody(event)) {
      if (event.type === "message/assistant" && open !== undefined && event.data.interrupted !== true) {
        open.outcome = "answered"
        open.usage = event.data.usage
        open.tokens = event.data.usage?.inputTokens
      }
      const size = counter.message(SessionEvent.messageOf(event))
      if (event.data.replaces === undefined) everSaid += size
      for (const seq of event.data.replaces?.sources ?? []) {
        onSurface -= sizes.get(seq) ?? 0
        sizes.delete(seq)
      }
      sizes.set(event.seq, size)
      onSurface += size
    }
  }
  return steps
}

/**
 * The input of a request by the provider's count; ours where it gave none.
 *
 * @since 0.1.0
 * @category getters
 */
export const tokensOf = (step: Step): number => step.tokens ?? step.carried

/**
 * A refused request and the one that rescue sent in its place.
 *
 * @since 0.1.0
 * @category models
 */
export interface Retry {
  readonly refused: Step
  readonly again: Step
}

/**
 * What was sent again: the request after a refused one, within its turn.
 *
 * @since 0.1.0
 * @category getters
 */
export const retriesOf = (steps: ReadonlyArray<Step>): ReadonlyArray<Retry> =>
  steps.flatMap((again, i) => {
    const refused = steps[i - 1]
    return refused?.outcome === "refused" && refused.turn === again.turn ? [{ refused, again }] : []
  })

/**
 * Whether a retry went out on no evidence: at the generation of the refusal, or below.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isWithoutProgress = ({ again, refused }: Retry): boolean => again.generation <= refused.generation

/**
 * Whether a retry was not smaller than what had been refused, by the provider's own count; ours where it gave none.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isNotSmaller = ({ again, refused }: Retry): boolean =>
  again.tokens !== undefined && refused.tokens !== undefined
    ? again.tokens >= refused.tokens
    : again.carried >= refused.carried
