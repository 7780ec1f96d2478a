// A session file as coding agents write them, of any size: lines as pi's, a usage with each answer, and compactions where
// the window fills up.
import { closeSync, openSync, writeSync } from "node:fs"
import { runEstimator } from "../src/compaction/RunEstimator.ts"
import { tokens } from "../src/compaction/TokenEstimator.ts"
import * as Message from "../src/session/Message.ts"
import { messages } from "./workload.ts"

const route = { provider: "anthropic", model: "claude-sonnet-4-5" }
/** System prompt and tools, which such files leave out. */
const hidden = 18_000

const block = (part: Message.Block) =>
  part.type === "tool-call"
    ? { type: "toolCall", id: part.id, name: part.name, arguments: part.arguments }
    : { type: "text", text: part.type === "text" ? part.text : "" }

const recordOf = (message: Message.Message, counted: number, output: number) => {
  const [result] = Message.toolResults(message)
  if (result !== undefined) {
    return { role: "toolResult", toolCallId: result.id, toolName: result.name, content: result.content, isError: false }
  }
  return message.role === "assistant"
    ? {
        role: "assistant",
        content: message.content.map(block),
        ...route,
        usage: { input: 4, output, cacheRead: counted - 4, cacheWrite: 0 }
      }
    : { role: "user", content: message.content.map(block) }
}

/** Writes at least `bytes`; `compactAt` tokens of a request the file says that it was compacted, never where it is Infinity. */
export const write = (
  path: string,
  bytes: number,
  compactAt: number
): { readonly bytes: number; readonly messages: number } => {
  const weights = runEstimator.weights(route)
  const file = openSync(path, "w")
  let written = 0
  let count = 0
  let size = hidden
  let lines: Array<string> = []
  const flush = () => {
    written += writeSync(file, lines.join(""))
    lines = []
  }
  const line = (value: unknown) => {
    lines.push(`${JSON.stringify({ ...(value as object), timestamp: "2026-10-12T13:55:00.000Z" })}\n`)
    if (lines.length >= 256) flush()
  }
  line({ type: "session", id: "bench", cwd: "/home/user/project", ...route })
  for (const message of messages(1)) {
    if (written >= bytes && message.role !== "tool") break
    if (size > compactAt && message.role === "user") {
      line({ type: "compaction", summary: "What was done so far. ".repeat(200), tokensBefore: Math.round(size) })
      size = hidden + 1_000
    }
    const added = tokens(runEstimator.message(message), weights) * 1.04
    line({ type: "message", message: recordOf(message, Math.round(size), Math.round(added)) })
    size += added
    count++
  }
  flush()
  closeSync(file)
  return { bytes: written, messages: count }
}
