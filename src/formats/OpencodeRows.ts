/**
 * Rows of opencode's database, one a line. A call and its result are one block.
 *
 * @since 0.1.0
 */
import * as Message from "../session/Message.ts"
import { type DecodeOptions, type Format, isRecord, type Reader } from "./Format.ts"
import { decodeContent } from "./internal/chatParts.ts"
import { recordReader } from "./internal/jsonLines.ts"
import { lineFormat } from "./internal/lineFormat.ts"
import { transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import { fields, type Fields, json, list, nonEmpty, reasoning, text, textBlocks, usage } from "./internal/values.ts"

const file = (value: unknown): Message.Block => {
  const given = fields(value)
  const mediaType = text(given["mime"])
  const shown = { type: "file", file: { file_data: given["url"], filename: given["filename"] } }
  const [block] = decodeContent([
    mediaType.startsWith("image/") ? { type: "image_url", image_url: { url: given["url"] } } : shown
  ])
  return block ?? { type: "unknown", value }
}

const answerBlock = (value: unknown): Message.Block => {
  const part = fields(value)
  switch (part["type"]) {
    case "text":
      return Message.textBlock(text(part["text"]))
    case "reasoning":
      return reasoning(text(part["text"]))
    case "tool":
      return Message.toolCall(text(part["id"]), text(part["name"]), fields(part["state"])["input"] ?? {})
    default:
      return { type: "unknown", value }
  }
}

/** A call that still runs has none. */
const resultOf = (value: unknown): ReadonlyArray<Message.Message> => {
  const part = fields(value)
  const { content, error, status } = fields(part["state"])
  if (part["type"] !== "tool" || (status !== "completed" && status !== "error")) return []
  const said = decodeContent(content)
  const words = nonEmpty(error) ?? nonEmpty(fields(error)["message"])
  const named = { id: text(part["id"]), name: text(part["name"]), isError: status === "error" }
  return [Message.toolResult({ ...named, content: said.length > 0 ? said : textBlocks(words ?? json(error ?? "")) })]
}

/** What a row says: its messages, and for an answer what was counted. */
interface Row {
  readonly seq: number
  readonly place: string
  readonly messages: ReadonlyArray<Message.Message>
  readonly answer: Fields | undefined
}

interface Conversation {
  readonly rows: Array<Row>
  readonly recording: Recording.Recording
}

const messagesOf = (type: unknown, data: Fields): ReadonlyArray<Message.Message> | undefined => {
  switch (type) {
    case "user":
      return [Message.user([...textBlocks(data["text"]), ...list(data["files"]).map(file)])]
    case "synthetic":
      return [{ ...Message.user(textBlocks(data["text"])), metadata: { source: "context" } }]
    case "assistant": {
      const content = list(data["content"])
      return [Message.assistant(content.map(answerBlock)), ...content.flatMap(resultOf)]
    }
    // a command of the person's is told to the model by the synthetic row behind it
    case "shell":
    case "idle":
      return []
    default:
      return undefined
  }
}

const play = ({ recording, rows }: Conversation): void => {
  for (const { answer, messages, place } of rows.toSorted((a, b) => a.seq - b.seq)) {
    const at = recording.messages.length
    for (const message of messages) Recording.say(recording, message, place)
    if (answer === undefined) continue
    const { model, tokens } = answer
    const { cache, input, output, reasoning: thoughts } = fields(tokens)
    const counts = { cached: fields(cache)["read"], cacheWrite: fields(cache)["write"], reasoning: thoughts }
    Recording.request(recording, usage({ uncached: input, output, ...counts }), {
      at,
      place,
      provider: nonEmpty(fields(model)["providerID"]),
      model: nonEmpty(fields(model)["id"])
    })
  }
}

const reader = (options?: DecodeOptions): Reader => {
  const conversations = new Map<string, Conversation>()
  const odd: Array<readonly [place: string, sentence: string]> = []
  const conversation = (id: string): Conversation => {
    const known = conversations.get(id) ?? { rows: [], recording: Recording.make() }
    conversations.set(id, known)
    return known
  }
  const takeMessage = (row: Fields, place: string): void => {
    const { recording, rows } = conversation(text(row["session_id"]))
    const data = fields(row["data"])
    const type = row["type"]
    const messages = messagesOf(type, data)
    if (messages === undefined) {
      return Recording.count(recording, `rows of the unknown type ${JSON.stringify(type)} were left out`)
    }
    const seq = typeof row["seq"] === "number" ? row["seq"] : (rows.at(-1)?.seq ?? 0)
    const kept = messages.map((message) => Recording.kept({ keep: options?.keep }, message))
    rows.push({
      seq,
      place,
      messages: kept,
      answer: type === "assistant" ? { model: data["model"], tokens: data["tokens"] } : undefined
    })
  }
  const take = (record: Fields, place: string): void => {
    const row = fields(record["row"])
    if (record["table"] === "session_message") return takeMessage(row, place)
    if (record["table"] === "session_v2") {
      const { recording } = conversation(text(row["id"]))
      const parent = nonEmpty(row["parent_id"])
      if (parent !== undefined) recording.notes.push(`it is a session of an agent that "${parent}" started`)
      return
    }
    odd.push([place, `the table ${JSON.stringify(record["table"])} is unknown, and its row was left out`])
  }
  return recordReader({
    take,
    odd: (place, sentence) => void odd.push([place, sentence]),
    end: () => {
      const recorded = [...conversations].map(([id, each]) => {
        play(each)
        return { recording: each.recording, id, visible: "messages" as const }
      })
      const first = recorded[0]?.recording
      if (first !== undefined) for (const each of odd) Recording.remark(first, ...each)
      return transcript(format.name, recorded, options)
    }
  })
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = lineFormat({
  name: "opencode-rows",
  description: 'rows of opencode\'s database, lines {"table": "session_message", "row": {"session_id": …, "data": …}}',
  recognises: (input) =>
    input
      .firstLines()
      .some((line) => isRecord(line) && text(line["table"]).startsWith("session_") && isRecord(line["row"])),
  reader
})
