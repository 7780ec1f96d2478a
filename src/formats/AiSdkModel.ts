/**
 * Model messages of the AI SDK (`ModelMessage[]`), as `generateText` takes them and answers them.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { TranscriptInvalid } from "../errors/FormatError.ts"
import * as Message from "../session/Message.ts"
import { type Encoded, type Format, type Input, isRecord, noMessages } from "./Format.ts"
import * as Decode from "./internal/aiSdkContent.ts"
import * as Encode from "./internal/aiSdkEncode.ts"
import * as Encoding from "./internal/encoding.ts"
import { transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import { fields, list, messageList, text } from "./internal/values.ts"
import type { Session } from "./Transcript.ts"

const name = "ai-sdk-model"

const description = 'model messages of the AI SDK, a JSON list [{"role": …, "content": [{"type": "tool-call" …}]}]'

const ownParts = new Set(["tool-call", "tool-result", "reasoning", "tool-approval-request", "tool-approval-response"])

const isOwnPart = (part: unknown): boolean =>
  isRecord(part) &&
  (ownParts.has(text(part["type"])) ||
    "providerOptions" in part ||
    (part["type"] === "image" && "image" in part) ||
    (part["type"] === "file" && "data" in part && "mediaType" in part))

const recognises = (input: Input): boolean => {
  const messages = messageList(Either.getOrUndefined(input.json()))
  return (
    messages !== undefined &&
    messages.every((each) => isRecord(each) && "role" in each && "content" in each) &&
    messages.some((each) => "providerOptions" in fields(each) || list(fields(each)["content"]).some(isOwnPart))
  )
}

/** As with chat messages: at the start it is the system prompt, later it is context in the user's role. */
const takeSystem = (recording: Recording.Recording, content: ReadonlyArray<Message.Block>, place: string): void => {
  if (recording.messages.length === 0) {
    const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")
    if (text !== "") recording.system = recording.system === undefined ? text : `${recording.system}\n\n${text}`
    return
  }
  Recording.remark(recording, place, "a system message in the middle was read as context in the user's role")
  Recording.say(recording, { role: "user", content, metadata: { source: "context", role: "system" } }, place)
}

const takeMessage = (recording: Recording.Recording, value: unknown, index: number): void => {
  const place = `message ${index + 1}`
  if (!isRecord(value)) return void Recording.remark(recording, place, "it is no message and was left out")
  const { role } = value
  const content = Decode.content(value["content"])
  const metadata = Decode.metadata(value)
  switch (role) {
    case "system":
      return takeSystem(recording, content, place)
    case "assistant":
    case "user":
      return void Recording.say(recording, { role, content, ...metadata }, place)
    case "tool":
      // each result has an option of its own for what is kept with it
      for (const [part, block] of content.entries()) {
        const own = Decode.metadata(list(value["content"])[part])
        Recording.say(recording, { role: "user", content: [block], ...own }, place)
      }
      return
    default:
      Recording.remark(
        recording,
        place,
        `the role ${JSON.stringify(role) ?? "is missing"} is unknown; it was read as the user's`
      )
      Recording.say(recording, Message.user(content), place)
  }
}

const decode: Format["decode"] = (input, options) =>
  Either.flatMap(input.json(), (json) => {
    const messages = messageList(json)
    if (messages === undefined) {
      return Either.left(new TranscriptInvalid({ reason: "unknown-shape", detail: `expected ${description}` }))
    }
    if (messages.length === 0) return Either.left(noMessages())
    const recording = Recording.make(options)
    const { system } = fields(json)
    if (typeof system === "string" && system !== "") recording.system = system
    for (const [index, value] of messages.entries()) takeMessage(recording, value, index)
    return transcript(name, [{ recording, id: "session", visible: "no-tool-schemas" }], options)
  })

/** Results of one answer share a message. */
const said = (messages: ReadonlyArray<Message.Message>, losses: Encoding.Losses): ReadonlyArray<unknown> => {
  const written: Array<unknown> = []
  let results: Array<unknown> | undefined
  for (const [index, message] of messages.entries()) {
    if (message.role !== "tool") {
      results = undefined
      written.push(Encode.message(message, index === 0, losses))
      continue
    }
    const parts = Message.toolResults(message).map((block) => Encode.result(block, message, losses))
    if (results === undefined) {
      results = parts
      written.push({ role: "tool", content: results })
    } else results.push(...parts)
  }
  return written
}

const encodeSession = (session: Session): Encoded => {
  const losses = Encoding.losses(name)
  Encoding.besideMessages(losses, session, { system: true, tools: false })
  const { messages, system } = session
  const list = [...(system === undefined ? [] : [{ role: "system", content: system }]), ...said(messages, losses)]
  return { text: `${JSON.stringify(list, null, 1)}\n`, notes: losses.notes() }
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = {
  name,
  description,
  recognises,
  decode,
  encode: Encoding.ofOne(name, encodeSession)
}
