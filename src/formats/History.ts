/**
 * What the model saw of a session that its own tool compacted.
 *
 * @since 0.1.0
 */
import type { Message } from "../session/Message.ts"
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
