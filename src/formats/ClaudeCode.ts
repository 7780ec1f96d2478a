/**
 * Session logs of Claude Code: one JSON record a line. One answer is spread over several lines, and those of a
 * sub-agent stand in `progress` records of its caller.
 *
 * @since 0.1.0
 */
import * as Message from "../session/Message.ts"
import type { Usage } from "../session/Usage.ts"
import { type DecodeOptions, type Format, isRecord, type Reader } from "./Format.ts"
import { content } from "./internal/anthropicContent.ts"
import * as ClaudeCodeEncode from "./internal/claudeCodeEncode.ts"
import * as Encoding from "./internal/encoding.ts"
import { recordReader } from "./internal/jsonLines.ts"
import { lineFormat } from "./internal/lineFormat.ts"
import { transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import * as Tree from "./internal/tree.ts"
import { fields, type Fields, nonEmpty, text, usage } from "./internal/values.ts"

interface Talk {
  readonly recording: Recording.Recording
  /** records name the one before them: a prompt that was edited goes on from an earlier place */
  readonly tree: Tree.Tree
  /** where the answer with this id stands */
  readonly answers: Map<string, number>
}

const talk = (options: DecodeOptions | undefined): Talk => {
  const recording = Recording.make(options)
  return { recording, tree: Tree.make(recording), answers: new Map() }
}

const linked = (record: Fields, place: string) => ({ id: record["uuid"], parent: record["parentUuid"], place })

const synthetic = "<synthetic>"

const usageOf = (said: Fields): Usage | undefined => {
  const counted = fields(said["usage"])
  return usage({
    uncached: counted["input_tokens"],
    output: counted["output_tokens"],
    cached: counted["cache_read_input_tokens"],
    cacheWrite: counted["cache_creation_input_tokens"]
  })
}

/** Every line of an answer repeats its usage, as it was when that line came: the output count only grows. */
const moreOutput = ({ requests }: Recording.Recording, at: number, said: Fields): void => {
  const index = requests.findLastIndex((request) => request.at === at)
  const request = requests[index]
  const outputTokens = usageOf(said)?.outputTokens ?? 0
  if (request === undefined || request.usage.outputTokens >= outputTokens) return
  requests[index] = { ...request, usage: { ...request.usage, outputTokens } }
}

const takeAnswer = ({ answers, recording, tree }: Talk, record: Fields, place: string): void => {
  const said = fields(record["message"])
  const id = text(said["id"])
  const known = answers.get(id)
  const blocks = content(said["content"])
  if (id !== "" && known !== undefined) {
    Recording.grow(recording, known, blocks)
    Tree.pass(tree, record["uuid"], record["parentUuid"])
    return moreOutput(recording, known, said)
  }
  const message = { ...Message.assistant(blocks), ...Encoding.ownMetadata(record) }
  const at = Tree.say(tree, message, linked(record, place))
  answers.set(id, at)
  if (said["model"] === synthetic)
    Recording.remark(recording, place, "the tool itself wrote this answer, not the model")
  Recording.request(recording, usageOf(said), { at, place, provider: "anthropic", model: nonEmpty(said["model"]) })
}

const takeRecord = (to: Talk, record: Fields, place: string): void => {
  if (Tree.isKnown(to.tree, record["uuid"])) {
    return Recording.count(to.recording, "records stand there twice; the second ones were left out")
  }
  if (record["type"] === "assistant") return takeAnswer(to, record, place)
  const said = fields(record["message"])
  const message = { ...Message.user(content(said["content"])), ...Encoding.ownMetadata(record) }
  if (record["isCompactSummary"] === true) Tree.compacted(to.tree, [message], { id: record["uuid"] })
  else Tree.say(to.tree, message, linked(record, place))
}

/** Records that are not part of a prompt. */
const bookkeeping = new Set(["system", "file-history-snapshot", "queue-operation", "summary", "pr-link"])

const reader = (options?: DecodeOptions): Reader => {
  const main = talk(options)
  const agents = new Map<string, Talk>()
  let id = "session"
  const agent = (name: string): Talk => {
    const known = agents.get(name) ?? talk(options)
    agents.set(name, known)
    return known
  }
  const take = (record: Fields, place: string): void => {
    const type = record["type"]
    id = nonEmpty(record["sessionId"]) ?? id
    const data = fields(record["data"])
    if (type === "user" || type === "assistant") {
      return takeRecord(record["isSidechain"] === true ? agent(text(record["agentId"])) : main, record, place)
    }
    // what stands in between may be the one that a message names
    Tree.pass(main.tree, record["uuid"], record["parentUuid"] ?? record["logicalParentUuid"])
    if (type === "progress") {
      if (data["type"] === "agent_progress") takeRecord(agent(text(data["agentId"])), fields(data["message"]), place)
      return
    }
    if (!bookkeeping.has(text(type))) {
      Recording.count(main.recording, `records of the unknown type ${JSON.stringify(type)} were left out`)
    }
  }
  const end = () =>
    transcript(
      format.name,
      [
        { recording: main.recording, id, visible: "messages" },
        ...[...agents].map(([name, { recording }]) => ({
          recording,
          id: `agent-${name}`,
          visible: "messages" as const
        }))
      ],
      options
    )
  return recordReader({ take, odd: (place, sentence) => Recording.remark(main.recording, place, sentence), end })
}

/** A log may begin with any number of titles of other sessions, or of snapshots. */
const opensLog = ({ leafUuid, snapshot, type }: Fields): boolean =>
  (type === "summary" && typeof leafUuid === "string") || (type === "file-history-snapshot" && isRecord(snapshot))

const isOwn = (value: unknown): boolean =>
  isRecord(value) &&
  (opensLog(value) ||
    (typeof value["sessionId"] === "string" &&
      typeof value["uuid"] === "string" &&
      "parentUuid" in value &&
      typeof value["type"] === "string"))

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = lineFormat({
  name: "claude-code",
  description: 'a session log of Claude Code, lines {"type": "user", "uuid": …, "parentUuid": …, "sessionId": …}',
  recognises: (input) => input.firstLines().some(isOwn),
  reader,
  encode: Encoding.guarded(ClaudeCodeEncode.encode)
})
