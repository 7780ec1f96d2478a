/**
 * Writes a request as a body of OpenAI's chat completions.
 *
 * The same message gives the same bytes in every request, whatever stands around it, and what may differ from request to
 * request stands behind the messages: the provider's prefix cache lives from that.
 *
 * @since 0.1.0
 */
import type { ModelRequest } from "../../services/ModelAdapter.ts"
import type { ToolSchema } from "../../session/Envelope.ts"
import * as Message from "../../session/Message.ts"

/**
 * Where servers differ in what they accept.
 *
 * @since 0.1.0
 * @category models
 */
export interface RequestQuirks {
  /** The field that caps the output. */
  readonly outputLimitField: "max_tokens" | "max_completion_tokens"
  /** Whose reasoning is sent back, as `reasoning_content`. It must depend on the message alone. */
  readonly reasoning: "omit" | "with-tool-calls" | "always"
  /** `placeholder`: the model sees text only. */
  readonly images: "parts" | "placeholder"
  /** Whether a request that must not call tools says so. They are sent all the same: the cached beginning holds them. */
  readonly toolChoiceNone: "send" | "omit"
}

/**
 * @since 0.1.0
 * @category constants
 */
export const defaultQuirks: RequestQuirks = {
  outputLimitField: "max_tokens",
  reasoning: "omit",
  images: "parts",
  toolChoiceNone: "send"
}

type Fields = Readonly<Record<string, unknown>>

const placeholder = (block: (typeof Message.ImageBlock | typeof Message.FileBlock)["Type"]): string => {
  const notes = [
    block.type === "file" ? block.name : undefined,
    block.mediaType,
    block.type === "file" && block.pages !== undefined ? `${block.pages} pages` : undefined,
    block.type === "image" && block.width !== undefined && block.height !== undefined
      ? `${block.width}x${block.height}`
      : undefined,
    block.source.type === "url" ? block.source.url : undefined,
    block.source.type === "blob" ? block.source.blob : undefined
  ].filter((note) => note !== undefined)
  return `[${[block.type, ...notes].join(" ")}]`
}

const imageUrl = ({ mediaType, source }: Message.ImageBlock): string | undefined =>
  source.type === "url"
    ? source.url
    : source.type === "base64"
      ? `data:${mediaType ?? "image/png"};base64,${source.base64}`
      : undefined

/**
 * Whether a body has the bytes of an image or a file: images that the user shows, where the model sees them. All others are
 * only named.
 *
 * @since 0.1.0
 * @category predicates
 */
export const carriesBytes = (
  block: Message.ImageBlock | Message.FileBlock,
  role: Message.Message["role"],
  quirks: RequestQuirks
): boolean => block.type === "image" && role === "user" && quirks.images === "parts"

/** Parts for what the user shows; a plain string if it is only text, since many servers take nothing else. */
const userContent = (blocks: ReadonlyArray<Message.Block>, quirks: RequestQuirks): string | ReadonlyArray<Fields> => {
  const parts: Array<Fields> = []
  for (const block of blocks) {
    if (block.type === "text") parts.push({ type: "text", text: block.text })
    else if (block.type === "image") {
      const url = carriesBytes(block, "user", quirks) ? imageUrl(block) : undefined
      parts.push(
        url === undefined ? { type: "text", text: placeholder(block) } : { type: "image_url", image_url: { url } }
      )
    } else if (block.type === "file") parts.push({ type: "text", text: placeholder(block) })
  }
  return parts.every((part) => part["type"] === "text") ? parts.map((part) => part["text"]).join("\n\n") : parts
}

const resultText = (content: ReadonlyArray<Message.ResultBlock>): string =>
  content
    .flatMap((block) => (block.type === "text" ? [block.text] : block.type === "unknown" ? [] : [placeholder(block)]))
    .join("\n\n")

const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Text that did not parse when it came goes back as it came. */
const argumentsText = (args: unknown): string =>
  typeof args === "string" && !isJson(args) ? args : (JSON.stringify(args) ?? "{}")

const assistantMessage = (message: Message.Message, quirks: RequestQuirks): ReadonlyArray<Fields> => {
  const text = Message.text(message)
  const calls = Message.toolCalls(message)
  if (text === "" && calls.length === 0) return []
  const reasoning = message.content.filter((block) => block.type === "reasoning")
  const sendsReasoning =
    reasoning.length > 0 &&
    (quirks.reasoning === "always" || (quirks.reasoning === "with-tool-calls" && calls.length > 0))
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      ...(sendsReasoning ? { reasoning_content: reasoning.map((block) => block.text).join("") } : {}),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map((call) => ({
              id: call.id,
              type: "function",
              function: { name: call.name, arguments: argumentsText(call.arguments) }
            }))
          })
    }
  ]
}

/**
 * One of our messages is none, one or several of theirs: each tool result is a message of its own, and a message that
 * holds nothing that can be sent is left out.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encodeMessage = (message: Message.Message, quirks: RequestQuirks): ReadonlyArray<Fields> => {
  const results = Message.toolResults(message).map((result) => ({
    role: "tool",
    tool_call_id: result.id,
    content: resultText(result.content)
  }))
  // a result inside an answer, as in a prefix that an application wrote: it follows the calls
  if (message.role === "assistant") return [...assistantMessage(message, quirks), ...results]
  const rest = message.content.filter((block) => block.type !== "tool-result")
  const content = userContent(rest, quirks)
  return content.length === 0 ? results : [...results, { role: "user", content }]
}

const encodeTool = (tool: ToolSchema): Fields => ({
  type: "function",
  function: {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    parameters: tool.parameters
  }
})

/**
 * The body of a streamed request: model, tools, messages, and then what may differ between two requests of one session.
 * The envelope's settings go in as they are, but cannot change what the adapter itself relies on.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encodeBody = ({ envelope, messages, toolUse }: ModelRequest, quirks: RequestQuirks): Fields => {
  const { maxOutputTokens, prefix = [], route, settings = {}, system, tools = [] } = envelope
  const own = toolUse === "none" ? new Set([...ownFields, ...toolFields]) : ownFields
  return {
    model: route.model,
    ...(tools.length === 0 ? {} : { tools: tools.map(encodeTool) }),
    messages: [
      ...(system === undefined || system === "" ? [] : [{ role: "system", content: system }]),
      ...prefix.flatMap((message) => encodeMessage(message, quirks)),
      ...messages.flatMap((message) => encodeMessage(message, quirks))
    ],
    ...Object.fromEntries(Object.entries(settings).filter(([name]) => !own.has(name))),
    ...(toolUse === "none" && tools.length > 0 && quirks.toolChoiceNone === "send" ? { tool_choice: "none" } : {}),
    ...(maxOutputTokens === undefined ? {} : { [quirks.outputLimitField]: maxOutputTokens }),
    stream: true,
    stream_options: { include_usage: true }
  }
}

const ownFields = new Set(["model", "messages", "tools", "stream", "stream_options"])

/** Settings for a conversation that calls tools; a request that must not call any would contradict them. */
const toolFields = ["tool_choice", "parallel_tool_calls"]
