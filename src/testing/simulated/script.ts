/**
 * What is still to be answered: the script, and the recording after it.
 *
 * @since 0.1.0
 */
import type { Message } from "../../session/Message.ts"
import { message, type Answer, type Fault, type Reply } from "./reply.ts"

/**
 * `remaining` is how many answers and faults nothing has asked for yet.
 *
 * @since 0.1.0
 * @category models
 */
export interface Script {
  readonly next: (replies: ReadonlyArray<Reply>) => void
  readonly takeFault: (kind: "conversation" | "summary", index: number) => Fault | undefined
  readonly takeAnswer: () => Answer | undefined
  readonly remaining: () => number
}

const isBefore = (at: number, limit: number) => limit === -1 || at < limit

/**
 * `recording` are messages, of which the assistant's are answered when the script is used up.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (recording: ReadonlyArray<Message>): Script => {
  const script: Array<Reply> = []
  const replay = recording.filter(({ role }) => role === "assistant").map((recorded) => message(recorded))
  const firstAnswer = () => script.findIndex(({ type }) => type === "answer")
  return {
    next: (replies) => {
      script.push(...replies)
    },
    /** A fault for any request waits for the answers before it; one for a summary, or for one request, does not. */
    takeFault: (kind, index) => {
      const answer = firstAnswer()
      const placed = script.findIndex((reply) => reply.type !== "answer" && reply.at === index)
      const next = script.findIndex(
        (reply, i) =>
          reply.type !== "answer" &&
          reply.at === undefined &&
          (reply.on === kind
            ? kind === "summary" || isBefore(i, answer)
            : reply.on === undefined && isBefore(i, answer))
      )
      const at = placed === -1 ? next : placed
      const [found] = at === -1 ? [] : script.splice(at, 1)
      return found?.type === "answer" ? undefined : found
    },
    takeAnswer: () => {
      const at = firstAnswer()
      const [found] = at === -1 ? [] : script.splice(at, 1)
      return found?.type === "answer" ? found : replay.shift()
    },
    remaining: () => script.length + replay.length
  }
}
