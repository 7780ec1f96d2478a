/**
 * Whether an answer is a summary. What is not one must never stand for a part of the conversation.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { SummaryFailed } from "../errors/CompactionError.ts"
import type { FinishReason } from "../session/SessionEvent.ts"
import { isErrorText, isToolProtocol } from "./answerSigns.ts"
import { headings } from "./SummaryInstruction.ts"

/**
 * An answer as a summariser gives it. Without `finish` it counts as complete: a summariser that asks no model has none.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answer {
  readonly text: string
  readonly finish?: FinishReason
  /** The answer held tool calls. */
  readonly toolCalls?: boolean
  /** The answer held reasoning. */
  readonly reasoning?: boolean
}

const reasoningTags = ["think", "thinking", "reasoning"]

/**
 * Reasoning that stands at the start as text. Also without its opening tag: chat templates that open the reasoning
 * themselves leave only the closing tag in the answer, on a line of its own. A tag within prose or in a code block is a quotation.
 */
const stripReasoning = (text: string): { readonly text: string; readonly found: boolean } => {
  let rest = text.trim()
  let found = false
  for (;;) {
    const start = rest.slice(0, 12).toLowerCase()
    const tag = reasoningTags.find((name) => start.startsWith(`<${name}>`))
    if (tag === undefined) break
    found = true
    const end = indexOfClosing(rest, tag)
    if (end < 0) return { text: "", found }
    rest = rest.slice(end).trim()
  }
  for (const tag of reasoningTags) {
    const line = new RegExp(`^</${tag}>[ \\t]*$`, "im").exec(rest)
    if (line !== null && !endsInCodeBlock(rest.slice(0, line.index))) {
      found = true
      rest = rest.slice(line.index + line[0].length).trim()
    }
  }
  return { text: rest, found }
}

const endsInCodeBlock = (text: string): boolean => (text.match(/^[ \t]*(?:```|~~~)/gm)?.length ?? 0) % 2 === 1

/** The index behind the first closing tag, or -1. */
const indexOfClosing = (text: string, tag: string): number => {
  const match = new RegExp(`</${tag}>`, "i").exec(text)
  return match === null ? -1 : match.index + match[0].length
}

/**
 * The text of a summary, without reasoning and surrounding white space; or why the answer is none:
 *
 * - `filtered`: a content filter stopped it
 * - `no-text`: it holds reasoning or tool calls, and no text
 * - `truncated`: it was cut at the output limit
 * - `unknown-finish`: nobody knows why it ended
 * - `empty`: it holds nothing at all
 * - `protocol`: it calls a tool, as a call or as text in the form of one. A summary that mentions such text passes
 * - `model`: it is an error message, passed on as if it were an answer
 *
 * Takes time linear in the text.
 *
 * @since 0.1.0
 * @category predicates
 */
export const check = (answer: Answer): Either.Either<string, SummaryFailed> => {
  const failed = (reason: SummaryFailed["reason"], detail: string) => Either.left(new SummaryFailed({ reason, detail }))
  const { found, text } = stripReasoning(answer.text)
  const reasoning = found || answer.reasoning === true
  const toolCalls = answer.toolCalls === true || answer.finish === "tool-calls"
  if (answer.finish === "content-filter") return failed("filtered", "a content filter stopped the answer")
  if (text === "" && (reasoning || toolCalls)) {
    return failed(
      "no-text",
      toolCalls
        ? "the answer calls tools and says nothing"
        : answer.finish === "length"
          ? "the answer is all reasoning and reached its output limit before the first word"
          : "the answer is all reasoning"
    )
  }
  if (answer.finish === "length") return failed("truncated", "the answer was cut at its output limit")
  if (answer.finish === "unknown") return failed("unknown-finish", "the answer ended without a known reason")
  if (text === "") return failed("empty", "the answer is empty")
  if (toolCalls) return failed("protocol", "the answer calls tools instead of summarising")
  if (isToolProtocol(text)) return failed("protocol", "the answer is a tool call written as text")
  if (isErrorText(text)) return failed("model", `the answer is an error message: ${text.slice(0, 200)}`)
  return Either.right(text)
}

/** A line that is nothing but the heading, in whatever way a model marks one up. */
const headingLine = (heading: string) => new RegExp(`^[ \\t#*_>\\d.)-]*${heading}[ \\t]*[*_]*:?[*_]*[ \\t]*$`, "im")

const lines: ReadonlyArray<readonly [string, RegExp]> = headings.map((heading) => [heading, headingLine(heading)])

/**
 * The headings that a summary was asked for and does not have.
 *
 * @since 0.1.0
 * @category getters
 */
export const missingHeadings = (text: string): ReadonlyArray<string> =>
  lines.filter(([, line]) => !line.test(text)).map(([heading]) => heading)
