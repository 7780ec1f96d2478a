/**
 * Whether a summary request was answered in vain, and would be again.
 *
 * @since 0.1.0
 */
import type { SummaryFailed } from "../errors/CompactionError.ts"
import type { Seq } from "../session/Ids.ts"
import * as Route from "../session/Route.ts"
import type { SessionState } from "./SessionState.ts"

/** What a model says to the same text once more is as little use; what kept it from answering may be over by then. */
const vain: ReadonlySet<string> = new Set<SummaryFailed["reason"]>([
  "empty",
  "truncated",
  "no-text",
  "protocol",
  "filtered",
  "no-structure"
])

/**
 * Whether the newest summary request was for this very span of this generation, on this route, and its answer was paid for
 * and is no use: nobody pays for the same answer again. Folded from the log, so that neither the other trigger nor a
 * restart asks again.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isVain = (
  { summaryCall: call, surface }: Pick<SessionState, "summaryCall" | "surface">,
  route: Route.Route,
  span: { readonly first: Seq; readonly last: Seq }
): boolean =>
  call?.span !== undefined &&
  call.generation === surface.generation &&
  vain.has(call.outcome) &&
  call.route !== undefined &&
  Route.equals(call.route, route) &&
  call.span.first === span.first &&
  call.span.last === span.last
