/**
 * What of a prompt message ours have no place for. It travels in the message's metadata under one key.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Schema from "effect/Schema"
import { exactOptional } from "../session/exactOptional.ts"
import type { Block, Message, Metadata } from "../session/Message.ts"

/** The key of a message's metadata under which it stands. */
const metadataKey = "effect-ai"

const KeptPart = Schema.Struct({
  /** of the block that it belongs to: another one that stands there now has nothing to do with it */
  type: Schema.String,
  options: exactOptional(Prompt.ProviderOptions),
  /** how the data of a file came, where that cannot be seen */
  data: exactOptional(Schema.Literal("bytes", "base64", "text")),
  /** what a result was: an object stays one when it is cut, and others are told where their text does not show it */
  result: exactOptional(Schema.Literal("object", "json", "text", "void"))
})

const ChatNote = Schema.Struct({
  /** said in a call that has no answer until one follows */
  asked: exactOptional(Schema.Boolean),
  /** a system message: it holds nothing else */
  system: exactOptional(Schema.Struct({ content: Schema.String, options: exactOptional(Prompt.ProviderOptions) })),
  /** an edit: of what was said before it, so many messages stay; it holds nothing else */
  keep: exactOptional(Schema.NonNegativeInt),
  /** of an edit: so many messages before it on the surface hold nothing and are gone */
  gone: exactOptional(Schema.NonNegativeInt)
})

/** What a chat notes with a message of its log. */
export type ChatNote = typeof ChatNote.Type

const Kept = Schema.Struct({
  options: exactOptional(Prompt.ProviderOptions),
  /** by place in the message */
  parts: exactOptional(Schema.Record({ key: Schema.String, value: KeptPart })),
  /** options of tool calls by call id: an answer's calls have no place before it is whole */
  calls: exactOptional(Schema.Record({ key: Schema.String, value: Prompt.ProviderOptions })),
  /** a result that stood in one tool message with the one before it */
  continues: exactOptional(Schema.Boolean),
  /** what a `CompactingChat` notes with it */
  chat: exactOptional(ChatNote)
})

/** What of one part ours has no place for. */
export type KeptPart = typeof KeptPart.Type

/** What of one message ours has no place for. */
export type Kept = typeof Kept.Type

const isKept = Schema.is(Kept)
const nothing: Kept = {}
const noNote: ChatNote = {}

/** What a message carries from its prompt. Metadata that anybody else wrote there is as if there were none. */
export const keptOf = (message: Message): Kept => {
  const kept = message.metadata?.[metadataKey]
  return kept !== undefined && isKept(kept) ? kept : nothing
}

const isEmpty = (fields: object): boolean => Object.values(fields).every((value) => value === undefined)

/** The options of a message or a part; undefined where there are none. */
export const optionsOf = (options: Prompt.ProviderOptions): { readonly options?: Prompt.ProviderOptions } =>
  isEmpty(options) ? {} : { options }

/** The message with what is to be kept of its prompt's. */
export const keeping = (message: Message, kept: Kept): Message =>
  isEmpty(kept) ? message : { ...message, metadata: { ...message.metadata, [metadataKey]: kept } }

/** What a chat noted with a message. */
export const chatNoteOf = (message: Message): ChatNote => keptOf(message).chat ?? noNote

/** The message with a chat's note. */
export const noting = (message: Message, chat: ChatNote): Message => keeping(message, { ...keptOf(message), chat })

/** One block, and what is to be kept of its part. */
export interface DecodedPart {
  readonly block: Block
  readonly kept: Omit<KeptPart, "type">
}

/** The blocks of a message and what is kept of them, by place. */
export const partsOf = (decoded: ReadonlyArray<DecodedPart>): { readonly parts?: Record<string, KeptPart> } => {
  const parts = Object.fromEntries(
    decoded.flatMap(({ block, kept }, i) => (isEmpty(kept) ? [] : [[String(i), { type: block.type, ...kept }]]))
  ) as Record<string, KeptPart>
  return Object.keys(parts).length === 0 ? {} : { parts }
}

/** The metadata of an answer whose calls have options; undefined where none has. */
export const callsMetadata = (calls: Readonly<Record<string, Prompt.ProviderOptions>>): Metadata | undefined => {
  const known = Object.entries(calls).filter(([, options]) => !isEmpty(options))
  return known.length === 0 ? undefined : { [metadataKey]: { calls: Object.fromEntries(known) } satisfies Kept }
}

/**
 * The object or list that a text is the JSON of, exactly: given as that, a provider package sends the same text, and not a
 * text within a text.
 */
export const compactJson = (text: string): object | undefined => {
  if (!/^[[{]/.test(text)) return undefined
  try {
    const value = JSON.parse(text) as object
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined
  }
}
