// Logs of whole requests: each holds the conversation so far, so what is new in it is what goes beyond the one before.
import type * as Message from "../../session/Message.ts"
import type { Usage } from "../../session/Usage.ts"
import type { Request } from "../Transcript.ts"
import type { DecodeOptions } from "../Format.ts"
import { decodeOne, type Reading, toolSchema } from "./chatDecode.ts"
import * as Recording from "./Recording.ts"
import { json } from "./values.ts"

/** One request as it was sent, and what came back. */
export interface Logged {
  readonly place: string
  readonly messages: ReadonlyArray<unknown>
  readonly tools: ReadonlyArray<unknown>
  readonly answer: unknown
  readonly usage: Usage | undefined
  readonly model: string | undefined
}

interface Sent {
  /** the message as JSON, to see whether the next request still holds it */
  readonly text: string
  readonly message: Message.Message | undefined
}

const commonLength = (sent: ReadonlyArray<Sent>, texts: ReadonlyArray<string>): number => {
  let length = 0
  while (length < sent.length && sent[length]?.text === texts[length]) length++
  return length
}

/** The requests so far. */
export interface Log {
  readonly recording: Recording.Recording
  readonly take: (request: Logged) => void
  readonly end: () => Recording.Recording
}

export const make = (counted: Request["counted"], options?: DecodeOptions): Log => {
  const recording = Recording.make(options)
  const reading: Reading = { system: [], begun: false, notes: recording.notes }
  let sent: ReadonlyArray<Sent> = []
  let newest: Logged | undefined

  const takeMessage = (value: unknown, place: string): Sent => {
    const message = decodeOne(reading, value, recording.messages.length)
    if (message === undefined) return { text: json(value), message }
    const at = Recording.say(recording, message, place)
    return { text: json(value), message: recording.messages[at]?.message }
  }

  const take = (request: Logged): void => {
    newest = request
    const texts = request.messages.map(json)
    const common = commonLength(sent, texts)
    if (common < sent.length) {
      Recording.remark(recording, request.place, "the request does not hold all that the one before it held")
      if (common === 0) reading.system.length = 0
      const head = sent.slice(0, common).flatMap(({ message }) => (message === undefined ? [] : [message]))
      Recording.seenAs(recording, head)
    }
    sent = [
      ...sent.slice(0, common),
      ...request.messages.slice(common).map((value) => takeMessage(value, request.place))
    ]
    if (reading.system.length > 0) recording.system = reading.system.join("\n\n")
    const tools = request.tools.map(toolSchema).filter((tool) => tool !== undefined)
    if (json(tools) !== json(recording.tools ?? [])) recording.tools = tools
    const { model, place, usage } = request
    Recording.request(recording, usage, { at: recording.messages.length, place, model, counted })
  }

  const end = () => {
    // what the model answered stands in the request that follows; only the newest answer has none
    if (newest?.answer !== undefined) takeMessage(newest.answer, newest.place)
    return recording
  }
  return { recording, take, end }
}
