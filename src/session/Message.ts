/**
 * Messages and their content blocks: what a model sees and says, in a form that belongs to no provider.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { exactOptional } from "./exactOptional.ts"

/**
 * Where the bytes of an image or a file are: at a URL, in a blob store of the application, or inline.
 *
 * @since 0.1.0
 * @category models
 */
export const Source = Schema.Union(
  Schema.Struct({ type: Schema.Literal("url"), url: Schema.NonEmptyString }),
  Schema.Struct({ type: Schema.Literal("blob"), blob: Schema.NonEmptyString }),
  Schema.Struct({ type: Schema.Literal("base64"), base64: Schema.String })
)

/**
 * @since 0.1.0
 * @category models
 */
export type Source = typeof Source.Type

/**
 * @since 0.1.0
 * @category models
 */
export const TextBlock = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })

/**
 * Reasoning as the provider showed it. `signature` is the provider's own seal, sent back unchanged; `redacted` holds
 * reasoning that came encrypted. `provider` is the one that a route names and that sealed it: nobody else can read it.
 *
 * @since 0.1.0
 * @category models
 */
export const ReasoningBlock = Schema.Struct({
  type: Schema.Literal("reasoning"),
  text: Schema.String,
  signature: exactOptional(Schema.String),
  redacted: exactOptional(Schema.String),
  provider: exactOptional(Schema.String)
})

/**
 * `arguments` is the parsed JSON, or the text as it came where it does not parse.
 *
 * @since 0.1.0
 * @category models
 */
export const ToolCallBlock = Schema.Struct({
  type: Schema.Literal("tool-call"),
  id: Schema.NonEmptyString,
  name: Schema.String,
  arguments: Schema.Unknown
})

/**
 * `width` and `height` are pixels, where known: images are priced by them.
 *
 * @since 0.1.0
 * @category models
 */
export const ImageBlock = Schema.Struct({
  type: Schema.Literal("image"),
  source: Source,
  mediaType: exactOptional(Schema.String),
  width: exactOptional(Schema.Positive),
  height: exactOptional(Schema.Positive)
})

/**
 * `pages` is the number of pages of a document, where known: documents are priced by it.
 *
 * @since 0.1.0
 * @category models
 */
export const FileBlock = Schema.Struct({
  type: Schema.Literal("file"),
  source: Source,
  mediaType: exactOptional(Schema.String),
  name: exactOptional(Schema.String),
  pages: exactOptional(Schema.Positive)
})

/**
 * A block of a kind that this version does not know. Kept as it came, and sent back only to `provider`, the one that a
 * route names and that it came from.
 *
 * @since 0.1.0
 * @category models
 */
export const UnknownBlock = Schema.Struct({
  type: Schema.Literal("unknown"),
  value: Schema.Unknown,
  provider: exactOptional(Schema.String)
})

/**
 * What the content of a tool result may hold.
 *
 * @since 0.1.0
 * @category models
 */
export const ResultBlock = Schema.Union(TextBlock, ImageBlock, FileBlock, UnknownBlock)

/**
 * @since 0.1.0
 * @category models
 */
export type ResultBlock = typeof ResultBlock.Type

/**
 * What a tool answered to the call `id`.
 *
 * @since 0.1.0
 * @category models
 */
export const ToolResultBlock = Schema.Struct({
  type: Schema.Literal("tool-result"),
  id: Schema.NonEmptyString,
  name: Schema.String,
  content: Schema.Array(ResultBlock),
  isError: exactOptional(Schema.Boolean)
})

/**
 * @since 0.1.0
 * @category models
 */
export const Block = Schema.Union(
  TextBlock,
  ReasoningBlock,
  ToolCallBlock,
  ToolResultBlock,
  ImageBlock,
  FileBlock,
  UnknownBlock
)

/**
 * @since 0.1.0
 * @category models
 */
export type Block = typeof Block.Type

/**
 * @since 0.1.0
 * @category models
 */
export type TextBlock = typeof TextBlock.Type

/**
 * @since 0.1.0
 * @category models
 */
export type ReasoningBlock = typeof ReasoningBlock.Type

