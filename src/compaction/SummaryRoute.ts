/**
 * Which model summarises, and what it is sent beside the messages.
 *
 * @since 0.1.0
 */
import type { Envelope } from "../session/Envelope.ts"
import * as Route from "../session/Route.ts"
import type { Measurement } from "./measure.ts"
import type { RoutePolicy } from "./Policy.ts"
import * as RouteFacts from "./RouteFacts.ts"
import * as SessionState from "./SessionState.ts"
import { tokens, type TokenEstimator } from "./TokenEstimator.ts"

/**
 * Where a summary request would go, and what it would carry beside the messages.
 *
 * @since 0.1.0
 * @category models
 */
export interface SummaryRoute {
  readonly envelope: Envelope
  /** tokens of the envelope */
  readonly envelopeTokens: number
  /** of its route; undefined: nobody knows */
  readonly window: number | undefined
  readonly outputLimit?: number
  /** where the route is that of the last answer, because the conversation has just moved to one that it does not fit: that one */
  readonly instead?: SummaryRoute
}

/**
 * What the adapter knows of the route, in tokens.
 *
 * @since 0.1.0
 * @category models
 */
export interface KnownWindow {
  readonly window: number
  readonly outputLimit?: number
}

/**
 * The window of a route where somebody knows it.
 *
 * @since 0.1.0
 * @category models
 */
export type Known = (route: Route.Route) => KnownWindow | undefined

const servedBy = (
  { envelope, tokens }: { readonly envelope: Envelope; readonly tokens: number },
  state: SessionState.SessionState,
  known: Known
): SummaryRoute => {
  const info = known(envelope.route)
  const facts = SessionState.routeFacts(state, Route.key(envelope.route))
  const window = RouteFacts.windowOf(facts, info?.window)
  return {
    envelope,
    envelopeTokens: tokens,
    // a request over the ceiling would be refused like the one that taught it
    window: facts.ceiling === undefined ? window : Math.min(window ?? Infinity, facts.ceiling),
    // servers that do not know it say 0, and what is no number says nothing
    ...(info?.outputLimit !== undefined && info.outputLimit > 0 ? { outputLimit: info.outputLimit } : {})
  }
}

/**
 * The policy's route, else the conversation's. A conversation that has just moved to a model that it does not fit is
 * summarised by the one that it comes from, while that one has more room: it has read all of it before.
 *
 * @since 0.1.0
 * @category constructors
 */
export const summaryRoute = (
  {
    estimator,
    known,
    state
  }: { readonly estimator: TokenEstimator; readonly known: Known; readonly state: SessionState.SessionState },
  current: SessionState.CurrentEnvelope,
  policy: RoutePolicy,
  { envelopeTokens, totalTokens }: Measurement
): SummaryRoute => {
  const { route } = policy.summary
  const { envelope } = current
  if (route !== undefined && Route.key(route) !== current.routeKey) {
    return servedBy({ envelope: { ...envelope, route }, tokens: envelopeTokens }, state, known)
  }
  const own = servedBy({ envelope, tokens: envelopeTokens }, state, known)
  const before = state.accepted?.envelope
  if (route !== undefined || before === undefined || before.routeKey === current.routeKey) return own
  if (own.window === undefined || totalTokens <= own.window) return own
  const price = tokens(before.counts, estimator.weights(before.envelope.route))
  const other = servedBy({ envelope: before.envelope, tokens: price }, state, known)
  return other.window !== undefined && other.window > own.window ? { ...other, instead: own } : own
}
