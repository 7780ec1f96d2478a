/**
 * A request as the simulated provider works with it: a list of chat messages, whatever protocol it came in.
 *
 * @since 0.1.0
 */

/**
 * `role` is system, user, assistant or tool: what another protocol has as blocks of a message stands in messages of its
 * own, and the system prompt is the first. `content` is text, or the parts as they came; a single part of text is text.
 * `cache_control` is the mark of a message up to which the prefix is to be cached.
 *
 * @since 0.1.0
 * @category models
 */
export interface ChatMessage {
  readonly role: string
  readonly content?: unknown
  readonly reasoning_content?: unknown
  readonly tool_calls?: ReadonlyArray<ChatToolCall>
  readonly tool_call_id?: string
  readonly cache_control?: unknown
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ChatToolCall {
  readonly id?: string
  readonly function?: { readonly name?: string; readonly arguments?: string }
  readonly cache_control?: unknown
}

/**
 * `tools` are as they came. `truncates`: the client allows that the oldest is dropped where it does not fit.
 * `sealsWanted`: it asks for sealed reasoning, to send it back.
 *
 * @since 0.1.0
 * @category models
 */
export interface ChatRequest {
  readonly model: string
  readonly messages: ReadonlyArray<ChatMessage>
  readonly tools: ReadonlyArray<unknown>
  readonly stream: boolean
  readonly includeUsage: boolean
  readonly maxTokens: number | undefined
  readonly truncates?: boolean
  readonly sealsWanted?: boolean
}

/**
 * The texts of a message's content, one for each part that has one.
 *
 * @since 0.1.0
 * @category getters
 */
export const contentTexts = (message: ChatMessage): ReadonlyArray<string> =>
  typeof message.content === "string"
    ? [message.content]
    : Array.isArray(message.content)
      ? message.content.map((part) => (typeof part?.text === "string" ? part.text : ""))
      : []

/**
 * The text of a message's content, its text parts joined.
 *
 * @since 0.1.0
 * @category getters
 */
export const contentText = (message: ChatMessage): string => contentTexts(message).join("\n")

const imageTypes: ReadonlyArray<unknown> = ["image_url", "image", "input_image"]

/**
 * How many parts of a message are images.
 *
 * @since 0.1.0
 * @category getters
 */
export const imageCount = (message: ChatMessage): number =>
  Array.isArray(message.content) ? message.content.filter((part) => imageTypes.includes(part?.type)).length : 0

/**
 * The name of a tool, in any protocol's form.
 *
 * @since 0.1.0
 * @category getters
 */
export const toolName = (tool: unknown): string | undefined => {
  const { function: inner, name } = tool as { readonly name?: unknown; readonly function?: { readonly name?: unknown } }
  return typeof inner?.name === "string" ? inner.name : typeof name === "string" ? name : undefined
}

/**
 * The same without the marks of what is to be cached: they move on from request to request, and are no part of what is
 * said.
 *
 * @since 0.1.0
 * @category conversions
 */
export const withoutMarks = <A>(value: A): A =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === "cache_control" ? undefined : inner)))
