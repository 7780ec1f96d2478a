// States of a session of any length, without the estimator's work: counts are made up from the lengths.
import { applyOrRefuse } from "../src/compaction/SessionFold.ts"
import * as SessionState from "../src/compaction/SessionState.ts"
import type { TokenEstimator } from "../src/compaction/TokenEstimator.ts"
import type * as Envelope from "../src/session/Envelope.ts"
import * as Message from "../src/session/Message.ts"
import * as SessionEvent from "../src/session/SessionEvent.ts"
import { runEstimator } from "../src/compaction/RunEstimator.ts"
import * as Workload from "./workload.ts"

const route = { provider: "bench", model: "bench" }
const unit = Array.from({ length: runEstimator.dimensions }, (_, i) => (i === 0 ? 1 : 0))

/** Counts nothing, so that what is measured is the core and not the estimator. */
export const estimator: TokenEstimator = {
  id: "bench",
  dimensions: runEstimator.dimensions,
  message: () => unit.map(() => 300),
  envelope: () => unit.map(() => 800),
  weights: () => unit
}

export const weights = unit

export const envelope: Envelope.Envelope = { route, system: "You are a coding agent." }

const counts = { estimator: estimator.id, values: estimator.message(Message.user("")) }

export const bodyOf = (message: Message.Message): SessionEvent.Body => {
  const [block] = message.content
  if (block?.type === "tool-result") {
    return {
      type: "message/tool-result",
      data: { callId: block.id, name: block.name, content: block.content, counts }
    }
  }
  return message.role === "assistant"
    ? { type: "message/assistant", data: { message, finish: "stop", counts } }
    : { type: "message/user", data: { message, source: "prompt", counts } }
}

export const eventOf = (message: Message.Message, seq: number): SessionEvent.SessionEvent =>
  SessionEvent.at(bodyOf(message), seq, 1_700_000_000_000 + seq)

/** One event later. */
export const stepped = (
  state: SessionState.SessionState,
  event: SessionEvent.SessionEvent
): SessionState.SessionState => {
  const next = applyOrRefuse(state, event, estimator)
  if ("reason" in next) throw new Error(next.detail)
  return next
}

/** A session whose provider has counted, so that the meter watches what comes. */
export const counting = (): SessionState.SessionState => {
  const events: ReadonlyArray<SessionEvent.Body> = [
    { type: "request/envelope", data: { envelope, counts } },
    { type: "message/user", data: { message: Message.user("go"), source: "prompt", counts } },
    { type: "step/start", data: { turn: 0, step: 0, generation: 0 } },
    {
      type: "message/assistant",
      data: { message: Message.assistant("ok"), usage: { inputTokens: 1_500, outputTokens: 1 }, finish: "stop", counts }
    }
  ]
  return events.reduce(
    (state, body, seq) => stepped(state, SessionEvent.at(body, seq, 0)),
    SessionState.empty(estimator)
  )
}

/** The session with these messages appended. */
export const extended = (
  state: SessionState.SessionState,
  messages: ReadonlyArray<Message.Message>
): SessionState.SessionState => messages.reduce((now, message) => stepped(now, eventOf(message, now.revision)), state)

/** The most of so many short messages that end with a whole unit. */
export const wholeUnits = (count: number): number => Math.floor(count) - (Math.floor(count) % 3)

/** Short messages, whole units: 1M of the long ones would measure the machine's memory. */
export const short = (count: number): ReadonlyArray<Message.Message> =>
  Array.from({ length: count }, (_, i) => {
    const id = `call_${Math.floor(i / 3)}`
    if (i % 3 === 0) return Message.user("next")
    return i % 3 === 1
      ? Message.assistant([Message.toolCall(id, "t", {})])
      : Message.toolResult({ id, name: "t", content: "r" })
  })

/** Messages as long as real ones are. */
export const messages = Workload.take
