/**
 * Plays one recorded turn: what the provider says next, what the tools answered, and when there is nothing left.
 *
 * @since 0.1.0
 */
import type { ToolAnswer, ToolCall } from "../../services/ToolRunner.ts"
import type { ToolSchema } from "../../session/Envelope.ts"
import * as Message from "../../session/Message.ts"
import type { Turn } from "./turns.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Player {
  /** Begins a turn, of which the first `answered` answers were played before. */
  readonly begin: (turn: Turn, answered: number) => void
  /** The next recorded answer; undefined: the turn has none left. */
  readonly nextAnswer: () => Message.Message | undefined
  /** Asked before each step: whether the recording has nothing to answer it with. */
  readonly isOver: () => boolean
  /** The recorded result of a call, and what joins the conversation with it. */
  readonly answerCall: (call: ToolCall) => {
    readonly answer: ToolAnswer
    readonly joining: ReadonlyArray<Message.Message>
  }
}

const notRecorded = (call: ToolCall): ToolAnswer => ({
  content: `The recording holds no result of this call of "${call.name}", and no tool is run in a replay.`,
  isError: true
})

/**
 * `mostSteps` bounds the turns of a model that speaks for itself: the recording's own number of steps ends a turn that is
 * answered from the recording.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: { readonly mostSteps?: (turn: Turn) => number } = {}): Player => {
  let turn: Turn | undefined
  let given = 0
  let asked = 0
  let joined = 0
  return {
    begin: (next, answered) => {
      turn = next
      given = answered
      asked = answered
      joined = answered
    },
    nextAnswer: () => turn?.answers[given++]?.message,
    isOver: () => {
      if (turn === undefined) return true
      return options.mostSteps === undefined ? given >= turn.answers.length : asked++ >= options.mostSteps(turn)
    },
    answerCall: (call) => {
      const step = options.mostSteps === undefined ? given - 1 : asked - 1
      const current = turn?.answers[step]
      // parallel calls of one answer: what joins, joins once
      const joining = joined <= step ? (current?.joining ?? []) : []
      joined = Math.max(joined, step + 1)
      const result = current?.results.get(call.id)
      return {
        joining,
        answer:
          result === undefined
            ? notRecorded(call)
            : { content: result.content, ...(result.isError === undefined ? {} : { isError: result.isError }) }
      }
    }
  }
}

/**
 * The schemas that a session's requests carry: the recorded ones, else one that takes anything for each tool that was
 * called.
 *
 * @since 0.1.0
 * @category getters
 */
export const toolsOf = (session: {
  readonly tools?: ReadonlyArray<ToolSchema>
  readonly messages: ReadonlyArray<Message.Message>
}): ReadonlyArray<ToolSchema> => {
  if (session.tools !== undefined) return session.tools
  const names = new Set(session.messages.flatMap((message) => Message.toolCalls(message).map((call) => call.name)))
  names.delete("")
  return [...names].map((name) => ({ name, parameters: { type: "object", additionalProperties: true } }))
}
