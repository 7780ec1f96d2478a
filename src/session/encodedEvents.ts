import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import * as conforms from "./conforms.ts"
import * as EventCodec from "./EventCodec.ts"
import * as SessionEvent from "./SessionEvent.ts"

const plain: ReadonlyMap<string, (data: unknown) => boolean> = new Map(
  SessionEvent.Body.members.map((member) => [
    member.fields.type.literals[0],
    conforms.make(member.fields.data as Schema.Schema<unknown>)
  ])
)

const isPlain = ({ data, type }: SessionEvent.SessionEvent): boolean => plain.get(type)?.(data) === true

/** The JSON values of a batch, or why one has none. An event that is one already is not built anew. */
export const make = (
  events: ReadonlyArray<SessionEvent.SessionEvent>
): Either.Either<ReadonlyArray<unknown>, string> => {
  if (events.every(isPlain)) return Either.right(events)
  return Either.all(events.map(EventCodec.encode))
}
