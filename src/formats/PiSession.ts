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
import { transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import * as Tree from "./internal/tree.ts"
import { fields, type Fields, list, nonEmpty, text, usage } from "./internal/values.ts"

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

/** What an application or the tool itself tells the model. */
const context = (message: Message.Message): Message.Message => ({ ...message, metadata: { source: "context" } })

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
    case "custom":
      return context(Message.user(content(said["content"])))
    default:
      return undefined
  }
}

const summaryMessage = (summary: string): Message.Message =>
  Message.user(
    `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary}\n</summary>`
  )

const branchMessage = (summary: string): Message.Message =>
  Message.user(
    `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${summary}\n</summary>`
  )

const linked = (record: Fields, place: string) => ({ id: record["id"], parent: record["parentId"], place })

const takeMessage = (tree: Tree.Tree, record: Fields, place: string): void => {
  const { recording } = tree
  const said = fields(record["message"])
  const message = messageOf(said)
  // a command that the person kept from the model
  if (said["excludeFromContext"] === true) return Tree.pass(tree, record["id"], record["parentId"])
  if (message === undefined) {
    Tree.pass(tree, record["id"], record["parentId"])
    return Recording.count(recording, `messages of the unknown role ${JSON.stringify(said["role"])} were left out`)
  }
  const at = Tree.say(tree, { ...message, ...Encoding.ownMetadata(record) }, linked(record, place))
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

/** Records that are not part of a prompt. */
const bookkeeping = new Set(["model_change", "thinking_level_change", "custom", "label", "session_info"])

const reader = (options?: DecodeOptions): Reader => {
  const recording = Recording.make(options)
  // newer sessions are trees: each record names the one before it
  const tree = Tree.make(recording)
  /** for each record of the file, by its number and by its id, how many messages stood before it */
  const before: Array<number> = []
  const beforeId = new Map<unknown, number>()
  let id = "session"
  const keptFrom = (record: Fields): number | undefined => {
    const { firstKeptEntryId, firstKeptEntryIndex: index } = record
    if (firstKeptEntryId === undefined) return typeof index === "number" ? before[index] : undefined
    return beforeId.get(firstKeptEntryId)
  }
  const take = (record: Fields, place: string): void => {
    const type = record["type"]
    before.push(recording.messages.length)
    if (Tree.isKnown(tree, record["id"])) {
      return Recording.count(recording, "records stand there twice; the second ones were left out")
    }
    if (type !== "session" && record["id"] !== undefined) beforeId.set(record["id"], recording.messages.length)
    switch (type) {
      case "session":
        id = nonEmpty(record["id"]) ?? id
        return
      case "message":
        return takeMessage(tree, record, place)
      case "compaction": {
        const summary = summaryMessage(text(record["summary"]))
        return Tree.compacted(tree, [summary], { id: record["id"], keptFrom: keptFrom(record) })
      }
      case "branch_summary":
        Tree.say(tree, context(branchMessage(text(record["summary"]))), linked(record, place))
        return
      case "custom_message":
        Tree.say(tree, context(Message.user(content(record["content"]))), linked(record, place))
        return
      default:
        Tree.pass(tree, record["id"], record["parentId"])
        if (bookkeeping.has(text(type))) return
        Recording.count(recording, `records of the unknown type ${JSON.stringify(type)} were left out`)
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
