// Messages as a log of this library, which a store opens and goes on with.
import * as Either from "effect/Either"
import type { Envelope } from "../../session/Envelope.ts"
import * as EventCodec from "../../session/EventCodec.ts"
import * as LogFrame from "../../session/LogFrame.ts"
import * as Message from "../../session/Message.ts"
import * as SessionEvent from "../../session/SessionEvent.ts"
import type { Encoded, EncodeOptions } from "../Format.ts"
import type { Session } from "../Transcript.ts"
import * as Encoding from "./encoding.ts"

const name = "session-log"

/** No estimator has this name, so whoever opens the log counts for itself. */
const counts: SessionEvent.Counts = { estimator: "uncounted", values: [] }

const sourceOf = ({ metadata }: Message.Message) => {
  if (metadata?.["checkpoint"] !== undefined) return "checkpoint" as const
  return metadata?.["source"] === "context" ? ("context" as const) : ("prompt" as const)
}

const bodyOf = (message: Message.Message): SessionEvent.Body => {
  const [result] = Message.toolResults(message)
  if (message.role === "tool" && result !== undefined) {
    const { content, id: callId, isError, name } = result
    return {
      type: "message/tool-result",
      data: {
        callId,
        name,
        content,
        ...(isError === undefined ? {} : { isError }),
        ...(message.metadata === undefined ? {} : { metadata: message.metadata }),
        counts
      }
    }
  }
  return message.role === "assistant"
    ? { type: "message/assistant", data: { message, counts } }
    : { type: "message/user", data: { message, source: sourceOf(message), counts } }
}

/** A request needs a route; a log without an envelope is one whose application has not said yet what it sends. */
const envelopeOf = ({ requests, system, tools }: Session, losses: Encoding.Losses): Envelope | undefined => {
  const newest = requests.at(-1)
  if (system === undefined && tools === undefined && newest === undefined) return undefined
  const { model, provider } = newest ?? {}
  if (provider === undefined || model === undefined) {
    losses.remark("the transcript does not say which provider and model it is of: the log says unknown")
  }
  return {
    route: { provider: provider ?? "unknown", model: model ?? "unknown" },
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools })
  }
}

const decoder = new TextDecoder()

const written = (seq: number, events: ReadonlyArray<SessionEvent.SessionEvent>): string =>
  Either.all(events.map(EventCodec.encode)).pipe(
    Either.flatMap((values) => LogFrame.encode(seq, values)),
    Either.map((line) => decoder.decode(line)),
    Either.getOrThrowWith((detail) => new Error(detail))
  )

export const encode = (session: Session, { time = 0 }: EncodeOptions): Encoded => {
  const losses = Encoding.losses(name)
  Encoding.besideMessages(losses, session, { system: true, tools: true })
  const envelope = envelopeOf(session, losses)
  const opening: ReadonlyArray<SessionEvent.Body> = [
    {
      type: "session/opened",
      data: { formatVersion: SessionEvent.formatVersion, session: session.id, writer: "effect-compaction" }
    },
    ...(envelope === undefined ? [] : [{ type: "request/envelope", data: { envelope, counts } } as const])
  ]
  const lines = [
    written(
      0,
      opening.map((body, seq) => SessionEvent.at(body, seq, time))
    )
  ]
  for (const [index, message] of session.messages.entries()) {
    const seq = opening.length + index
    lines.push(written(seq, [SessionEvent.at(bodyOf(message), seq, time)]))
  }
  return { text: lines.join(""), notes: losses.notes() }
}
