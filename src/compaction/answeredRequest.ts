/**
 * What a request that was answered teaches: the count of its provider, and that the provider's cache holds its messages.
 *
 * @since 0.1.0
 */
import * as Usage from "../session/Usage.ts"
import { measure } from "./measure.ts"
import * as Meter from "./Meter.ts"
import { newestCounted } from "./Records.ts"
import * as RouteFacts from "./RouteFacts.ts"
import { type Changes, changed, routeFacts, type SessionState, weights } from "./SessionState.ts"
import * as SilentTruncation from "./silentTruncation.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

/** The provider counted the request. Of one that was cut by its server the count is no size, and nothing to go on from. */
const withReport = (
  state: SessionState,
  usage: Usage.Usage,
  judgement: SilentTruncation.Judgement,
  estimator: TokenEstimator
): Changes => {
  const { envelope } = state
  if (envelope === undefined) return {}
  const counted = RouteFacts.accepted(routeFacts(state, envelope.routeKey), usage.inputTokens)
  const facts = judgement === "truncated" ? RouteFacts.truncated(counted) : counted
  const isCut =
    judgement === "truncated" ||
    (facts.truncates === true && SilentTruncation.isCut(state, facts.accepted ?? 0, estimator))
  const meter = isCut
    ? Meter.uncounted(state.meter)
    : Meter.reported(
        state.meter,
        usage.inputTokens,
        measure(state, estimator).totalTokens,
        weights(state, estimator),
        envelope.routeKey
      )
  return { meter, routes: new Map(state.routes).set(envelope.routeKey, facts) }
}

/**
 * The request of the open step was answered, and counted if its provider counts. Told once more of the same request, by
 * the step's end, it changes nothing.
 *
 * @since 0.1.0
 * @category folds
 */
export const answered = (
  state: SessionState,
  usage: Usage.Usage | undefined,
  estimator: TokenEstimator
): SessionState => {
  const { envelope, openStep } = state
  const isCounted = Usage.isReported(usage)
  const judgement = isCounted ? SilentTruncation.judge(state, usage, estimator) : "whole"
  const told = isCounted ? changed(state, withReport(state, usage, judgement, estimator)) : state
  if (envelope === undefined || openStep === undefined) return told
  if (state.accepted?.surface === openStep.surface && !isCounted) return told
  const before = newestCounted(state.accepted)
  const isShort = judgement === "short" || (judgement === "untold" && before?.counted.short === true)
  return changed(told, {
    accepted: {
      surface: openStep.surface,
      envelope,
      ...(isCounted
        ? { counted: { input: usage.inputTokens, short: isShort } }
        : before === undefined
          ? {}
          : { before })
    }
  })
}
