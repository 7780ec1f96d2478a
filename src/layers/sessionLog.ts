import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { applyAll } from "../compaction/SessionFold.ts"
import * as SessionState from "../compaction/SessionState.ts"
import type { TokenEstimator } from "../compaction/TokenEstimator.ts"
import { type OpenError, SessionCorrupt } from "../errors/SessionError.ts"
import type { Seq } from "../session/Ids.ts"
import * as outlinedEvents from "../session/outlinedEvents.ts"
import type { SessionEvent, SkippedEvent } from "../session/SessionEvent.ts"
import { type LogHandle, LogStore, type Replay } from "../services/LogStore.ts"

/** The events of a log from the batch that holds `from` on, batch by batch. */
export const read = (
  session: string,
  log: LogHandle,
  from: Seq
): Stream.Stream<ReadonlyArray<SessionEvent | SkippedEvent>, OpenError> =>
  Stream.mapEffect(log.read(from), ({ events, seq }) =>
    Either.mapLeft(outlinedEvents.decode(seq, events), (fault) => new SessionCorrupt({ session, ...fault }))
  )

/** The beginning of a copy is refused: what it would be read as never was. */
const wholeBranch = (
  session: string,
  state: SessionState.SessionState
): Effect.Effect<SessionState.SessionState, SessionCorrupt> => {
  const { parent, revision } = state
  if (parent === undefined || revision > parent.seq) return Effect.succeed(state)
  const reason = `it is a branch of session "${parent.session}" at seq ${parent.seq} whose copy was not finished: branch it there under this id again, which goes on with the copy`
  return Effect.fail(new SessionCorrupt({ session, seq: revision, reason }))
}

/** Opens a log and folds the whole of it: what the store does not give on the way is read. */
export const open = Effect.fnUntraced(function* (
  session: string,
  estimator: TokenEstimator
): Effect.fn.Return<
  { readonly log: LogHandle; readonly state: SessionState.SessionState },
  OpenError,
  LogStore | Scope.Scope
> {
  const store = yield* LogStore
  let state = SessionState.empty(estimator)
  const fold = (events: ReadonlyArray<outlinedEvents.OutlinedEvent>): Either.Either<void, outlinedEvents.Fault> => {
    const next = applyAll(state, events, estimator)
    if (Either.isLeft(next)) return Either.left({ seq: state.revision, reason: next.left.detail })
    state = next.right
    return Either.void
  }

  const replay = (): Replay => {
    state = SessionState.empty(estimator)
    return (batch) => Either.flatMap(outlinedEvents.make(batch), fold)
  }
  const log = yield* store.open(session, replay)
  yield* Stream.runForEach(read(session, log, state.revision), (events) =>
    Either.mapLeft(fold(events), (fault) => new SessionCorrupt({ session, ...fault }))
  )
  return { log, state: yield* wholeBranch(session, state) }
})
