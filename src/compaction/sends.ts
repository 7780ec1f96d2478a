/**
 * What of a message the requests of a route carry. An adapter builds its requests from this, and the estimator prices the
 * same, so that a message costs what is sent of it.
 *
 * @since 0.1.0
 */
import * as CanonicalJson from "../session/CanonicalJson.ts"
import type { ToolSchema } from "../session/Envelope.ts"
import * as Message from "../session/Message.ts"
import type { Route } from "../session/Route.ts"
import { type Carries, carriesAll } from "./requestBytes.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

/**
 * It decides by the message alone, so that a message is the same in each request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sends {
  /** whose reasoning goes back; `sealed`: that which its provider sealed, in place, and none besides */
  readonly reasoning: "omit" | "with-tool-calls" | "always" | "sealed"
  /** whether what only its own provider can read goes back: signed or encrypted reasoning, blocks of unknown kind */
  readonly opaque: boolean
  /** the one provider whose such blocks go back; without it those of all */
  readonly provider?: string
  /** which images and files go with their bytes; all others are named */
  readonly carries: Carries
}

/**
 * Where nobody knows what a request carries, it is all of it.
 *
 * @since 0.1.0
 * @category constants
 */
export const all: Sends = { reasoning: "always", opaque: true, carries: carriesAll }

type Media = Message.ImageBlock | Message.FileBlock

const whereOf = (source: Message.Source): string | undefined => {
  if (source.type === "blob") return source.blob
  // inline data is no name
  return source.type === "url" && !/^data:/i.test(source.url) ? source.url : undefined
}

/**
 * What stands in a request for an image or a file that it does not carry.
 *
 * @since 0.1.0
 * @category conversions
 */
export const named = (block: Media): string => {
  const notes = [
    block.type === "file" ? block.name : undefined,
    block.mediaType,
    block.type === "file" && block.pages !== undefined ? `${block.pages} pages` : undefined,
    block.type === "image" && block.width !== undefined && block.height !== undefined
      ? `${block.width}x${block.height}`
      : undefined,
    whereOf(block.source)
  ].filter((note) => note !== undefined)
  return `[${[block.type, ...notes].join(" ")}]`
}

/** What an application put there that has no JSON (a BigInt, a cycle) is named: it costs no request and no summary. */
const jsonText = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? "{}"
  } catch {
    return JSON.stringify({ "not JSON": typeof value })
  }
}

const objectIn = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * The arguments of a call as the object that providers want. They parse what a model said in earlier answers, and refuse the
 * request, and every later one of its conversation, where that is none: text that did not parse when it came goes back
 * inside of one.
 *
 * @since 0.1.0
 * @category conversions
 */
export const argumentsAsSent = (args: unknown): object => {
  if (isObject(args)) return args
  if (args === undefined || args === null || args === "") return {}
  return (typeof args === "string" ? objectIn(args) : undefined) ?? { arguments: args }
}

/**
 * The same as text.
 *
 * @since 0.1.0
 * @category conversions
 */
export const argumentsText = (args: unknown): string => jsonText(argumentsAsSent(args))

/**
 * A tool as chat completions have it; other providers' forms differ by a few tokens.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toolAsSent = ({ description, name, parameters }: ToolSchema) => ({
  type: "function" as const,
  function: { name, ...(description === undefined ? {} : { description }), parameters }
})

/**
 * The text of a tool; the same whatever the order of its keys.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toolText = (tool: ToolSchema): string => CanonicalJson.encode(toolAsSent(tool))

type Block = Message.Message["content"][number]

/** Reasoning alone is no message that a provider takes. */
const goesBack = (message: Message.Message, { reasoning }: Sends): boolean =>
  Message.toolCalls(message).length > 0
    ? reasoning !== "omit"
    : reasoning === "always"
      ? Message.text(message) !== ""
      : reasoning === "sealed"

const isReadable = (
  block: Message.ReasoningBlock | typeof Message.UnknownBlock.Type,
  { opaque, provider }: Sends
): boolean => opaque && (provider === undefined || block.provider === provider)

const reasoningAsSent = (block: Message.ReasoningBlock, sends: Sends): Message.ReasoningBlock | undefined => {
  const isSealed = block.signature !== undefined || block.redacted !== undefined
  if (isSealed && isReadable(block, sends)) return block
  if (sends.reasoning === "sealed") return undefined
  if (!isSealed) return block
  // what the provider showed of it is text like any other
  return block.text === "" ? undefined : { type: "reasoning", text: block.text }
}

/** The block itself if all of it is sent, nothing if none of it is. */
const blockAsSent = (block: Block, message: Message.Message, sends: Sends): Block | undefined => {
  switch (block.type) {
    case "reasoning":
      return goesBack(message, sends) ? reasoningAsSent(block, sends) : undefined
    case "image":
    case "file":
      return sends.carries(block, message.role) ? block : Message.textBlock(named(block))
    case "unknown":
      return isReadable(block, sends) ? block : undefined
    case "tool-result": {
      const content = blocksAsSent(block.content, { role: "tool", content: block.content }, sends)
      return content === block.content ? block : { ...block, content: content as ReadonlyArray<Message.ResultBlock> }
    }
    default:
      return block
  }
}

const blocksAsSent = (blocks: ReadonlyArray<Block>, message: Message.Message, sends: Sends): ReadonlyArray<Block> => {
  const sent = blocks.map((block) => blockAsSent(block, message, sends))
  // sealed reasoning that nothing follows was cut off, and is refused
  if (sends.reasoning === "sealed") {
    while (sent.at(-1)?.type === "reasoning" || (sent.length > 0 && sent.at(-1) === undefined)) sent.pop()
  }
  return sent.length === blocks.length && sent.every((block, i) => block === blocks[i])
    ? blocks
    : sent.filter((block) => block !== undefined)
}

/**
 * The message as it is sent: without what stays here, and with a name for each image and file that is not carried. The
 * same value if all of it is sent.
 *
 * @since 0.1.0
 * @category combinators
 */
export const asSent = (message: Message.Message, sends: Sends): Message.Message => {
  const content = blocksAsSent(message.content, message, sends)
  return content === message.content ? message : { ...message, content }
}

/**
 * The estimator of what is sent: `sends` says it of a route. Undefined, or no route: all of it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const estimatorOf = (estimator: TokenEstimator, sends: (route: Route) => Sends | undefined): TokenEstimator => {
  const sent = (message: Message.Message, route: Route | undefined): Message.Message => {
    const rule = route === undefined ? undefined : sends(route)
    return rule === undefined ? message : asSent(message, rule)
  }
  return {
    id: estimator.id,
    dimensions: estimator.dimensions,
    message: (message, route) => estimator.message(sent(message, route), route),
    envelope: (envelope) =>
      estimator.envelope(
        envelope.prefix === undefined
          ? envelope
          : { ...envelope, prefix: envelope.prefix.map((message) => sent(message, envelope.route)) }
      ),
    weights: (route) => estimator.weights(route)
  }
}
