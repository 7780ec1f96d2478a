/**
 * What the protocols' writers have in common: text in pieces, and a message in its parts.
 *
 * @since 0.1.0
 */
import * as Message from "../../session/Message.ts"

/**
 * The text in pieces of `length` characters, none of which ends inside a surrogate pair.
 *
 * @since 0.1.0
 * @category conversions
 */
export const inPieces = (text: string, length = 160): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + length, text.length)
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? "")) end--
    found.push(text.slice(at, end))
    at = end
  }
  return found
}

/**
 * An event of a stream that names its events.
 *
 * @since 0.1.0
 * @category conversions
 */
export const namedEvent = (event: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/**
 * @since 0.1.0
 * @category getters
 */
export const argumentsText = (call: Message.ToolCallBlock): string =>
  typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments ?? {})

/**
 * @since 0.1.0
 * @category getters
 */
export const reasoningText = (message: Message.Message): string =>
  message.content.map((block) => (block.type === "reasoning" ? block.text : "")).join("")

/**
 * The text of everything that the answer puts out, for counting.
 *
 * @since 0.1.0
 * @category getters
 */
export const outputText = (
  message: Message.Message
): { readonly reasoning: string; readonly content: string; readonly calls: ReadonlyArray<string> } => ({
  reasoning: reasoningText(message),
  content: Message.text(message),
  calls: Message.toolCalls(message).map((call) => `${call.name}${argumentsText(call)}`)
})
