import * as Either from "effect/Either"
import * as EventCodec from "./EventCodec.ts"
import type { Seq } from "./Ids.ts"
import * as JsonBytes from "./JsonBytes.ts"
import * as jsonValues from "./jsonValues.ts"
import * as LogFrame from "./LogFrame.ts"
import * as messageEvents from "./messageEvents.ts"
import type * as SessionEvent from "./SessionEvent.ts"
import type { Unread } from "./HeldMessage.ts"

/** An event of the log; `unread` is what is missing in its message. */
export type OutlinedEvent = (SessionEvent.SessionEvent | SessionEvent.SkippedEvent) & { readonly unread?: Unread }

/** Why a batch is refused; `seq` is that of the event. */
export interface Fault {
  readonly seq: Seq
  readonly reason: string
}

const decodeOne = (value: unknown, seq: Seq): Either.Either<OutlinedEvent, Fault> => {
  const event = EventCodec.decode(value)
  if (Either.isLeft(event)) return Either.left({ seq, reason: event.left })
  return event.right.seq === seq
    ? Either.right(event.right)
    : Either.left({ seq, reason: `the event says that it is seq ${event.right.seq}` })
}

/** The events of a batch, decoded, or what is wrong with one of them. */
export const decode = (
  seq: Seq,
  values: ReadonlyArray<unknown>
): Either.Either<ReadonlyArray<OutlinedEvent>, Fault> => {
  const events: Array<OutlinedEvent> = []
  for (let i = 0; i < values.length; i++) {
    const event = decodeOne(values[i], seq + i)
    if (Either.isLeft(event)) return Either.left(event.left)
    events.push(event.right)
  }
  return Either.right(events)
}

const comma = 44
const bracket = 93

/** Undefined where one of them is not surely an event. */
const outlined = ({ count, json, seq }: LogFrame.EncodedBatch): ReadonlyArray<OutlinedEvent> | undefined => {
  const source = JsonBytes.make(json)
  const events: Array<OutlinedEvent> = []
  let at = 0
  if (json[0] !== 91) return undefined
  while (events.length < count) {
    const next = seq + events.length
    const message = messageEvents.read(source, at + 1, next)
    if (message !== undefined) {
      events.push(message.event)
      at = message.end
    } else {
      const end = JsonBytes.valueEnd(source, at + 1)
      if (end === -1) return undefined
      const event = decodeOne(jsonValues.parse(source, at + 1, end), next)
      if (Either.isLeft(event)) return undefined
      events.push(event.right)
      at = end
    }
    if (json[at] !== (events.length === count ? bracket : comma)) return undefined
  }
  return at === json.length - 1 ? events : undefined
}

/**
 * The events of a batch as far as a fold needs them: their messages stay bytes. A batch that is damaged is refused as if it had
 * been decoded whole, with the same words.
 */
export const make = (batch: LogFrame.EncodedBatch): Either.Either<ReadonlyArray<OutlinedEvent>, Fault> => {
  const events = outlined(batch)
  if (events !== undefined) return Either.right(events)
  const { count, json, seq } = batch
  return Either.flatMap(
    Either.mapLeft(LogFrame.decodeEvents(json, count), (reason): Fault => ({ seq, reason })),
    (values) => decode(seq, values)
  )
}
