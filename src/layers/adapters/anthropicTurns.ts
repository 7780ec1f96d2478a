/**
 * Writes messages as Anthropic's: two roles that take turns, and blocks in their content.
 *
 * @since 0.1.0
 */
import * as Sends from "../../compaction/sends.ts"
import type * as Message from "../../session/Message.ts"
import * as Media from "./anthropicMedia.ts"
import * as Names from "./anthropicNames.ts"
import { distinctCalls } from "./distinctCalls.ts"
import { type Fields, fieldsOf } from "./looseJson.ts"

/**
 * One message of theirs.
 *
 * @since 0.1.0
 * @category models
 */
export interface Turn {
  readonly role: "user" | "assistant"
  readonly content: ReadonlyArray<Fields>
}

/**
 * What of a message goes into a request: reasoning that this provider signed and its blocks of other kinds, in their
 * places; images, PDFs and texts where the user shows them and in tool results.
 *
 * @since 0.1.0
 * @category conversions
 */
export const sendsOf = (provider: string): Sends.Sends => ({
  reasoning: "sealed",
  opaque: true,
  provider,
  carries: (block, role) => role !== "assistant" && Media.encode(block) !== undefined
})

const none: ReadonlyArray<Fields> = []

/** The API refuses texts that say nothing. */
const text = (said: string): ReadonlyArray<Fields> => (said.trim() === "" ? none : [{ type: "text", text: said }])

const media = (block: Message.ImageBlock | Message.FileBlock): ReadonlyArray<Fields> => {
  const encoded = Media.encode(block)
  return encoded === undefined ? none : [encoded]
}

const reasoning = ({ redacted, signature, text: thinking }: Message.ReasoningBlock): Fields =>
  redacted === undefined ? { type: "thinking", thinking, signature } : { type: "redacted_thinking", data: redacted }

const result = ({ content, id, isError = false }: Message.ToolResultBlock): Fields => {
  const blocks = content.flatMap(block)
  const isText = blocks.every(({ type }) => type === "text")
  // an error holds text, and not nothing
  const said = isError && (!isText || blocks.length === 0) ? [...text("[the tool failed]"), ...blocks] : blocks
  return {
    type: "tool_result",
    tool_use_id: Names.encode(id),
    ...(said.length === 0 ? {} : { content: said }),
    ...(isError && isText ? { is_error: true } : {})
  }
}

const block = (given: Message.Block): ReadonlyArray<Fields> => {
  switch (given.type) {
    case "text":
      return text(given.text)
    case "image":
    case "file":
      return media(given)
    case "reasoning":
      return [reasoning(given)]
    case "tool-call":
      return [
        {
          type: "tool_use",
          id: Names.encode(given.id),
          name: Names.encode(given.name),
          input: Sends.argumentsAsSent(given.arguments)
        }
      ]
    case "tool-result":
      return [result(given)]
    case "unknown": {
      const value = fieldsOf(given.value)
      return value === undefined ? none : [value]
    }
  }
}

const isResult = ({ type }: Fields) => type === "tool_result"

/** One of our messages as theirs: a result inside an answer, as in a prefix that an application wrote, follows it. */
const turnsOf = (given: Message.Message, sends: Sends.Sends): ReadonlyArray<Turn> => {
  const { content, role } = Sends.asSent(given, sends)
  const blocks = content.flatMap(block)
  const turns: ReadonlyArray<Turn> =
    role === "assistant"
      ? [
          { role: "assistant", content: blocks.filter((one) => !isResult(one)) },
          { role: "user", content: blocks.filter(isResult) }
        ]
      : [{ role: "user", content: blocks }]
  return turns.filter((turn) => turn.content.length > 0)
}

/** What stands first where a conversation begins with an answer, which the API refuses. */
const opening: Turn = { role: "user", content: text("[the conversation begins here]") }

/** Results stand before what the user says. */
const ordered = ({ content, role }: Turn): Turn =>
  role === "assistant" || !content.some(isResult)
    ? { role, content }
    : { role, content: [...content.filter(isResult), ...content.filter((one) => !isResult(one))] }

/** The API refuses an answer to go on with that ends with white space. */
const trimmed = (turn: Turn): Turn => {
  const last = turn.content.at(-1)
  return turn.role === "assistant" && last?.["type"] === "text"
    ? { role: "assistant", content: [...turn.content.slice(0, -1), { ...last, text: String(last["text"]).trimEnd() }] }
    : turn
}

/**
 * Messages of one role in a row become one, so that the results of parallel calls stand in one message with what the
 * user says behind them. A message gives the same blocks in every request, and one that holds nothing that can be sent
 * is left out.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encode = (messages: ReadonlyArray<Message.Message>, sends: Sends.Sends): ReadonlyArray<Turn> => {
  const turns: Array<{ readonly role: Turn["role"]; readonly content: Array<Fields> }> = []
  for (const message of distinctCalls(messages)) {
    for (const { content, role } of turnsOf(message, sends)) {
      const last = turns.at(-1)
      if (last?.role === role) last.content.push(...content)
      else turns.push({ role, content: [...content] })
    }
  }
  const whole = turns[0]?.role === "assistant" ? [opening, ...turns] : turns
  return whole.map((turn, place) => (place === whole.length - 1 ? trimmed(ordered(turn)) : ordered(turn)))
}
