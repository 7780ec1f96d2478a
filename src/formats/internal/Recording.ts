// What a decoder gathers on its way through a file: messages as they stand there, requests with their usage, compactions.
import type { ToolSchema } from "../../session/Envelope.ts"
import type * as Message from "../../session/Message.ts"
import type { Usage } from "../../session/Usage.ts"
import { repairPairs } from "../Pairs.ts"
import type { Request, Session, Visible } from "../Transcript.ts"

interface Placed {
  /** grows where an answer is spread over several records */
  message: Message.Message
  readonly place: string
}

interface Compacted {
  readonly at: number
  readonly head: ReadonlyArray<Message.Message>
  readonly keptFrom: number
}

export interface Recording {
  readonly messages: Array<Placed>
  /** `at` is the place in `messages` */
  readonly requests: Array<Request>
  readonly compactions: Array<Compacted>
  readonly notes: Array<string>
  /** things that occur often and are told once, with their number */
  readonly counted: Map<string, number>
  system?: string
  tools?: ReadonlyArray<ToolSchema>
}

export const make = (): Recording => ({
  messages: [],
  requests: [],
  compactions: [],
  notes: [],
  counted: new Map()
})

export const say = (recording: Recording, message: Message.Message, place: string): number =>
  recording.messages.push({ message, place }) - 1

/** `sentence` goes on from a number: "3 lines …". */
export const count = (recording: Recording, sentence: string): void =>
  void recording.counted.set(sentence, (recording.counted.get(sentence) ?? 0) + 1)

export const request = (
  recording: Recording,
  usage: Usage | undefined,
  where: {
    readonly at: number
    readonly place: string
    readonly provider?: string | undefined
    readonly model?: string | undefined
    readonly counted?: Request["counted"]
  }
): void => {
  if (usage === undefined) return
  const { at, counted = "provider", model, place, provider } = where
  recording.requests.push({
    at,
    place,
    usage,
    counted,
    ...(recording.system === undefined ? {} : { system: recording.system }),
    ...(recording.tools === undefined ? {} : { tools: recording.tools }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model })
  })
}

/** The model sees `head`, then what was said from `keptFrom` on. */
export const compacted = (
  recording: Recording,
  head: ReadonlyArray<Message.Message>,
  keptFrom = recording.messages.length
): void => void recording.compactions.push({ at: recording.messages.length, head, keptFrom })

/** A request says its system prompt and tools only where they are others than those of the session's end. */
const withoutOwn = (recording: Recording, { system, tools, ...request }: Request): Request => ({
  ...request,
  ...(system === undefined || system === recording.system ? {} : { system }),
  ...(tools === undefined || tools === recording.tools ? {} : { tools })
})

export const session = (recording: Recording, id: string, visible: Visible): Session => {
  const { messages, notes, placeOf } = repairPairs(
    recording.messages.map(({ message }) => message),
    (index) => recording.messages[index]?.place ?? `message ${index + 1}`
  )
  const { system, tools } = recording
  return {
    id,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    messages,
    requests: recording.requests.map((each) => ({ ...withoutOwn(recording, each), at: placeOf(each.at) })),
    compactions: recording.compactions.map(({ at, head, keptFrom }) => ({
      at: placeOf(at),
      head,
      keptFrom: placeOf(keptFrom)
    })),
    ...(recording.requests.length === 0 ? {} : { visible }),
    notes: [...recording.notes, ...[...recording.counted].map(([sentence, times]) => `${times} ${sentence}`), ...notes]
  }
}
