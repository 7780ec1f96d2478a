// Events for tests of the fold, with their places filled in.
import * as Either from "effect/Either"
import { applyAll } from "../../src/compaction/SessionFold.ts"
import * as SessionState from "../../src/compaction/SessionState.ts"
import type { TokenEstimator } from "../../src/compaction/TokenEstimator.ts"
import type { Envelope } from "../../src/session/Envelope.ts"
import * as Message from "../../src/session/Message.ts"
import type { Body, SessionEvent } from "../../src/session/SessionEvent.ts"
import type { Usage } from "../../src/session/Usage.ts"

const one = [1]

/** One token a character of text, nothing for framing: sizes in tests can be read off the texts. */
export const characters: TokenEstimator = {
  id: "characters",
  dimensions: 1,
  message: (message) => [
    message.content.reduce(
      (sum, block) =>
        sum +
        (block.type === "text"
          ? block.text.length
          : block.type === "tool-result"
            ? block.content.reduce((all, part) => all + (part.type === "text" ? part.text.length : 0), 0)
            : 0),
      0
    )
  ],
  envelope: (envelope) => [envelope.system?.length ?? 0],
  // the same each time, as of an estimator that keeps what it made for a route
  weights: () => one
}

export const route = { provider: "p", model: "m" }

export const counted = (message: Message.Message) => ({ estimator: characters.id, values: characters.message(message) })

export const envelope = (fields: Partial<Envelope> = {}): Body => {
  const value = { route, ...fields }
  return {
    type: "request/envelope",
    data: { envelope: value, counts: { estimator: characters.id, values: characters.envelope(value) } }
  }
}

export const user = (text: string): Body => {
  const message = Message.user(text)
  return { type: "message/user", data: { message, source: "prompt", counts: counted(message) } }
}

export const assistant = (text: string, usage?: Usage): Body => {
  const message = Message.assistant(text)
  return {
    type: "message/assistant",
    data: { message, finish: "stop", counts: counted(message), ...(usage === undefined ? {} : { usage }) }
  }
}

/** An answer that calls a tool once an id. */
export const calls = (...ids: ReadonlyArray<string>): Body => {
  const message = Message.assistant(ids.map((id) => Message.toolCall(id, "tool", {})))
  return { type: "message/assistant", data: { message, finish: "tool-calls", counts: counted(message) } }
}

export const result = (id: string, text: string): Body => {
  const content = [Message.textBlock(text)]
  const counts = counted(Message.toolResult({ id, name: "tool", content }))
  return { type: "message/tool-result", data: { callId: id, name: "tool", content, counts } }
}

export const checkpoint = (
  text: string,
  first: number,
  last: number,
  sources: readonly [number, ...Array<number>]
): Body => {
  const message = Message.user(text)
  return {
    type: "message/user",
    data: { message, source: "checkpoint", counts: counted(message), replaces: { first, last, sources } }
  }
}

export const stepStart = (step: number, generation = 0): Body => ({
  type: "step/start",
  data: { turn: 0, step, generation }
})

export const stepEnd = (step: number, fields: Partial<Extract<Body, { type: "step/end" }>["data"]> = {}): Body => ({
  type: "step/end",
  data: { turn: 0, step, outcome: "completed", ...fields }
})

export const usage = (inputTokens: number): Usage => ({ inputTokens, outputTokens: 1 })

export const placed = (bodies: ReadonlyArray<Body>, from = 0): ReadonlyArray<SessionEvent> =>
  bodies.map((body, i) => ({ ...body, seq: from + i, time: 0 }))

/** The state after these events, one batch. */
export const fold = (
  bodies: ReadonlyArray<Body>,
  from: SessionState.SessionState = SessionState.empty(characters)
): SessionState.SessionState =>
  Either.getOrThrowWith(applyAll(from, placed(bodies, from.revision), characters), ({ detail }) => new Error(detail))
