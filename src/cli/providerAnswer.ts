/**
 * What the simulated provider says to a person who has written no script for it.
 *
 * @since 0.1.0
 */
import * as Message from "../session/Message.ts"
import { contentText, toolName, type ChatRequest } from "../testing/simulated/chatRequest.ts"
import { call, say, type Answer } from "../testing/simulated/reply.ts"

const excerpt = (text: string) => (text.length > 200 ? `${text.slice(0, 200)} …` : text)

const callPattern = /^#call(?:[ \t]+(?<name>[\w.-]+))?(?:[ \t]+(?<args>\{.*\}))?[ \t]*$/mu
const wordsPattern = /^#words[ \t]+(?<count>\d{1,6})[ \t]*$/mu

const argumentsOf = (text: string | undefined): unknown => {
  try {
    return text === undefined ? {} : JSON.parse(text)
  } catch {
    // as a model's arguments may be: no JSON
    return text
  }
}

/**
 * It repeats what was said last. A line `#call NAME {"argument": 1}` in it is a call of that tool, or of the first one
 * that was given; a line `#words 500` is so many words.
 *
 * @since 0.1.0
 * @category conversions
 */
export const answer = ({ messages, tools }: ChatRequest): Answer => {
  const last = messages.at(-1) ?? { role: "user" }
  const said = contentText(last)
  if (last.role === "tool") return say(`The tool answered: ${excerpt(said)}`)
  const wanted = callPattern.exec(said)
  const name = wanted?.groups?.["name"] ?? tools.map(toolName).find((found) => found !== undefined)
  if (wanted !== null) {
    return name === undefined
      ? say("There is no tool that I could call.")
      : call(Message.toolCall(`call_${messages.length}`, name, argumentsOf(wanted.groups?.["args"])))
  }
  const words = wordsPattern.exec(said)?.groups?.["count"]
  return say(words === undefined ? `You said: ${excerpt(said)}` : "word ".repeat(Number(words)).trim())
}
