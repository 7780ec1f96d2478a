import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { InvalidBranch, LogWriteFailed, type OpenError, SessionCorrupt } from "../errors/SessionError.ts"
import type { LogHandle, LogStore } from "../services/LogStore.ts"
import type { Surface } from "../services/Surface.ts"
import * as EventCodec from "../session/EventCodec.ts"
import type { Seq, SessionId } from "../session/Ids.ts"
import * as SessionEvent from "../session/SessionEvent.ts"
import { boundedWrites, writeLimit } from "./bounded.ts"

/** A batch of the copy holds about so many characters: what is smaller is copied whole or not at all. */
const pieceLength = 2 ** 20

/** The first event of the log, if it has one. */
const firstEvent = (log: LogHandle) =>
  Effect.map(Stream.runHead(log.read(0)), (batch) =>
    Option.flatMap(batch, ({ events }) => Either.getRight(EventCodec.decode(events[0])))
  )

const isCopyOf = (event: SessionEvent.SessionEvent | SessionEvent.SkippedEvent, parent: SessionEvent.Parent): boolean =>
  event.type === "session/opened" &&
  event.data.parent?.session === parent.session &&
  event.data.parent.seq === parent.seq

/** How far an earlier attempt at this very branch came; undefined: the log is something else, or a whole session. */
const copied = Effect.fnUntraced(function* (log: LogHandle, parent: SessionEvent.Parent) {
  const first = yield* firstEvent(log)
  if (Option.isNone(first)) return 0
  if (!isCopyOf(first.value, parent)) return undefined
  const next = yield* Stream.runFold(log.read(0), 0, (_, { events, seq }) => seq + events.length)
  return next > parent.seq ? undefined : next
})

/** The parent's events from `from` to `to`, in pieces. */
const pieces = (parent: typeof Surface.Service, from: Seq, to: Seq) =>
  parent.batches(from).pipe(
    Stream.takeWhile(({ seq }) => seq <= to),
    Stream.map(({ events, seq }) => events.slice(Math.max(from - seq, 0), to + 1 - seq)),
    Stream.transduce(
      Sink.foldWeighted({
        initial: [] as ReadonlyArray<unknown>,
        maxCost: pieceLength,
        cost: (_, events) => JSON.stringify(events).length,
        body: (piece, events) => [...piece, ...events]
      })
    ),
    Stream.filter((piece) => piece.length > 0)
  )

/**
 * Copies the log of `parent` up to and with `at` into that of `as`, at the same places. The first event says what the whole
 * is, so that a copy that was cut off is refused as a session, and gone on with by the same call.
 */
export const copyLog = Effect.fnUntraced(function* (
  store: typeof LogStore.Service,
  parent: typeof Surface.Service,
  options: { readonly at: Seq; readonly as: SessionId }
): Effect.fn.Return<void, InvalidBranch | OpenError, Scope.Scope> {
  const { as, at } = options
  const origin: SessionEvent.Parent = { session: parent.id, seq: at }
  const log = yield* store.open(as)
  const from = yield* copied(log, origin)
  if (from === undefined) {
    const detail = `there is something under the id "${as}" already`
    return yield* new InvalidBranch({ session: parent.id, as, reason: "exists", detail })
  }
  const time = yield* Clock.currentTimeMillis
  const opened = Either.getOrThrow(
    EventCodec.encode({
      type: "session/opened",
      seq: 0,
      time,
      data: { formatVersion: SessionEvent.formatVersion, session: as, writer: log.writer, parent: origin }
    })
  )
  const write = yield* boundedWrites(writeLimit)
  const next = yield* Stream.runFoldEffect(pieces(parent, from, at), from, (seq, piece) => {
    const events = seq === 0 ? [opened, ...piece.slice(1)] : piece
    const inDoubt = () =>
      new LogWriteFailed({ session: as, seq, written: "unknown", detail: "the store did not answer in time" })
    return Effect.as(write(log.append({ seq, events }, { sync: true }), inDoubt), seq + events.length)
  })
  if (next <= at) {
    const reason = `its log holds nothing there, and seq ${at} was read from it before`
    return yield* new SessionCorrupt({ session: parent.id, seq: next, reason })
  }
})
