/**
 * What could not fit, and why: worked out from the log.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { apply } from "../../compaction/SessionFold.ts"
import * as SessionState from "../../compaction/SessionState.ts"
import { isResting } from "../../compaction/resting.ts"
import { assess, newestUnit, priceOf } from "../../compaction/Situation.ts"
import type { TokenEstimator } from "../../compaction/TokenEstimator.ts"
import type { SessionEvent, SkippedEvent } from "../../session/SessionEvent.ts"
import * as SurfaceState from "../../session/SurfaceState.ts"
import type { GivenUp } from "./place.ts"
import type { Unfit } from "./report.ts"
import type { Settings } from "./settings.ts"
import { whole } from "../say.ts"

const describe = (
  session: string,
  state: SessionState.SessionState,
  { skipped, turn }: GivenUp,
  settings: Settings,
  estimator: TokenEstimator
): Unfit => {
  const about = { session, turn, skipped }
  const situation = assess({
    trigger: "context-overflow",
    state,
    estimator,
    policy: settings.policy,
    known: () => ({ window: settings.toldWindow }),
    summaryBounded: true
  })
  const { limit, measured = 0, requested = measured } = state.refusal ?? {}
  const window = limit ?? settings.window
  if (Either.isLeft(situation)) {
    const { envelope, reason, unit } = situation.left
    if (reason === "envelope-too-large") {
      const detail = `system prompt and tools alone take ${whole(envelope)} tokens`
      return { ...about, what: reason, tokens: envelope, window, detail }
    }
    if (reason === "unit-too-large") {
      const detail = `the newest unit, cut as far as the policy cuts it, takes ${whole(unit)} tokens beside the envelope's ${whole(envelope)}`
      return { ...about, what: reason, tokens: envelope + unit, window, detail }
    }
    return { ...about, what: "overflow", tokens: requested, window, detail: `rescue declined: ${reason}` }
  }
  const { envelopeTokens, surfaceTokens } = situation.right.measurement
  const unit = priceOf(situation.right, SurfaceState.nodes(state.surface, newestUnit(state.surface)))
  const resting = isResting(situation.right) ? "; summaries rest after failing repeatedly" : ""
  return {
    ...about,
    what: "overflow",
    tokens: requested,
    window,
    detail: `rescue could not make it fit: envelope ${whole(envelopeTokens)}, surface ${whole(surfaceTokens)}, of which the newest unit ${whole(unit)}${resting}`
  }
}

/**
 * One entry for each turn that was given up, in order.
 *
 * @since 0.1.0
 * @category conversions
 */
export const unfitOf = (
  session: string,
  events: ReadonlyArray<SessionEvent | SkippedEvent>,
  givenUp: ReadonlyArray<GivenUp>,
  settings: Settings,
  estimator: TokenEstimator
): ReadonlyArray<Unfit> => {
  if (givenUp.length === 0) return []
  const ends = new Map(givenUp.map((entry) => [entry.seq, entry]))
  const found: Array<Unfit> = []
  let state = SessionState.empty(estimator)
  for (const event of events) {
    // the end of the turn forgets the refusal, so it is looked at just before
    const entry = ends.get(event.seq)
    if (entry !== undefined) found.push(describe(session, state, entry, settings, estimator))
    const next = apply(state, event, estimator)
    if (Either.isLeft(next)) break
    state = next.right
  }
  return found
}
