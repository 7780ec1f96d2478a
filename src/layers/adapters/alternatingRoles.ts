/**
 * Chat messages for templates that want the user and the model to take turns. They count what the user says and plain
 * answers; calls and results stand in between.
 *
 * @since 0.1.0
 */
import type { Fields } from "./looseJson.ts"

const partsOf = (content: unknown): ReadonlyArray<unknown> =>
  Array.isArray(content) ? content : [{ type: "text", text: content }]

const joined = (a: unknown, b: unknown): unknown =>
  typeof a === "string" && typeof b === "string" ? `${a}\n\n${b}` : [...partsOf(a), ...partsOf(b)]

const isPlainAnswer = ({ role, tool_calls: calls }: Fields) => role === "assistant" && calls === undefined

/** One message for two in a row that count as one side's. */
const merged = (last: Fields | undefined, next: Fields): Fields | undefined => {
  if (last === undefined) return undefined
  const isOneSide =
    (last["role"] === "user" && next["role"] === "user") || (isPlainAnswer(last) && next["role"] === "assistant")
  if (!isOneSide) return undefined
  const content = next["content"] === null ? last["content"] : joined(last["content"], next["content"])
  return { ...last, ...next, content }
}

/** What stands between results and what the user says next, and before an answer that nothing was said before. */
const bridge = { assistant: { role: "assistant", content: "…" }, user: { role: "user", content: "…" } } as const

/**
 * Each message begins as it would without what follows it, so that a longer conversation begins as a shorter one.
 *
 * @since 0.1.0
 * @category combinators
 */
export const alternating = (messages: ReadonlyArray<Fields>): ReadonlyArray<Fields> => {
  const turns: Array<Fields> = []
  for (const message of messages) {
    const last = turns.at(-1)
    const whole = merged(last, message)
    if (whole !== undefined) {
      turns[turns.length - 1] = whole
      continue
    }
    if (last === undefined && message["role"] === "assistant") turns.push(bridge.user)
    if (last?.["role"] === "tool" && message["role"] === "user") turns.push(bridge.assistant)
    turns.push(message)
  }
  return turns
}
