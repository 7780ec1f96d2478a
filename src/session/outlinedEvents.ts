import * as Either from "effect/Either"
import * as EventCodec from "./EventCodec.ts"
import type { Seq } from "./Ids.ts"
import * as LogFrame from "./LogFrame.ts"
import type { Block } from "./Message.ts"
import * as Outline from "./Outline.ts"
import * as SessionEvent from "./SessionEvent.ts"
import * as UnreadMessage from "./UnreadMessage.ts"

/** An event of the log; `unread` are the texts that are missing in its message. */
export type OutlinedEvent = (SessionEvent.SessionEvent | SessionEvent.SkippedEvent) & {
  readonly unread?: UnreadMessage.Texts
}

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

const noBlocks: ReadonlyArray<Block> = []

/** The blocks of the message that an event puts on the surface: only there may texts be missing. */
const blocksOf = (event: OutlinedEvent): ReadonlyArray<Block> => {
  if (event.type === "message/tool-result") return event.data.content
  return event.type !== "skipped" && SessionEvent.isSurfaceBody(event) ? event.data.message.content : noBlocks
}

/**
 * Undefined where the outline does not say for sure what the batch is: where it is no JSON or no valid event, where an event is
 * not taken as it stands, or where something else than a text of a message was left out.
 */
const outlined = (
  { count, json, seq }: LogFrame.EncodedBatch,
  outlineOf: ReturnType<typeof Outline.maker>
): ReadonlyArray<OutlinedEvent> | undefined => {
  const outline = outlineOf(json)
  if (outline === undefined) return undefined
  const values = Either.getOrUndefined(LogFrame.parseEvents(outline.json, count))
  if (values === undefined) return undefined
  let next = 0
  for (let i = 0; i < values.length; i++) {
    const event = Either.getOrUndefined(decodeOne(values[i], seq + i))
    if (event === undefined || event !== values[i]) return undefined
    const texts = 2 * UnreadMessage.leftOut(blocksOf(event))
    if (texts > 0) {
      const unread: UnreadMessage.Texts = { bytes: json, places: outline.places, first: next }
      ;(event as { unread?: UnreadMessage.Texts }).unread = unread
      next += texts
    }
  }
  return next === outline.places.length ? (values as ReadonlyArray<OutlinedEvent>) : undefined
}

/**
 * Decodes batches one after the other, as far as a fold needs it: the long texts of their messages stay bytes. A batch that is
 * damaged is refused as if it had been decoded whole, with the same words.
 */
export const maker = (): ((batch: LogFrame.EncodedBatch) => Either.Either<ReadonlyArray<OutlinedEvent>, Fault>) => {
  const outlineOf = Outline.maker()
  return (batch) => {
    const events = outlined(batch, outlineOf)
    if (events !== undefined) return Either.right(events)
    const { count, json, seq } = batch
    return Either.flatMap(
      Either.mapLeft(LogFrame.decodeEvents(json, count), (reason): Fault => ({ seq, reason })),
      (values) => decode(seq, values)
    )
  }
}
