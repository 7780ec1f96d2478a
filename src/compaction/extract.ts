/**
 * What a span says without a model reading it: the files and commands of its tool calls, the last errors, the last answer.
 * Under the headings of a summary, so that the next one merges it like any other.
 *
 * @since 0.1.0
 */
import * as Message from "../session/Message.ts"
import { contentOf, type Sourced } from "./Checkpoint.ts"
import * as CodePoints from "./CodePoints.ts"
import { headings } from "./SummaryInstruction.ts"

type Heading = (typeof headings)[number]

/** Lines under each heading, each once, oldest first. */
type Sections = ReadonlyMap<Heading, Set<string>>

/** In code points; a longer line says no more to somebody who only wants to know what was touched. */
const longestLine = 200

/** A model's own lines say more each. */
const longestSummaryLine = 600

/** Arguments of tool calls that say what a call was about. */
const telling = ["path", "file_path", "filePath", "filename", "file", "command", "cmd", "query", "pattern", "url"]

const clipped = (line: string, points: number): string =>
  CodePoints.exceeds(line, points) ? `${CodePoints.clip(line, points)}…` : line

const firstLine = (text: string): string => clipped(text.trim().split("\n", 1)[0] ?? "", longestLine)

const lastLine = (text: string): string => firstLine(text.trim().slice(text.trim().lastIndexOf("\n") + 1))

const callLine = ({ arguments: args, name }: Message.ToolCallBlock): string => {
  if (typeof args !== "object" || args === null) return `${name}: ${firstLine(String(args ?? ""))}`
  const fields = args as Readonly<Record<string, unknown>>
  const told = telling.flatMap((key) => (typeof fields[key] === "string" ? [firstLine(fields[key])] : []))
  return [name, ...told].join(": ")
}

const errorLine = ({ content, name }: Message.ToolResultBlock): string => {
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
  const [first, last] = [firstLine(text), lastLine(text)]
  return `${name}: ${first === last ? first : `${first} … ${last}`}`
}

const empty = (): Sections => new Map(headings.map((heading) => [heading, new Set<string>()]))

/** Of equal lines the newest stays. */
const add = (sections: Sections, heading: Heading, line: string) => {
  const lines = sections.get(heading)!
  lines.delete(line)
  lines.add(line)
}

const headingOf = (line: string): Heading | undefined => {
  const text = line
    .replace(/^#+\s*/, "")
    .trim()
    .toLowerCase()
  return line.startsWith("#") ? headings.find((heading) => heading.toLowerCase() === text) : undefined
}

/** The lines of an earlier summary under its headings; what stands under none of ours is part of the state. */
const sectionsOf = (summary: string): Sections => {
  const sections = empty()
  let under: Heading = "State of the work"
  for (const line of summary.split("\n")) {
    const heading = headingOf(line)
    if (heading !== undefined) under = heading
    else if (line.trim() !== "" && line.trim() !== "none") add(sections, under, clipped(line, longestSummaryLine))
  }
  return sections
}

const gather = (messages: ReadonlyArray<Sourced>): Sections => {
  const sections = empty()
  let said = ""
  for (const sourced of messages) {
    const { message, source } = sourced
    const earlier = contentOf(sourced)
    if (earlier !== undefined) {
      for (const [heading, lines] of sectionsOf(earlier.summary)) {
        for (const line of lines) add(sections, heading, line)
      }
      continue
    }
    if (source === "prompt" && sections.get("Goal")!.size === 0) add(sections, "Goal", firstLine(Message.text(message)))
    for (const call of Message.toolCalls(message)) add(sections, "Files and commands", callLine(call))
    for (const result of Message.toolResults(message)) {
      if (result.isError === true) add(sections, "Errors and fixes", errorLine(result))
    }
    if (message.role === "assistant" && Message.text(message).trim() !== "") said = Message.text(message)
  }
  if (said !== "") add(sections, "State of the work", `The last answer began: ${firstLine(said)}`)
  return sections
}

/** Where no line fits, this still says that something was there. */
const nothingFits = "Earlier messages were taken out to make room, and nothing of them fits here."

/**
 * The summary in at most `maxTokens`, the newest lines of each heading where not all fit; a single sentence where none does,
 * and that even where `maxTokens` is less. Takes time linear in the messages.
 *
 * @since 0.1.0
 * @category constructors
 */
export const extract = (
  messages: ReadonlyArray<Sourced>,
  maxTokens: number,
  countText: CodePoints.CountText
): string => {
  const sections = gather(messages)
  const render = (most: number) =>
    headings
      .flatMap((heading) => {
        const lines = [...sections.get(heading)!].slice(-most)
        return lines.length === 0 ? [] : [[`## ${heading}`, ...lines].join("\n")]
      })
      .join("\n\n")
  let low = 0
  let high = Math.max(...[...sections.values()].map((lines) => lines.size))
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (countText(render(middle)) <= maxTokens) low = middle
    else high = middle - 1
  }
  return low === 0 ? nothingFits : render(low)
}
