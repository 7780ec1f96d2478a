/**
 * Sessions of the pi coding agent: one JSON record a line, in the order of the talk.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Message from "../session/Message.ts"
import { type DecodeOptions, type Format, isRecord, noMessages, type Reader } from "./Format.ts"
import * as Encoding from "./internal/encoding.ts"
import { recordReader } from "./internal/jsonLines.ts"
import { lineFormat } from "./internal/lineFormat.ts"
import { content, resultBlock } from "./internal/piContent.ts"
import * as PiSessionEncode from "./internal/piSessionEncode.ts"
import * as Recording from "./internal/Recording.ts"
import { fields, type Fields, list, nonEmpty, text, usage } from "./internal/values.ts"
import { transcript } from "./internal/outcome.ts"

/** A command that the person ran, in the words in which the tool tells the model of it. */
const bashExecution = (said: Fields): Message.Message => {
  const output = text(said["output"])
  const exitCode = said["exitCode"]
  const end =
    said["cancelled"] === true
      ? "\n\n(command cancelled)"
      : typeof exitCode === "number" && exitCode !== 0
        ? `\n\nCommand exited with code ${exitCode}`
        : ""
  const shown = output === "" ? "(no output)" : `\`\`\`\n${output}\n\`\`\``
  return Message.user(`Ran \`${text(said["command"])}\`\n${shown}${end}`)
}

const messageOf = (said: Fields): Message.Message | undefined => {
  switch (said["role"]) {
    case "user":
      return Message.user(content(said["content"]))
    case "assistant":
      return Message.assistant(content(said["content"]))
    case "toolResult":
      return Message.toolResult({
        id: text(said["toolCallId"]),
        name: text(said["toolName"]),
        content: list(said["content"]).map(resultBlock),
        isError: said["isError"] === true
      })
    case "bashExecution":
      return bashExecution(said)
    default:
      return undefined
  }
}

const summaryMessage = (summary: string): Message.Message =>
  Message.user(
    `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary}\n</summary>`
  )

const takeMessage = (recording: Recording.Recording, record: Fields, place: string): void => {
  const said = fields(record["message"])
  const message = messageOf(said)
  if (message === undefined) {
    return Recording.count(recording, `messages of the unknown role ${JSON.stringify(said["role"])} were left out`)
  }
  const at = Recording.say(recording, { ...message, ...Encoding.ownMetadata(record) }, place)
  const counted = fields(said["usage"])
  Recording.request(
    recording,
    usage({
      uncached: counted["input"],
      output: counted["output"],
      cached: counted["cacheRead"],
      cacheWrite: counted["cacheWrite"]
    }),
    { at, place, provider: nonEmpty(said["provider"]), model: nonEmpty(said["model"]) }
  )
}

const reader = (options?: DecodeOptions): Reader => {
  const recording = Recording.make(options)
  /** for each record of the file, how many messages stood before it */
  const before: Array<number> = []
  let id = "session"
  const take = (record: Fields, place: string): void => {
    before.push(recording.messages.length)
    switch (record["type"]) {
      case "session":
        id = nonEmpty(record["id"]) ?? id
        return
      case "message":
        return takeMessage(recording, record, place)
      case "compaction": {
        const kept = record["firstKeptEntryIndex"]
        const keptFrom = typeof kept === "number" ? before[kept] : undefined
        return Recording.compacted(recording, [summaryMessage(text(record["summary"]))], keptFrom)
      }
      case "model_change":
      case "thinking_level_change":
        return
      default:
        Recording.count(recording, `records of the unknown type ${JSON.stringify(record["type"])} were left out`)
    }
  }
  return recordReader({
    take,
    odd: (place, sentence) => Recording.remark(recording, place, sentence),
    end: () =>
      recording.messages.length === 0
        ? Either.left(noMessages())
        : transcript(format.name, [{ recording, id, visible: "messages" }], options)
  })
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = lineFormat({
  name: "pi-session",
  description: 'a session of the pi coding agent, first line {"type": "session", "cwd": …}',
  recognises: (input) => {
    const first = input.firstLine()
    return isRecord(first) && first["type"] === "session" && "cwd" in first && "timestamp" in first
  },
  reader,
  encode: Encoding.ofOne("pi-session", PiSessionEncode.encode)
})
