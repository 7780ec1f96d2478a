/**
 * Writes a request as a body of OpenAI's chat completions.
 *
 * The same message gives the same bytes in every request, whatever stands around it, and what may differ from request to
 * request stands behind the messages: the provider's prefix cache lives from that.
 *
 * @since 0.1.0
 */
import * as Sends from "../../compaction/sends.ts"
import type { ModelRequest } from "../../services/ModelAdapter.ts"
import * as Message from "../../session/Message.ts"
import { alternating } from "./alternatingRoles.ts"
import * as CallLabels from "./callLabels.ts"
import * as EncryptedReasoning from "./encryptedReasoning.ts"
import type { Fields } from "./looseJson.ts"
import { summarySettings } from "./summarySettings.ts"

/**
 * Where servers differ in what they accept.
 *
 * @since 0.1.0
 * @category models
 */
export interface RequestQuirks {
  /** The field that caps the output. */
  readonly outputLimitField: "max_tokens" | "max_completion_tokens"
  /** Whose reasoning is sent back, as text. */
  readonly reasoning: Exclude<Sends.Sends["reasoning"], "sealed">
  /** The field that holds it. */
  readonly reasoningField: "reasoning_content" | "reasoning"
  /** Whether what came encrypted of it goes back, beside calls, to the provider that it came from. */
  readonly encryptedReasoning: "send" | "omit"
  /** `placeholder`: the model sees text only. */
  readonly images: "parts" | "placeholder"
  /** Whether a request that must not call tools says so. They are sent all the same: the cached beginning holds them. */
  readonly toolChoiceNone: "send" | "omit"
  /** The role of the system prompt. */
  readonly systemRole: "system" | "developer"
  /**
   * `alternate`: the chat template wants the user and the model to take turns, and counts neither calls nor results.
   * Messages of one role in a row become one, and what the user says behind results follows a short answer.
   */
  readonly roles: "free" | "alternate"
  /** Whether the usage is asked for, which servers refuse that send it in any case. */
  readonly streamOptions: "send" | "omit"
  /** Which ids of calls are taken; others are replaced. */
  readonly callIds: CallLabels.CallIds
  /** Which names of calls are taken, where a model has called what the request does not offer. */
  readonly callNames: CallLabels.CallNames
}

/**
 * @since 0.1.0
 * @category constants
 */
export const defaultQuirks: RequestQuirks = {
  outputLimitField: "max_tokens",
  reasoning: "omit",
  images: "parts",
  toolChoiceNone: "send",
  reasoningField: "reasoning_content",
  encryptedReasoning: "omit",
  systemRole: "system",
  roles: "free",
  streamOptions: "send",
  callIds: "any",
  callNames: "any"
}

const imageUrl = ({ mediaType, source }: Message.ImageBlock): string | undefined =>
  source.type === "url"
    ? source.url
    : source.type === "base64"
      ? `data:${mediaType ?? "image/png"};base64,${source.base64}`
      : undefined

/**
 * What of a message goes into a body to `provider`: images that the user shows, where the model sees them; all other media are
 * named.
 *
 * @since 0.1.0
 * @category conversions
 */
export const sendsOf = (
  { encryptedReasoning, images, reasoning }: Pick<RequestQuirks, "encryptedReasoning" | "images" | "reasoning">,
  provider: string
): Sends.Sends => ({
  reasoning,
  opaque: encryptedReasoning === "send",
  provider,
  carries: (block, role) =>
    block.type === "image" && block.source.type !== "blob" && role === "user" && images === "parts"
})

/** Parts for what the user shows; a plain string if it is only text, since many servers take nothing else. */
const userContent = (blocks: ReadonlyArray<Message.Block>): string | ReadonlyArray<Fields> => {
  const parts = blocks.flatMap((block): ReadonlyArray<Fields> => {
    if (block.type === "text") return [{ type: "text", text: block.text }]
    return block.type === "image" ? [{ type: "image_url", image_url: { url: imageUrl(block) } }] : []
  })
  return parts.every((part) => part["type"] === "text") ? parts.map((part) => part["text"]).join("\n\n") : parts
}

