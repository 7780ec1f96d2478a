/**
 * A summary that is made from what was sent: no model, but every fact in it stood in the conversation, so that a test
 * can tell what a summariser was given.
 *
 * @since 0.1.0
 */
import { headings } from "../../compaction/SummaryInstruction.ts"
import { contentText, type ChatMessage } from "./chatRequest.ts"

const firstSentence = (text: string) => {
  const line = text.trim().split(/\n/, 1)[0] ?? ""
  const end = line.search(/[.!?](?:\s|$)/)
  return (end === -1 ? line : line.slice(0, end + 1)).slice(0, 200)
}

const unique = (lines: ReadonlyArray<string>) => [...new Set(lines.filter((line) => line !== ""))]

interface Facts {
  readonly requests: ReadonlyArray<string>
  readonly tools: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
  readonly errors: ReadonlyArray<string>
  readonly said: ReadonlyArray<string>
}

const path =
  /(?:\.{0,2}\/)?(?:[\w@.-]+\/)+[\w@.-]*\w|\b[\w-]+\.(?:tsx?|jsx?|py|rs|go|md|json|ya?ml|toml|c|h|cpp|java|sh)\b/g

const factsOf = (messages: ReadonlyArray<ChatMessage>): Facts => {
  const tools = new Map<string, number>()
  const files: Array<string> = []
  const errors: Array<string> = []
  for (const message of messages) {
    if (message.role === "system") continue
    const calls = message.tool_calls ?? []
    for (const call of calls) tools.set(call.function?.name ?? "", (tools.get(call.function?.name ?? "") ?? 0) + 1)
    const text = [contentText(message), ...calls.map((call) => call.function?.arguments ?? "")].join("\n")
    files.push(...(text.match(path) ?? []))
    for (const line of text.split("\n")) {
      if (/\b(?:error|failed|exception)\b/i.test(line)) errors.push(line.trim().slice(0, 200))
    }
  }
  const sentences = (role: string) =>
    unique(messages.filter((message) => message.role === role).map((message) => firstSentence(contentText(message))))
  return {
    requests: sentences("user"),
    tools: [...tools].map(([name, times]) => `${name} (${times} times)`),
    files: unique(files),
    errors: unique(errors).slice(-20),
    said: sentences("assistant")
  }
}

/** Which facts a heading asks for; one that asks for none of these gets what the assistant said. */
const factsFor = (heading: string, facts: Facts): ReadonlyArray<string> =>
  /files and commands/i.test(heading)
    ? [...facts.files, ...facts.tools]
    : /file|path|code/i.test(heading)
      ? facts.files
      : /tool|command|action|done|progress/i.test(heading)
        ? facts.tools
        : /error|problem|fail|fix/i.test(heading)
          ? facts.errors
          : /request|goal|intent|user|task|pending|next/i.test(heading)
            ? facts.requests
            : facts.said

/**
 * The newest facts are kept where `maxTokens` leaves no room for all. The summary has the headings that the instruction
 * lists (lines that begin with `## `), in their order, or those of our own instruction.
 *
 * @since 0.1.0
 * @category conversions
 */
export const summarise = (options: {
  readonly messages: ReadonlyArray<ChatMessage>
  readonly instruction: string
  readonly maxTokens: number
  readonly count: (text: string) => number
}): string => {
  const facts = factsOf(options.messages)
  const asked = options.instruction.split("\n").filter((line) => line.startsWith("## "))
  const sections = (asked.length > 0 ? asked : headings.map((heading) => `## ${heading}`)).map((heading) => ({
    heading,
    lines: factsFor(heading, facts)
  }))
  const render = (most: number) =>
    sections
      .map(({ heading, lines }) => {
        const kept = most === 0 ? [] : lines.slice(-most)
        return [heading, ...(kept.length === 0 ? ["- (none)"] : kept.map((line) => `- ${line}`))].join("\n")
      })
      .join("\n\n")
  let low = 0
  let high = Math.max(0, ...sections.map((section) => section.lines.length))
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (options.count(render(middle)) <= options.maxTokens) low = middle
    else high = middle - 1
  }
  return render(low)
}
