/**
 * What was asked for again: the same file read twice, the same call made twice.
 *
 * @since 0.1.0
 */
import * as Message from "../../session/Message.ts"
import type { Kept } from "./kept.ts"
import type { Repeat, SessionReport } from "./report.ts"

interface Group {
  readonly tool: string
  times: number
  tokens: number
  readonly first: number
}

const shown = 10

/**
 * `tokens` is what the message at a place weighs, which holds one result.
 *
 * @since 0.1.0
 * @category getters
 */
export const repeats = (
  messages: ReadonlyArray<Message.Message>,
  { calledWith, callNumber }: Pick<Kept, "callNumber" | "calledWith">,
  tokens: (place: number) => number
): SessionReport["repeats"] => {
  const groups = new Map<number, Group>()
  // of one answer: their results stand right behind it, in their order
  let calls: ReadonlyArray<Message.ToolCallBlock> = []
  let answered = 0
  for (const [place, message] of messages.entries()) {
    if (message.role === "assistant") {
      calls = Message.toolCalls(message)
      answered = 0
    }
    for (const result of Message.toolResults(message)) {
      const call = calls[answered]?.id === result.id ? calls[answered++] : undefined
      const number = call === undefined ? undefined : callNumber(call)
      if (call === undefined || number === undefined) continue
      const size = tokens(place)
      const group = groups.get(number)
      if (group === undefined) groups.set(number, { tool: call.name, times: 1, tokens: size, first: size })
      else {
        group.times++
        group.tokens += size
      }
    }
  }
  const again = [...groups]
    .filter(([, { times }]) => times > 1)
    .map(([number, { first, times, tokens, tool }]): Repeat => ({
      tool,
      what: calledWith(number),
      times,
      tokens: Math.round(tokens),
      again: Math.round(tokens - first)
    }))
  return {
    times: again.reduce((sum, { times }) => sum + times - 1, 0),
    tokens: again.reduce((sum, repeat) => sum + repeat.again, 0),
    heaviest: again.toSorted((a, b) => b.again - a.again).slice(0, shown)
  }
}