const resultText = (content: ReadonlyArray<Message.ResultBlock>): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")

type MessageQuirks = Pick<
  RequestQuirks,
  "images" | "reasoning" | "reasoningField" | "encryptedReasoning" | "callIds" | "callNames"
>

const assistantMessage = (
  message: Message.Message,
  { callIds, callNames, reasoningField }: MessageQuirks,
  offered: ReadonlySet<string>
): ReadonlyArray<Fields> => {
  const text = Message.text(message)
  const calls = Message.toolCalls(message)
  if (text === "" && calls.length === 0) return []
  const reasoning = message.content.flatMap((block) => (block.type === "reasoning" ? [block] : []))
  const shown = reasoning.map((block) => block.text).join("")
  const encrypted = EncryptedReasoning.encode(reasoning, (id) => CallLabels.id(id, callIds))
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      ...(reasoning.length > encrypted.length ? { [reasoningField]: shown } : {}),
      ...(encrypted.length > 0 ? { [EncryptedReasoning.field]: encrypted } : {}),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map((call) => ({
              id: CallLabels.id(call.id, callIds),
              type: "function",
              function: {
                name: CallLabels.name(call.name, callNames, offered),
                arguments: Sends.argumentsText(call.arguments)
              }
            }))
          })
    }
  ]
}

/**
 * What a message's form depends on beside itself: the names of the request's tools, and whom it goes to.
 *
 * @since 0.1.0
 * @category models
 */
export interface Around {
  readonly offered: ReadonlySet<string>
  readonly provider: string
}

/**
 * One of our messages is none, one or several of theirs: each tool result is a message of its own, and a message that
 * holds nothing that can be sent is left out.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encodeMessage = (
  given: Message.Message,
  quirks: MessageQuirks,
  { offered, provider }: Around
): ReadonlyArray<Fields> => {
  const message = Sends.asSent(given, sendsOf(quirks, provider))
  const results = Message.toolResults(message).map((result) => ({
    role: "tool",
    tool_call_id: CallLabels.id(result.id, quirks.callIds),
    content: resultText(result.content)
  }))
  // a result inside an answer, as in a prefix that an application wrote: it follows the calls
  if (message.role === "assistant") return [...assistantMessage(message, quirks, offered), ...results]
  const rest = message.content.filter((block) => block.type !== "tool-result")
  const content = userContent(rest)
  return content.length === 0 ? results : [...results, { role: "user", content }]
}

/**
 * The body of a streamed request: model, tools, messages, and then what may differ between two requests of one session.
 * The envelope's settings go in as they are, but cannot change what the adapter itself relies on; those of a summary
 * request fit what it asks for.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encodeBody = ({ envelope, messages, toolUse }: ModelRequest, quirks: RequestQuirks): Fields => {
  const { maxOutputTokens, prefix = [], route, settings = {}, system, tools = [] } = envelope
  const set = toolUse === "none" ? summarySettings(settings, maxOutputTokens) : settings
  const around: Around = { offered: new Set(tools.map(({ name }) => name)), provider: route.provider }
  const said = [...prefix, ...messages].flatMap((message) => encodeMessage(message, quirks, around))
  return {
    model: route.model,
    ...(tools.length === 0 ? {} : { tools: tools.map(Sends.toolAsSent) }),
    messages: [
      ...(system === undefined || system === "" ? [] : [{ role: quirks.systemRole, content: system }]),
      ...(quirks.roles === "alternate" ? alternating(said) : said)
    ],
    ...Object.fromEntries(Object.entries(set).filter(([name]) => !ownFields.has(name))),
    ...(toolUse === "none" && tools.length > 0 && quirks.toolChoiceNone === "send" ? { tool_choice: "none" } : {}),
    ...(maxOutputTokens === undefined ? {} : { [quirks.outputLimitField]: maxOutputTokens }),
    stream: true,
    ...(quirks.streamOptions === "send" ? { stream_options: { include_usage: true } } : {})
  }
}

const ownFields = new Set(["model", "messages", "tools", "stream", "stream_options"])
