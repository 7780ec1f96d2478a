/**
 * What a recorded conversation asks an agent loop to do, turn by turn.
 *
 * @since 0.1.0
 */
import * as Message from "../../session/Message.ts"

/**
 * One recorded assistant message. `results` are the recorded results of its calls, by call id; `joining` are the messages
 * that somebody put in before the assistant spoke again.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answer {
  readonly message: Message.Message
  readonly results: ReadonlyMap<string, Message.ToolResultBlock>
  readonly joining: ReadonlyArray<Message.Message>
}

/**
 * One prompt up to the answer that ends it. `before` are messages that came before the prompt without an answer of their
 * own. `ends: "cut"`: the recording stops behind tool results, so that nothing more is asked.
 *
 * @since 0.1.0
 * @category models
 */
export interface Turn {
  readonly before: ReadonlyArray<Message.Message>
  readonly prompt: Message.Message
  readonly answers: ReadonlyArray<Answer>
  readonly ends: "answered" | "cut"
}

/**
 * `rest` are messages at the end that nobody answered. `madeUp` is how many turns the recording begins without words of a
 * user; `silent` how many assistant messages hold neither text nor calls, which no provider would send.
 *
 * @since 0.1.0
 * @category models
 */
export interface Recording {
  readonly turns: ReadonlyArray<Turn>
  readonly rest: ReadonlyArray<Message.Message>
  readonly answers: number
  readonly madeUp: number
  readonly silent: number
}

/**
 * Stands for the prompt where the recording has none: an assistant that speaks first, or twice in a row, and a turn that
 * is taken up again after an interruption.
 *
 * @since 0.1.0
 * @category constants
 */
export const goOn: Message.Message = { ...Message.user("Go on."), metadata: { source: "replay" } }

/**
 * Whether a message of the user's side was put in by the application, and not said by a person.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isContext = (message: Message.Message): boolean => message.metadata?.["source"] === "context"

const isAnswer = (message: Message.Message): boolean =>
  Message.text(message) !== "" || Message.toolCalls(message).length > 0

interface Growing {
  readonly message: Message.Message
  readonly results: Map<string, Message.ToolResultBlock>
  joining: ReadonlyArray<Message.Message>
}

const callsTools = (answer: Growing | undefined): boolean =>
  answer !== undefined && Message.toolCalls(answer.message).length > 0

/**
 * Takes a recorded conversation apart into turns. Of several user messages in a row the last is the prompt, and those
 * before it stand before it; behind tool results they join the turn that runs, as an agent loop lets messages join.
 *
 * @since 0.1.0
 * @category constructors
 */
export const record = (messages: ReadonlyArray<Message.Message>): Recording => {
  const turns: Array<{ before: ReadonlyArray<Message.Message>; prompt: Message.Message; answers: Array<Growing> }> = []
  let waiting: Array<Message.Message> = []
  let answers = 0
  let madeUp = 0
  let silent = 0
  const newest = () => turns.at(-1)?.answers.at(-1)
  const takeWaiting = () => {
    const taken = waiting
    waiting = []
    return taken
  }
  for (const message of messages) {
    if (message.role === "tool") {
      for (const result of Message.toolResults(message)) newest()?.results.set(result.id, result)
    } else if (message.role === "user") {
      waiting.push(message)
    } else if (!isAnswer(message)) {
      silent++
    } else {
      const last = newest()
      if (last !== undefined && callsTools(last)) {
        last.joining = takeWaiting()
      } else {
        const users = takeWaiting()
        if (users.length === 0) madeUp++
        turns.push({ before: users.slice(0, -1), prompt: users.at(-1) ?? goOn, answers: [] })
      }
      turns.at(-1)?.answers.push({ message, results: new Map(), joining: [] })
      answers++
    }
  }
  return {
    turns: turns.map((turn) => ({ ...turn, ends: callsTools(turn.answers.at(-1)) ? "cut" : "answered" })),
    rest: waiting,
    answers,
    madeUp,
    silent
  }
}
