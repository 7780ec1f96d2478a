import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { applyAll } from "../compaction/SessionFold.ts"
import * as SessionState from "../compaction/SessionState.ts"
import type { TokenEstimator } from "../compaction/TokenEstimator.ts"
import { type OpenError, SessionCorrupt } from "../errors/SessionError.ts"
import * as EventCodec from "../session/EventCodec.ts"
import type { Seq } from "../session/Ids.ts"
import type { SessionEvent, SkippedEvent } from "../session/SessionEvent.ts"
import type { LogHandle } from "../services/LogStore.ts"

/** The events of a log from the batch that holds `from` on, batch by batch. */
export const read = (
  session: string,
  log: LogHandle,
  from: Seq
): Stream.Stream<ReadonlyArray<SessionEvent | SkippedEvent>, OpenError> =>
  Stream.mapEffect(log.read(from), (batch) => {
    const events: Array<SessionEvent | SkippedEvent> = []
    for (let i = 0; i < batch.events.length; i++) {
      const event = EventCodec.decode(batch.events[i])
      const seq = batch.seq + i
      if (Either.isLeft(event)) return Effect.fail(new SessionCorrupt({ session, seq, reason: event.left }))
      if (event.right.seq !== seq) {
        const reason = `the event says that it is seq ${event.right.seq}`
        return Effect.fail(new SessionCorrupt({ session, seq, reason }))
      }
      events.push(event.right)
    }
    return Effect.succeed(events)
  })

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

/** Folds a whole log. */
export const replay = (
  session: string,
  log: LogHandle,
  estimator: TokenEstimator
): Effect.Effect<SessionState.SessionState, OpenError> =>
  Stream.runFoldEffect(read(session, log, 0), SessionState.empty(estimator), (state, events) =>
    Either.match(applyAll(state, events, estimator), {
      onLeft: (violation) =>
        Effect.fail(new SessionCorrupt({ session, seq: state.revision, reason: violation.detail })),
      onRight: (next) => Effect.succeed(next)
    })
  ).pipe(Effect.flatMap((state) => wholeBranch(session, state)))
