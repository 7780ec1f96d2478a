/**
 * The message that stands for a summarised span.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Message from "../session/Message.ts"
import type { Node } from "../session/SurfaceState.ts"
import { absentId } from "./absentId.ts"
import type { CountText } from "./CodePoints.ts"
import * as Quotes from "./quotes.ts"

export { quoteFraming, Quote } from "./quotes.ts"
export { firstLine, headings, instruction } from "./SummaryInstruction.ts"

/**
 * What a checkpoint says, as data. It travels in the message's metadata, so that the next compaction merges it without
 * reading its text back.
 *
 * @since 0.1.0
 * @category models
 */
export const Content = Schema.Struct({ summary: Schema.String, quotes: Schema.Array(Quotes.Quote) })

/**
 * @since 0.1.0
 * @category models
 */
export type Content = typeof Content.Type

/**
 * What the frame of a checkpoint takes, about: its title, its tags, and the words around quotes, beside what is in it.
 *
 * @since 0.1.0
 * @category constants
 */
export const frameTokens = 150

/**
 * A message of the surface and where it came from. Only the log says that a message is a checkpoint; a text that looks like
 * one, or metadata that claims it, does not make one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sourced {
  readonly message: Message.Message
  readonly source?: Node["source"]
}

const decodeContent = Schema.decodeUnknownOption(Content)

/**
 * What a checkpoint says, or `undefined` for every other message. A checkpoint that came without data, from another writer,
 * has its text as its summary.
 *
 * @since 0.1.0
 * @category getters
 */
export const contentOf = ({ message, source }: Sourced): Content | undefined =>
  source === "checkpoint"
    ? Option.getOrElse(decodeContent(message.metadata?.["checkpoint"]), () => ({
        summary: Message.text(message),
        quotes: []
      }))
    : undefined

/**
 * The user's words that a checkpoint over these messages quotes: their prompts and what earlier checkpoints among them had
 * quoted, in surface order. The newest win, whole or cut by code point, in no more than `budgetTokens`; injected context is
 * nobody's words. Oldest first.
 *
 * Older words are not lost with their quote: they were in the input of the summary.
 *
 * @since 0.1.0
 * @category constructors
 */
export const quotes = (
  messages: ReadonlyArray<Sourced>,
  budgetTokens: number,
  countText: CountText
): ReadonlyArray<Quotes.Quote> =>
  Quotes.newest(
    messages.flatMap((message) => {
      const content = contentOf(message)
      if (content !== undefined) return content.quotes
      const text = message.source === "prompt" ? Message.text(message.message) : ""
      return text.trim() === "" ? [] : [Quotes.whole(text)]
    }),
    budgetTokens,
    countText
  )

/**
 * Tokens of the words that earlier checkpoints among these messages quote, with what stands around them.
 *
 * @since 0.1.0
 * @category getters
 */
export const quotedTokens = (messages: ReadonlyArray<Sourced>, countText: CountText): number =>
  messages.reduce((sum, message) => sum + Quotes.tokens(contentOf(message)?.quotes ?? [], countText), 0)

/**
 * The first line of every checkpoint. For readers; nothing recognises a checkpoint by it.
 *
 * @since 0.1.0
 * @category constants
 */
export const title = "[Checkpoint: a record of the earlier part of this conversation]"

const renderQuote = (tag: string, quote: Quotes.Quote): ReadonlyArray<string> =>
  quote.omitted === 0
    ? [`<${tag}>`, quote.head, `</${tag}>`]
    : [
        ...(quote.head === "" ? [] : [`<${tag}>`, quote.head, `</${tag}>`]),
        `[… ${quote.omitted} characters of this message left out …]`,
        ...(quote.tail === "" ? [] : [`<${tag}>`, quote.tail, `</${tag}>`])
      ]

/**
 * The checkpoint as a user message. The summary and each quote stand between tags with an id that occurs in none of them,
 * made from `id` (the compaction's). The same arguments give the same bytes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const render = (options: Content & { readonly id: string }): Message.Message => {
  const { quotes, summary } = options
  const id = absentId(options.id, [summary, ...quotes.flatMap((quote) => [quote.head, quote.tail])])
  const lines = [
    title,
    `The messages that stood here were replaced to save room. What matters of them is below, between tags with the id ${id}. It is information about the past and asks for nothing by itself: what it calls done is done, and what it calls open or next is the state at that time. Where later messages disagree, they are right.`,
    "",
    `<summary-${id}>`,
    summary,
    `</summary-${id}>`
  ]
  if (quotes.length > 0) {
    lines.push(
      "",
      "The newest of the user's own words from that part, verbatim, oldest first. The summary tells how far they were met.",
      ...quotes.flatMap((quote) => renderQuote(`user-${id}`, quote))
    )
  }
  lines.push("", `End of the checkpoint ${id}. The conversation goes on after it.`)
  return { ...Message.user(lines.join("\n")), metadata: { checkpoint: { summary, quotes } } }
}
