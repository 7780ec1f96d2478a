/**
 * The messages of the last answered request, for a summary request that begins with the same bytes: the provider's cache
 * holds them.
 *
 * @since 0.1.0
 */
import * as Message from "../session/Message.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import type { Situation } from "./Situation.ts"

/** Whether one is the other, or its shortened result: then both stand for the same message of the conversation. */
const isSame = (then: SurfaceState.Node, now: SurfaceState.Node): boolean => {
  if (then === now || then.seq === now.seq) return true
  const [was] = Message.toolResults(then.message)
  const [is] = Message.toolResults(now.message)
  return was !== undefined && is !== undefined && was.id === is.id
}

/**
 * The first `to` nodes as the last answered request carried them: what was pruned since stands there whole, what came since
 * follows as it is. Undefined where they would not begin that request, because a checkpoint took the place of messages
 * since, or because the summary goes elsewhere.
 *
 * @since 0.1.0
 * @category getters
 */
export const acceptedPrefix = (
  { state, summary }: Pick<Situation, "state" | "summary">,
  to: number
): ReadonlyArray<SurfaceState.Node> | undefined => {
  const { accepted, surface } = state
  if (accepted === undefined || accepted.envelope.envelope !== summary.envelope) return undefined
  const nodes: Array<SurfaceState.Node> = []
  for (let position = 0; position < to; position++) {
    const now = SurfaceState.nodeAt(surface, position)!
    const then = SurfaceState.nodeAt(accepted.surface, position)
    if (then !== undefined && !isSame(then, now)) return undefined
    nodes.push(then ?? now)
  }
  return nodes
}
