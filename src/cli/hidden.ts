/**
 * What a window has to hold beside what a file shows.
 *
 * @since 0.1.0
 */
import type { Session } from "../formats/Transcript.ts"

/**
 * A note for a report whose sizes are of the messages alone.
 *
 * @since 0.1.0
 * @category getters
 */
export const hidden = ({ visible }: Session): ReadonlyArray<string> =>
  visible === "messages" ? ["its system prompt and tools are not in the file, and are not counted"] : []
