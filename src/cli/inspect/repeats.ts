/**
 * What was asked for again: the same file read twice, the same call made twice.
 *
 * @since 0.1.0
 */
import * as Message from "../../session/Message.ts"
import type { Call } from "./kept.ts"
import type { Repeat, SessionReport } from "./report.ts"

interface Group {
  readonly tool: string
  readonly label: string | undefined
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
  callOf: (call: Message.ToolCallBlock) => Call | undefined,
  tokens: (place: number) => number
): SessionReport["repeats"] => {
  const groups = new Map<string, Group>()
  // the calls of one answer: their results stand right behind it
  let open = new Map<string, Message.ToolCallBlock>()
  for (const [place, message] of messages.entries()) {
    if (message.role === "assistant") {
      open = new Map(Message.toolCalls(message).map((call) => [call.id, call]))
    }
    for (const result of Message.toolResults(message)) {
      const call = open.get(result.id)
      const known = call === undefined ? undefined : callOf(call)
      if (call === undefined || known === undefined) continue
      const size = tokens(place)
      const group = groups.get(known.key)
      if (group === undefined) {
        groups.set(known.key, { tool: call.name, label: known.label, times: 1, tokens: size, first: size })
      } else {
        group.times++
        group.tokens += size
      }
    }
  }
  const again = [...groups.values()]
    .filter(({ times }) => times > 1)
    .map(({ first, label, times, tokens, tool }): Repeat => ({
      tool,
      what: label ?? "",
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
