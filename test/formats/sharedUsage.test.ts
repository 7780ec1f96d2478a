import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { Formats } from "../../src/formats/index.ts"
import type { File } from "../../src/formats/Format.ts"
import type { Transcript } from "../../src/formats/Transcript.ts"
import type * as Message from "../../src/session/Message.ts"
import { filesOf, listShared, missing, readShared, transcripts } from "../shared.ts"
import { broken } from "./wholePairs.ts"

/** A row of what others read off the same files. */
interface Counted {
  readonly file: string
  readonly model: string | null
  readonly prompt_tokens: number
  readonly completion_tokens: number | null
  readonly cached_tokens?: number
  readonly reasoning_tokens?: number
  readonly at: string
  readonly count_source?: string
}

const textFormats = [
  "pi-session",
  "claude-code",
  "mini-swe-agent",
  "codex-rollout",
  "dsh-session",
  "swe-agent-llm-log",
  "gemini-cli-chat",
  "langgraph-stream",
  "opencode-rows",
  "aider-md"
] as const

/** Rows of aider in which the number sent is without what was read from a cache; those read off the file say only it. */
const wholePrompt = ({ cached_tokens: cached = 0, file, prompt_tokens: prompt }: Counted): number =>
  file.startsWith("aider-md") && cached > prompt ? prompt + cached : prompt

/** aider's older word for what was read from a cache, of which there are no rows. */
const withoutRow = (path: string, at: string, text: string) =>
  path.startsWith("aider-md") && (text.split("\n")[Number(at.slice("line ".length)) - 1] ?? "").includes(" cached, ")

const sources = (
  root: URL
): ReadonlyArray<readonly [path: string, format: string, source: string | ReadonlyArray<File>]> => [
  ...textFormats.flatMap((format) =>
    listShared(root, format).map((path) => [path, format, readShared(root, path)] as const)
  ),
  ...listShared(root, "openhands-llm-log").map((path) => [path, "openhands-llm-log", filesOf(root, path)] as const),
  ["roo-task/roo-02.ui_messages.json", "roo-task", filesOf(root, "roo-task")]
]

/** A sub-agent's requests have no rows. */
const requestsOf = ({ sessions }: Transcript, path: string) =>
  path.startsWith("aider-md") ? sessions.flatMap((session) => session.requests) : sessions[0].requests

const read = (root: URL) =>
  sources(root).map(([path, format, source]) => ({
    path,
    format,
    source,
    transcript: Either.getOrThrow(Formats.decode(source))
  }))

/** Each object of a JSON text, or of JSON lines, wherever it stands; found without the decoders. */
function* objects(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof value !== "object" || value === null) return
  if (!Array.isArray(value)) yield value as Readonly<Record<string, unknown>>
  for (const inner of Object.values(value)) yield* objects(inner)
}

/** `npm run formats` counts in all of them. */
const searched = new Set<string>(["pi-session", "claude-code", "mini-swe-agent", "codex-rollout", "dsh-session"])

const countLines = (text: string, pattern: RegExp) => text.split("\n").filter((line) => pattern.test(line)).length

const blocksOf = (messages: ReadonlyArray<Message.Message>, type: Message.Block["type"]) =>
  messages.flatMap((message) => message.content.filter((block) => block.type === type))

const recorded = (messages: ReadonlyArray<Message.Message>) =>
  blocksOf(messages, "tool-result").filter((block) => !JSON.stringify(block).includes("no result was recorded"))

describe("real session files", () => {
  it("are each found to be of their format, with whole pairs in all that a model saw", ({ skip }) => {
    if (transcripts === undefined) return skip(missing)
    for (const { format, path, source, transcript } of read(transcripts)) {
      assert.strictEqual(transcript.format, format, path)
      const seen = Either.getOrThrow(Formats.decode(source, { history: "last-seen" }))
      for (const session of [...transcript.sessions, ...seen.sessions]) {
        assert.deepStrictEqual(broken(session.messages), [], path)
      }
    }
  })

  it("give every row of usage that others read off them: place, model and all counts", ({ skip }) => {
    if (transcripts === undefined) return skip(missing)
    const rows = readShared(transcripts, "usage.jsonl")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Counted)
    let checked = 0
    for (const { path, source, transcript } of read(transcripts)) {
      // a scripted model's usage is invented and not in the rows
      if (path.includes("dsh-10")) continue
      const wanted = rows.filter(({ file }) => file === path || file.startsWith(`${path}/`))
      assert.deepStrictEqual(
        requestsOf(transcript, path)
          .filter(({ place }) => typeof source !== "string" || !withoutRow(path, place, source))
          .map(({ counted, model, place, usage }) => ({
            at: place,
            model: model ?? null,
            prompt: usage.inputTokens,
            output: usage.outputTokens,
            cached: usage.cachedTokens ?? 0,
            reasoning: usage.reasoningTokens ?? 0,
            relay: counted === "relay"
          })),
        wanted.map((row) => ({
          at: row.at,
          model: row.model,
          prompt: wholePrompt(row),
          output: row.completion_tokens ?? 0,
          cached: row.cached_tokens ?? 0,
          reasoning: row.reasoning_tokens ?? 0,
          relay: row.count_source === "relay"
        })),
        path
      )
      checked += wanted.length
    }
    const present = new Set(read(transcripts).map(({ path }) => path))
    const ours = rows.filter(({ file }) => present.has(file) || present.has(file.replace(/\/[^/]*$/u, "")))
    assert.strictEqual(checked, ours.length)
    assert.isAbove(checked, 1_000)
  })

  it("hold as many calls and results as a search of the text finds", ({ skip }) => {
    if (transcripts === undefined) return skip(missing)
    for (const { format, path, source, transcript } of read(transcripts)) {
      if (typeof source !== "string" || !searched.has(format)) continue
      const { messages } = transcript.sessions[0]
      const main = source
        .split("\n")
        .filter((line) => format !== "claude-code" || !/^\{[^{]*"type":"progress"/u.test(line))
        .join("\n")
      const counts = {
        "pi-session": () => [main.match(/"type":"toolCall","id":/gu)?.length, countLines(main, /"role":"toolResult"/u)],
        "claude-code": () => {
          const parsed = main
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as { readonly type: string; readonly message?: unknown })
            .filter(({ type }) => type === "user" || type === "assistant")
          const all = parsed.flatMap(({ message }) => [...objects(message)])
          const orphans = path.endsWith("cc-06.jsonl") || path.endsWith("cc-08.jsonl") ? 1 : 0
          return [
            all.filter((value) => value["type"] === "tool_use" && "input" in value).length,
            all.filter((value) => value["type"] === "tool_result" && "tool_use_id" in value).length - orphans
          ]
        },
        "mini-swe-agent": () => {
          const said = (
            JSON.parse(main) as {
              readonly messages: ReadonlyArray<{
                readonly role: string
                readonly tool_calls?: ReadonlyArray<unknown> | null
              }>
            }
          ).messages
          return [
            said.flatMap((message) => message.tool_calls ?? []).length,
            said.filter((message) => message.role === "tool").length
          ]
        },
        "codex-rollout": () => [
          countLines(main, /"type":"(function_call|custom_tool_call)"/u),
          countLines(main, /"type":"(function_call|custom_tool_call)_output"/u)
        ],
        "dsh-session": () => [
          countLines(main, /^\{"type":"tool\/call"/u),
          countLines(main, /^\{"type":"tool\/result"/u)
        ]
      }[format as "pi-session"]()
      assert.deepStrictEqual([blocksOf(messages, "tool-call").length, recorded(messages).length], counts, path)
    }
  })
})
