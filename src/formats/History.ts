/**
 * What the model saw of a session that its own tool compacted.
 *
 * @since 0.1.0
 */
import type { Message } from "../session/Message.ts"
import { repairPairs } from "./Pairs.ts"
import type { Compaction, Session } from "./Transcript.ts"

type Compacted = Pick<Session, "messages" | "compactions">

/**
 * The newest compaction before the message at this place.
 *
 * @since 0.1.0
 * @category getters
 */
export const compactionBefore = (session: Compacted, at: number): Compaction | undefined =>
  session.compactions.findLast((compaction) => compaction.at <= at)

/**
 * The messages of the request whose answer stands at `at`.
 *
 * @since 0.1.0
 * @category getters
 */
export const promptBefore = (session: Compacted, at: number): ReadonlyArray<Message> => {
  const compaction = compactionBefore(session, at)
  return compaction === undefined
    ? session.messages.slice(0, at)
    : [...compaction.head, ...session.messages.slice(compaction.keptFrom, at)]
}

/**
 * The session as the model saw it last, with the requests since the newest compaction. One that was never compacted
 * comes back as it is.
 *
 * @since 0.1.0
 * @category combinators
 */
export const lastSeen = (session: Session): Session => {
  const compaction = session.compactions.at(-1)
  if (compaction === undefined) return session
  const { head, keptFrom } = compaction
  const { messages, notes, placeOf } = repairPairs([...head, ...session.messages.slice(keptFrom)])
  return {
    ...session,
    messages,
    requests: session.requests
      .filter(({ at }) => at >= compaction.at)
      .map((request) => ({ ...request, at: placeOf(request.at - keptFrom + head.length) })),
    compactions: [],
    notes: [...session.notes, ...notes]
  }
}
