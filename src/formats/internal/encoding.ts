// What every encoder needs: the sentences about what its format has no place for, and a guard around JSON.
import * as Either from "effect/Either"
import { TranscriptUnwritable } from "../../errors/FormatError.ts"
import * as CanonicalJson from "../../session/CanonicalJson.ts"
import type * as Message from "../../session/Message.ts"
import { isRecord } from "../Format.ts"
import type { Encoded, EncodeOptions } from "../Format.ts"
import type { Session } from "../Transcript.ts"
import { type Fields, fields, json } from "./values.ts"

/** The field, and the provider option of the AI SDK, that holds what is ours beside what is the format's. */
export const ownField = "effect-compaction"

export interface Losses {
  /** goes on from "… has no place for" */
  readonly noPlace: (what: string) => void
  /** something else about the text as it is written */
  readonly remark: (sentence: string) => void
  readonly notes: () => ReadonlyArray<string>
}

export const losses = (format: string): Losses => {
  const counted = new Map<string, number>()
  const remarks: Array<string> = []
  return {
    remark: (sentence) => void remarks.push(sentence),
    noPlace: (what) => void counted.set(what, (counted.get(what) ?? 0) + 1),
    notes: () => [
      ...remarks,
      ...[...counted].map(
        ([what, times]) =>
          `${format} has no place for ${what}${times === 1 ? "" : ` (${times.toLocaleString("en-US")} times)`}`
      )
    ]
  }
}

/** What a format's file says beside messages. */
export interface Holds {
  readonly system: boolean
  readonly tools: boolean
}

/** What of a session is not in its messages, and so is written by no encoder or not by this one. */
export const besideMessages = ({ noPlace }: Losses, session: Session, holds: Holds): void => {
  if (session.system !== undefined && !holds.system) noPlace("the system prompt")
  if (session.tools !== undefined && !holds.tools) noPlace("the schemas of tools")
  if (session.requests.length > 0) noPlace("what the provider counted")
  if (session.compactions.length > 0) noPlace("where the session was compacted: its messages stand in a row")
}

/** A result is found by its call's id, and its name is that of the call. */
export const renamedResults = ({ noPlace }: Losses, messages: ReadonlyArray<Message.Message>): void => {
  const names = new Map<string, string>()
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type === "tool-call") names.set(block.id, block.name)
      if (block.type === "tool-result" && block.name !== "" && block.name !== names.get(block.id)) {
        noPlace("a result under another name than its call's")
      }
    }
  }
}

const kinds = { image: "an image", file: "a file", unknown: "a block of this kind" } as const

/** Tells of a block whose written form does not read back as it was. */
export const compare = (
  { noPlace }: Losses,
  block: Extract<Message.Block, { readonly type: keyof typeof kinds }>,
  back: Message.Block | undefined
): void => {
  if (back === undefined || CanonicalJson.encode(back) !== CanonicalJson.encode(block)) {
    noPlace(`all that there is of ${kinds[block.type]}`)
  }
}

/** As it came, or as text where the format reads it as something that it knows. */
export const unknownPart = (
  losses: Losses,
  block: Message.UnknownBlock,
  read: (part: unknown) => Message.Block
): Fields => {
  const { provider, value } = block
  if (isRecord(value) && read(value).type === "unknown") {
    if (provider !== undefined) losses.noPlace("which provider a block came from")
    return value
  }
  losses.noPlace("a block of this kind: it is written as text")
  return { type: "text", text: json(value) }
}

/** What chat messages and the AI SDK have a role for: a system message in the middle. */
export const isSystem = ({ metadata, role }: Message.Message): boolean =>
  role === "user" &&
  metadata?.["source"] === "context" &&
  metadata["role"] === "system" &&
  Object.keys(metadata).length === 2

/** Names what the format has no place for in text, so that the model knows of it. */
export const named = (block: Message.ImageBlock | Message.FileBlock): Message.TextBlock => {
  const { source } = block
  const where = source.type === "url" ? source.url : source.type === "blob" ? source.blob : "inline"
  const name = block.type === "file" && block.name !== undefined ? ` ${block.name}` : ""
  return { type: "text", text: `[${block.type}${name}: ${where}]` }
}

/** What the application keeps with a message, as fields of a record or an option. */
export const ownFields = ({
  metadata
}: Message.Message): { readonly [ownField]?: { readonly metadata: Message.Metadata } } =>
  metadata === undefined ? {} : { [ownField]: { metadata } }

/** The same, read again. */
export const ownMetadata = (value: Fields): { readonly metadata?: Message.Metadata } => {
  const { metadata } = fields(value[ownField])
  return isRecord(metadata) ? { metadata } : {}
}

/** Arguments where the form takes an object, and nothing stands for one without fields. */
export const argumentsOf = ({ noPlace }: Losses, { arguments: given }: Message.ToolCallBlock): unknown => {
  if (given !== null && given !== undefined) return given
  noPlace("arguments that are null: they are an empty object")
  return {}
}

/** An encoder that cannot be broken by arguments which are no JSON: a cycle, a BigInt. */
export const guarded =
  (write: (sessions: ReadonlyArray<Session>, options: EncodeOptions) => Encoded) =>
  (sessions: ReadonlyArray<Session>, options: EncodeOptions = {}): Either.Either<Encoded, TranscriptUnwritable> =>
    Either.try({
      try: () => write(sessions, options),
      catch: (error) =>
        new TranscriptUnwritable({
          reason: "no-json",
          // engines draw the way of a cycle on further lines
          detail: `a message is no JSON (${(error instanceof Error ? error.message : String(error)).split("\n", 1)[0]})`
        })
    })

/** An encoder of a format whose files hold one session. */
export const ofOne =
  (format: string, write: (session: Session, options: EncodeOptions) => Encoded) =>
  (sessions: ReadonlyArray<Session>, options: EncodeOptions = {}): Either.Either<Encoded, TranscriptUnwritable> => {
    const [session] = sessions
    return session === undefined || sessions.length > 1
      ? Either.left(
          new TranscriptUnwritable({
            reason: "several-sessions",
            detail: `a file of ${format} holds one session, and these are ${sessions.length}`
          })
        )
      : guarded(() => write(session, options))(sessions, options)
  }
