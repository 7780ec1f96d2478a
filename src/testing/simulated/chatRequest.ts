/**
 * A chat-completions request as a server reads it.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export interface ChatMessage {
  readonly role: string
  readonly content?: unknown
  readonly reasoning_content?: unknown
  readonly tool_calls?: ReadonlyArray<{ readonly function?: { readonly name?: string; readonly arguments?: string } }>
}

/**
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
}

/**
 * Undefined: the body is no request that a server would take.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parse = (text: string): ChatRequest | undefined => {
  try {
    const body = JSON.parse(text)
    if (typeof body.model !== "string" || !Array.isArray(body.messages) || body.messages.length === 0) return undefined
    const maxTokens = body.max_completion_tokens ?? body.max_tokens
    return {
      model: body.model,
      messages: body.messages,
      tools: Array.isArray(body.tools) ? body.tools : [],
      stream: body.stream === true,
      includeUsage: body.stream_options?.include_usage === true,
      maxTokens: typeof maxTokens === "number" ? maxTokens : undefined
    }
  } catch {
    return undefined
  }
}

/**
 * The text of a message's content, its text parts joined.
 *
 * @since 0.1.0
 * @category getters
 */
export const contentText = (message: ChatMessage): string =>
  typeof message.content === "string"
    ? message.content
    : Array.isArray(message.content)
      ? message.content.map((part) => (typeof part?.text === "string" ? part.text : "")).join("\n")
      : ""

/**
 * How many parts of a message are images.
 *
 * @since 0.1.0
 * @category getters
 */
export const imageCount = (message: ChatMessage): number =>
  Array.isArray(message.content) ? message.content.filter((part) => part?.type === "image_url").length : 0
