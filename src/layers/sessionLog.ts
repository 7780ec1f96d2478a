import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { applyAll } from "../compaction/SessionFold.ts"
import * as SessionState from "../compaction/SessionState.ts"
import type { TokenEstimator } from "../compaction/TokenEstimator.ts"
import { type OpenError, SessionCorrupt } from "../errors/SessionError.ts"
import type { Seq } from "../session/Ids.ts"
import * as outlinedEvents from "../session/outlinedEvents.ts"
import type { SessionEvent, SkippedEvent } from "../session/SessionEvent.ts"
import { type LogHandle, LogStore, type Replay } from "../services/LogStore.ts"
import { boundedClose, closeLimit } from "./bounded.ts"

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
  const unfinished = SessionState.unfinishedBranch(state)
  if (unfinished === undefined) return Effect.succeed(state)
  const reason = `${unfinished}: branch it there under this id again, which goes on with the copy`
  return Effect.fail(new SessionCorrupt({ session, seq: state.revision, reason }))
}

/** A store whose close hangs holds up neither the end of its session nor that of the application. */
const closedInTime = <A, E, R>(session: string, open: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Scope.Scope> =>
  Effect.flatMap(
    Effect.acquireRelease(Scope.make(), (scope, exit) =>
      Effect.flatMap(boundedClose(Scope.close(scope, exit), closeLimit), (closed) =>
        closed
          ? Effect.void
          : Effect.logWarning(
              `session "${session}": its store did not close the log in time: its lock may not be given back`
            )
      )
    ),
    (scope) => Effect.mapInputContext(open, (context: Context.Context<R>) => Context.add(context, Scope.Scope, scope))
  )

/** Opens a log and folds the whole of it, which is read where the store did not give it on the way. */
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

  const replay: Replay = (batch) => {
    // a store may have to begin again
    if (batch.seq === 0) state = SessionState.empty(estimator)
    return Either.flatMap(outlinedEvents.make(batch), fold)
  }
  const log = yield* closedInTime(session, store.open(session, replay))
  if (state.revision === 0) {
    yield* Stream.runForEach(read(session, log, 0), (events) =>
      Either.mapLeft(fold(events), (fault) => new SessionCorrupt({ session, ...fault }))
    )
  }
  return { log, state: yield* wholeBranch(session, state) }
})
