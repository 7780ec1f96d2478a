import * as Either from "effect/Either"
import * as EventCodec from "./EventCodec.ts"
import type * as SessionEvent from "./SessionEvent.ts"

/** The JSON values of a batch, or why one has none. An event that is one already is not built anew. */
export const make = (
  events: ReadonlyArray<SessionEvent.SessionEvent>
): Either.Either<ReadonlyArray<unknown>, string> => {
  if (events.every(EventCodec.isPlain)) return Either.right(events)
  return Either.all(events.map(EventCodec.encode))
}
