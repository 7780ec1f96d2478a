/**
 * OpenAI chat messages: a list of them, an object with `messages` and `tools`, or a list of runs.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { TranscriptInvalid } from "../errors/FormatError.ts"
import { exactOptional } from "../session/exactOptional.ts"
import type { Message } from "../session/Message.ts"
import { type Encoded, type DecodeOptions, type Format, type Input, isRecord, noMessages } from "./Format.ts"
import { record } from "./internal/chatDecode.ts"
import * as ChatEncode from "./internal/chatEncode.ts"
import { chatLosses } from "./internal/chatLosses.ts"
import * as Encoding from "./internal/encoding.ts"
import * as Recording from "./internal/Recording.ts"
import { type Session, type Transcript, uniqueIds } from "./Transcript.ts"

export type { ChatMessage, ChatTool, ChatToolCall, EncodeOptions } from "./internal/chatEncode.ts"
export type { ChatPart } from "./internal/chatParts.ts"
import { text } from "./internal/values.ts"

const name = "openai-chat"

const List = Schema.Array(Schema.Unknown)
const Conversation = Schema.Struct({ messages: List, tools: exactOptional(Schema.NullOr(List)) })
const Run = Schema.Struct({
  traj: List,
  tools: exactOptional(Schema.NullOr(List)),
  id: exactOptional(Schema.Unknown),
  task_id: exactOptional(Schema.Unknown),
  trial: exactOptional(Schema.Unknown)
})

const asList = Schema.decodeUnknownOption(List)
const asConversation = Schema.decodeUnknownOption(Conversation)
const asRuns = Schema.decodeUnknownOption(Schema.NonEmptyArray(Schema.Union(Run, Conversation)))

interface Part {
  readonly name: string
  readonly list: ReadonlyArray<unknown>
  readonly tools?: ReadonlyArray<unknown> | null
}

const word = (label: string, value: unknown): ReadonlyArray<string> =>
  typeof value === "string" || typeof value === "number" ? [`${label}-${value}`] : []

const runName = (run: typeof Run.Type, index: number): string => {
  if (typeof run.id === "string" && run.id !== "") return run.id
  const words = [...word("task", run.task_id), ...word("trial", run.trial)]
  return words.length === 0 ? `run-${index + 1}` : words.join("-")
}

const partsOf = (json: unknown): ReadonlyArray<Part> | undefined => {
  const conversation = asConversation(json)
  if (conversation._tag === "Some") {
    const { messages, tools } = conversation.value
    return [{ name: "session", list: messages, tools: tools ?? null }]
  }
  const runs = asRuns(json)
  if (runs._tag === "Some") {
    return runs.value.map((run, index) =>
      "traj" in run
        ? { name: runName(run, index), list: run.traj, tools: run.tools ?? null }
        : { name: `run-${index + 1}`, list: run.messages, tools: run.tools ?? null }
    )
  }
  const list = asList(json)
  return list._tag === "Some" ? [{ name: "session", list: list.value }] : undefined
}

// Parts by which other tools' messages give themselves away: they have roles and content too, but other pairs.
const foreignParts = new Set(["tool_use", "tool_result", "tool-call", "tool-result", "thinking"])

const isForeign = (value: unknown): boolean =>
  isRecord(value) &&
  Array.isArray(value["content"]) &&
  value["content"].some((part: unknown) => isRecord(part) && foreignParts.has(text(part["type"])))

const ownFields = ["content", "tool_calls", "function_call", "refusal"]

const isChatMessage = (value: unknown): boolean =>
  isRecord(value) && typeof value["role"] === "string" && ownFields.some((field) => field in value)

const isChat = ({ list }: Part): boolean => {
  const first = list.find(isRecord)
  return first === undefined ? list.length === 0 : isChatMessage(first) && !list.some(isForeign)
}

const recognises = (input: Input): boolean => {
  const parts = Either.map(input.json(), partsOf)
  return Either.isRight(parts) && parts.right !== undefined && parts.right.every(isChat)
}

const description =
  'a JSON list of chat messages [{"role": …, "content": …}], an object {"messages": […], "tools"?: […]}, ' +
  'or a list of runs [{"traj": […]}]'

const sessionsOf = (parts: ReadonlyArray<Part>, options: DecodeOptions | undefined): ReadonlyArray<Session> => {
  const ids = uniqueIds(parts.map((part) => part.name))
  return parts.map(({ list, name, tools }, index) => {
    const session = Recording.session(record(list, tools ?? [], options), ids[index] ?? name, "messages")
    return session.messages.length === 0 ? { ...session, notes: [...session.notes, "it holds no messages"] } : session
  })
}

const decodeInput: Format["decode"] = (input, options): Either.Either<Transcript, TranscriptInvalid> =>
  Either.flatMap(input.json(), (json) => {
    const parts = partsOf(json)
    if (parts === undefined) {
      const path = isRecord(json) && "messages" in json ? { path: ["messages"] } : {}
      return Either.left(new TranscriptInvalid({ reason: "unknown-shape", detail: `expected ${description}`, ...path }))
    }
    if (parts.every((part) => part.list.length === 0)) return Either.left(noMessages())
    const sessions = sessionsOf(parts, options)
    if (sessions.some((session) => session.messages.length > 0) && Arr.isNonEmptyReadonlyArray(sessions)) {
      return Either.right({ format: name, sessions })
    }
    // a list of anything else, when the format was forced, is not an empty conversation
    return Either.left(
      parts.some((part) => part.list.some(isChatMessage))
        ? noMessages("it holds no messages beside the system prompt and empty ones")
        : new TranscriptInvalid({ reason: "unknown-shape", detail: `expected ${description}` })
    )
  })

/**
 * One conversation out of chat messages in memory, pairs made whole.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decodeMessages = (
  list: ReadonlyArray<unknown>,
  options: { readonly id?: string; readonly tools?: ReadonlyArray<unknown> } = {}
): Session => Recording.session(record(list, options.tools ?? []), options.id ?? "session", "messages")

/**
 * The messages as chat messages, the inverse of `decodeMessages`: what it gives for them, decoded again, are the same
 * messages. Where the form has no place for something (a file by URL, an image in a blob store) it is named in text.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encode = (
  messages: ReadonlyArray<Message>,
  options: ChatEncode.EncodeOptions = {}
): ReadonlyArray<ChatEncode.ChatMessage> => ChatEncode.encode(messages, options)

/**
 * A whole session in the form `{ messages, tools }`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encodeSession = (
  session: Pick<Session, "system" | "tools" | "messages">
): {
  readonly messages: ReadonlyArray<ChatEncode.ChatMessage>
  readonly tools?: ReadonlyArray<ChatEncode.ChatTool>
} => ({
  messages: encode(session.messages, session.system === undefined ? {} : { system: session.system }),
  ...(session.tools === undefined ? {} : { tools: ChatEncode.encodeTools(session.tools) })
})

const write = (sessions: ReadonlyArray<Session>): Encoded => {
  const losses = Encoding.losses(name)
  for (const session of sessions) {
    Encoding.besideMessages(losses, session, { system: true, tools: true })
    chatLosses(losses, session.messages)
  }
  const [first] = sessions
  const json =
    first !== undefined && sessions.length === 1
      ? encodeSession(first)
      : sessions.map((session) => {
          const { messages, ...more } = encodeSession(session)
          return { id: session.id, ...more, traj: messages }
        })
  return { text: `${JSON.stringify(json, null, 1)}\n`, notes: losses.notes() }
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = {
  name,
  description,
  recognises,
  decode: decodeInput,
  encode: Encoding.guarded(write)
}