/**
 * @since 0.1.0
 * @category models
 */
export type ToolCallBlock = typeof ToolCallBlock.Type

/**
 * A call that waits for its result, as far as that is concerned.
 *
 * @since 0.1.0
 * @category models
 */
export type OpenCall = Pick<ToolCallBlock, "id" | "name">

/**
 * @since 0.1.0
 * @category models
 */
export type ToolResultBlock = typeof ToolResultBlock.Type

/**
 * @since 0.1.0
 * @category models
 */
export type ImageBlock = typeof ImageBlock.Type

/**
 * @since 0.1.0
 * @category models
 */
export type FileBlock = typeof FileBlock.Type

/**
 * @since 0.1.0
 * @category models
 */
export type UnknownBlock = typeof UnknownBlock.Type

/**
 * What an application, or an adapter, keeps with a message.
 *
 * @since 0.1.0
 * @category models
 */
export const Metadata = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/**
 * @since 0.1.0
 * @category models
 */
export type Metadata = typeof Metadata.Type

/**
 * `metadata` travels with the message in the log and is never sent to a model.
 *
 * @since 0.1.0
 * @category models
 */
export const Message = Schema.Struct({
  role: Schema.Literal("user", "assistant", "tool"),
  content: Schema.Array(Block),
  metadata: exactOptional(Metadata)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Message = typeof Message.Type

/**
 * Turns messages of an application's own kind into ours and back.
 *
 * @since 0.1.0
 * @category models
 */
export interface Codec<M> {
  readonly decode: (message: M) => Message
  readonly encode: (message: Message) => M
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const textBlock = (text: string): TextBlock => ({ type: "text", text })

const blocks = <B>(content: string | ReadonlyArray<B>): ReadonlyArray<B | TextBlock> =>
  typeof content === "string" ? [textBlock(content)] : content

/**
 * @since 0.1.0
 * @category constructors
 */
export const user = (content: string | ReadonlyArray<Block>): Message => ({ role: "user", content: blocks(content) })

/**
 * @since 0.1.0
 * @category constructors
 */
export const assistant = (content: string | ReadonlyArray<Block>): Message => ({
  role: "assistant",
  content: blocks(content)
})

/**
 * @since 0.1.0
 * @category constructors
 */
export const toolCall = (id: string, name: string, args: unknown): ToolCallBlock => ({
  type: "tool-call",
  id,
  name,
  arguments: args
})

/**
 * @since 0.1.0
 * @category constructors
 */
export const toolResult = (result: {
  readonly id: string
  readonly name: string
  readonly content: string | ReadonlyArray<ResultBlock>
  readonly isError?: boolean
}): Message => ({
  role: "tool",
  content: [
    {
      type: "tool-result",
      id: result.id,
      name: result.name,
      content: blocks(result.content),
      ...(result.isError === true ? { isError: true } : {})
    }
  ]
})

/**
 * The text of a message, its text blocks joined; text inside tool results is not part of it.
 *
 * @since 0.1.0
 * @category getters
 */
export const text = (message: Message): string =>
  message.content.reduce((all, block) => (block.type === "text" ? all + block.text : all), "")

/**
 * @since 0.1.0
 * @category getters
 */
export const toolCalls = (message: Message): ReadonlyArray<ToolCallBlock> => {
  let calls: Array<ToolCallBlock> | undefined
  for (const block of message.content) {
    if (block.type !== "tool-call") continue
    // a literal has room for one, which is what most have; the first push makes room for seventeen
    if (calls === undefined) calls = [block]
    else calls.push(block)
  }
  return calls ?? none
}

/** most messages call nothing, and every appended message is asked */
const none: ReadonlyArray<never> = []

/**
 * @since 0.1.0
 * @category getters
 */
export const toolResults = (message: Message): ReadonlyArray<ToolResultBlock> =>
  message.content.filter((block): block is ToolResultBlock => block.type === "tool-result")

/**
 * A message that says nothing: no content, or only text blocks that are empty.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isEmpty = (message: Message): boolean =>
  message.content.every((block) => block.type === "text" && block.text === "")
