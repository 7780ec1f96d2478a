// A plan as a session that a provider counted, in the form that transcripts are read to.
import type { Request, Session } from "../../src/formats/Transcript.ts"
import * as Message from "../../src/session/Message.ts"
import type { Route } from "../../src/session/Route.ts"
import type { Plan, Step } from "./plan.ts"
import type { Provider } from "./providers.ts"

const call = { name: "read_file", arguments: { path: "src/session/index.ts" } }

/** What is in the messages beside the texts of the corpus. */
export const words: ReadonlyArray<string> = [call.name, JSON.stringify(call.arguments)]

/** The messages of a plan; made once, so that each is priced once for all providers. */
export interface Told {
  readonly plan: Plan
  readonly system: string
  readonly messages: ReadonlyArray<Message.Message>
}

const messagesOf = ({ answer, prompt, results }: Step, at: number): ReadonlyArray<Message.Message> => {
  const ids = results.map((_, i) => `call_${at}_${i}`)
  return [
    ...(prompt === undefined ? [] : [Message.user(prompt)]),
    Message.assistant([Message.textBlock(answer), ...ids.map((id) => Message.toolCall(id, call.name, call.arguments))]),
    ...results.map((content, i) => Message.toolResult({ id: ids[i]!, name: call.name, content }))
  ]
}

export const told = (plan: Plan): Told => ({
  plan,
  system: plan.system.join("\n\n"),
  messages: plan.steps.flatMap(messagesOf)
})

export const counted = (
  { messages, plan, system }: Told,
  provider: Provider,
  route: Route,
  counts: ReadonlyMap<string, number>
): Session => {
  const { factor, framing, statesReasoning } = provider
  const tokens = (text: string) => Math.round((counts.get(text) ?? 0) * factor)
  const message = (text: string) => tokens(text) + framing.message
  const callTokens = words.reduce((sum, word) => sum + tokens(word), framing.message)
  const requests: Array<Request> = []
  let input =
    framing.request + framing.hidden + framing.message + plan.system.reduce((sum, text) => sum + tokens(text), 0)
  let at = 0
  for (const [index, { answer, prompt, reasoning, results }] of plan.steps.entries()) {
    if (prompt !== undefined) {
      input += message(prompt)
      at++
    }
    const said = tokens(answer) + results.length * callTokens
    const usage = {
      inputTokens: input,
      outputTokens: said + reasoning,
      ...(statesReasoning ? { reasoningTokens: reasoning } : {})
    }
    requests.push({ at, place: `request ${index}`, ...route, usage, counted: "provider" })
    input += said + framing.message + results.reduce((sum, text) => sum + message(text), 0)
    at += 1 + results.length
  }
  return { id: "simulated", system, messages, requests, compactions: [], visible: "full", notes: [] }
}
