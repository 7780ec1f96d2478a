// What a decoder gathers on its way through a file: messages as they stand there, requests with their usage, compactions.
import type { ToolSchema } from "../../session/Envelope.ts"
import type * as Message from "../../session/Message.ts"
import type { Usage } from "../../session/Usage.ts"
import type { DecodeOptions, Keep } from "../Format.ts"
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
  readonly keep: Keep | undefined
  readonly messages: Array<Placed>
  /** `at` is the place in `messages` */
  readonly requests: Array<Request>
  readonly compactions: Array<Compacted>
  readonly notes: Array<string>
  /** for each remark how often it was made */
  readonly remarks: Map<string, number>
  /** things that occur often and are told once, with their number */
  readonly counted: Map<string, number>
  system?: string
  tools?: ReadonlyArray<ToolSchema>
}

export const make = ({ keep }: DecodeOptions = {}): Recording => ({
  keep,
  messages: [],
  requests: [],
  compactions: [],
  notes: [],
  remarks: new Map(),
  counted: new Map()
})

export const kept = ({ keep }: Pick<Recording, "keep">, message: Message.Message, place?: string): Message.Message =>
  keep === undefined
    ? message
    : { ...message, content: message.content.map((block) => keep(block, message.role, place)) }

export const say = (recording: Recording, message: Message.Message, place: string): number =>
  recording.messages.push({ message: kept(recording, message, place), place }) - 1

/** More of a message that was said already: an answer may be spread over several records. */
export const grow = (recording: Recording, at: number, content: ReadonlyArray<Message.Block>): void => {
  const placed = recording.messages[at]
  if (placed === undefined) return
  const { message } = placed
  const more = kept(recording, { role: message.role, content }, placed.place).content
  placed.message = { ...message, content: [...message.content, ...more] }
}

/** A file may be odd in one way on each of its lines. */
const remarksTold = 10

export const remark = (recording: Recording, place: string, sentence: string): void => {
  const times = (recording.remarks.get(sentence) ?? 0) + 1
  recording.remarks.set(sentence, times)
  if (times <= remarksTold) recording.notes.push(`${place}: ${sentence}`)
}

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

/** The model sees `head`, of which nothing was said before, then what was said from `keptFrom` on. */
export const compacted = (
  recording: Recording,
  head: ReadonlyArray<Message.Message>,
  keptFrom = recording.messages.length
): void =>
  seenAs(
    recording,
    head.map((message) => kept(recording, message)),
    keptFrom
  )

/** The same with a head of messages as they were kept. Several in a row, with nothing said in between, are one. */
export const seenAs = (
  { compactions, messages }: Recording,
  head: ReadonlyArray<Message.Message>,
  keptFrom = messages.length
): void => {
  const at = messages.length
  if (compactions.at(-1)?.at === at) compactions.pop()
  compactions.push({ at, head, keptFrom })
}

/** A message that the model sees, as it was kept, and where it was said, if it was. */
export interface Seen {
  readonly message: Message.Message
  readonly index: number | undefined
}

/** From here on the model sees these: messages that were said in one go up to here are told by where they begin. */
export const seenNow = (recording: Recording, seen: ReadonlyArray<Seen>): void => {
  let keptFrom = recording.messages.length
  let heads = seen.length
  while (heads > 0 && seen[heads - 1]?.index === keptFrom - 1) {
    heads--
    keptFrom--
  }
  seenAs(
    recording,
    seen.slice(0, heads).map(({ message }) => message),
    keptFrom
  )
}

/**
 * What the model saw last, with the requests since the newest compaction. Pairs are made whole behind it: what stands
 * before a compaction must not answer calls that stand behind it.
 */
export const lastSeen = (recording: Recording): Recording => {
  const newest = recording.compactions.at(-1)
  if (newest === undefined) return recording
  const { at, head, keptFrom } = newest
  return {
    ...recording,
    messages: [
      ...head.map((message) => ({ message, place: recording.messages[at - 1]?.place ?? "the compaction" })),
      ...recording.messages.slice(keptFrom)
    ],
    requests: recording.requests
      .filter((request) => request.at >= at)
      .map((request) => ({ ...request, at: request.at - keptFrom + head.length })),
    compactions: []
  }
}

/** A request says its system prompt and tools only where they are others than those of the session's end. */
const withoutOwn = (recording: Recording, request: Request): Request => {
  if (request.system === undefined && request.tools === undefined) return request
  const { system, tools, ...rest } = request
  return {
    ...rest,
    ...(system === undefined || system === recording.system ? {} : { system }),
    ...(tools === undefined || tools === recording.tools ? {} : { tools })
  }
}

const movedTo = (request: Request, at: number): Request => (request.at === at ? request : { ...request, at })

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
    requests: recording.requests.map((each) => movedTo(withoutOwn(recording, each), placeOf(each.at))),
    compactions: recording.compactions.map(({ at, head, keptFrom }) => ({
      at: placeOf(at),
      head,
      keptFrom: placeOf(keptFrom)
    })),
    ...(recording.requests.length === 0 ? {} : { visible }),
    notes: [
      ...recording.notes,
      ...[...recording.remarks].flatMap(([sentence, times]) =>
        times > remarksTold ? [`${times - remarksTold} more places: ${sentence}`] : []
      ),
      ...[...recording.counted].map(([sentence, times]) => `${times} ${sentence}`),
      ...notes
    ]
  }
}
