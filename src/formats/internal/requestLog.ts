// Logs of whole requests: each holds the conversation so far, so what is new in it is what goes beyond the one before.
import type * as Message from "../../session/Message.ts"
import type { Usage } from "../../session/Usage.ts"
import type { Request } from "../Transcript.ts"
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

export const record = (requests: ReadonlyArray<Logged>, counted: Request["counted"]): Recording.Recording => {
  const recording = Recording.make()
  const reading: Reading = { system: [], messages: [], places: [], notes: recording.notes }
  let sent: ReadonlyArray<Sent> = []

  const take = (value: unknown, place: string): Sent => {
    const message = decodeOne(reading, value, recording.messages.length)
    if (message !== undefined) {
      Recording.say(recording, message, place)
      reading.messages.push(message)
    }
    return { text: json(value), message }
  }

  for (const request of requests) {
    const texts = request.messages.map(json)
    const common = commonLength(sent, texts)
    if (common < sent.length) {
      recording.notes.push(`${request.place}: the request does not hold all that the one before it held`)
      if (common === 0) reading.system.length = 0
      const head = sent.slice(0, common).flatMap(({ message }) => (message === undefined ? [] : [message]))
      Recording.compacted(recording, head)
    }
    sent = [...sent.slice(0, common), ...request.messages.slice(common).map((value) => take(value, request.place))]
    if (reading.system.length > 0) recording.system = reading.system.join("\n\n")
    const tools = request.tools.map(toolSchema).filter((tool) => tool !== undefined)
    if (json(tools) !== json(recording.tools ?? [])) recording.tools = tools
    const { model, place, usage } = request
    Recording.request(recording, usage, { at: recording.messages.length, place, model, counted })
  }
  // what the model answered stands in the request that follows; only the newest answer has none
  const newest = requests.at(-1)
  if (newest?.answer !== undefined) take(newest.answer, newest.place)
  return recording
}
