/**
 * What the simulated provider says to a person who has written no script for it.
 *
 * @since 0.1.0
 */
import * as Message from "../session/Message.ts"
import { contentText, toolName, type ChatRequest } from "../testing/simulated/chatRequest.ts"
import { call, say, type Answer } from "../testing/simulated/reply.ts"

/**
 * The beginning of a text.
 *
 * @since 0.1.0
 * @category combinators
 */
export const excerpt = (text: string) => (text.length > 200 ? `${text.slice(0, 200)} …` : text)

/** What a line asks for. */
const markers =
  /^#(?:call(?:[ \t]+(?<name>[\w.-]+))?(?:[ \t]+(?<args>\{.*\}))?|words[ \t]+(?<count>\d{1,6})|say[ \t]+(?<text>.*\S))[ \t]*$/gmu

const argumentsOf = (text: string | undefined): unknown => {
  try {
    return text === undefined ? {} : JSON.parse(text)
  } catch {
    // as a model's arguments may be: no JSON
    return text
  }
}

/**
 * What one marker asks for. A call without a name is of the first tool that there is.
 *
 * @since 0.1.0
 * @category models
 */
export type Asked =
  | { readonly _tag: "Say"; readonly text: string }
  | { readonly _tag: "Call"; readonly name: string | undefined; readonly args: unknown }

/**
 * What the markers in a text ask for, in order.
 *
 * @since 0.1.0
 * @category conversions
 */
export const asked = (text: string): ReadonlyArray<Asked> =>
  [...text.matchAll(markers)].map(({ groups }): Asked => {
    const { args, count, name, text } = groups ?? {}
    if (text !== undefined) return { _tag: "Say", text }
    if (count !== undefined) return { _tag: "Say", text: "word ".repeat(Number(count)).trim() }
    return { _tag: "Call", name, args: argumentsOf(args) }
  })

/**
 * It repeats what was said last. A line `#call NAME {"argument": 1}` in it is a call of that tool, or of the first one
 * that was given; a line `#words 500` is so many words, and `#say {"a": 1}` just that text. Of several lines the last
 * counts: a summary before it may quote others.
 *
 * @since 0.1.0
 * @category conversions
 */
export const answer = ({ messages, tools }: ChatRequest): Answer => {
  const last = messages.at(-1) ?? { role: "user" }
  const said = contentText(last)
  if (last.role === "tool") return say(`The tool answered: ${excerpt(said)}`)
  const marker = asked(said).at(-1)
  if (marker === undefined) return say(`You said: ${excerpt(said)}`)
  if (marker._tag === "Say") return say(marker.text)
  const name = marker.name ?? tools.map(toolName).find((found) => found !== undefined)
  return name === undefined
    ? say("There is no tool that I could call.")
    : call(Message.toolCall(`call_${messages.length}`, name, marker.args))
}
