/**
 * Reads a session's log anew, with nothing left of the process that wrote it but the files.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { measure } from "../../compaction/measure.ts"
import * as Meter from "../../compaction/Meter.ts"
import { applyAll } from "../../compaction/SessionFold.ts"
import * as SessionState from "../../compaction/SessionState.ts"
import type { TokenEstimator } from "../../compaction/TokenEstimator.ts"
import { type OpenError, SessionCorrupt } from "../../errors/SessionError.ts"
import * as sessionLog from "../../layers/sessionLog.ts"
import { LogStore } from "../../services/LogStore.ts"
import * as CanonicalJson from "../../session/CanonicalJson.ts"
import type { SessionEvent, SkippedEvent } from "../../session/SessionEvent.ts"
import * as SurfaceState from "../../session/SurfaceState.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Reopened {
  readonly events: ReadonlyArray<SessionEvent | SkippedEvent>
  readonly state: SessionState.SessionState
}

/**
 * Opens the log in a store of its own and folds it; writes nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const reopen = (
  session: string,
  store: Layer.Layer<LogStore>,
  estimator: TokenEstimator
): Effect.Effect<Reopened, OpenError> =>
  Effect.gen(function* () {
    const log = yield* Effect.flatMap(LogStore, ({ open }) => open(session))
    const batches = Chunk.toReadonlyArray(yield* Stream.runCollect(sessionLog.read(session, log, 0)))
    let state = SessionState.empty(estimator)
    for (const events of batches) {
      const next = applyAll(state, events, estimator)
      if (Either.isLeft(next)) {
        return yield* new SessionCorrupt({ session, seq: state.revision, reason: next.left.detail })
      }
      state = next.right
    }
    return { events: batches.flat(), state }
  }).pipe(Effect.scoped, Effect.provide(store))

/** What must come out the same: messages and places, generation, prices, and what the meter says of it all. */
const fingerprint = (state: SessionState.SessionState, estimator: TokenEstimator): string => {
  const weights = SessionState.weights(state, estimator)
  const routeKey = state.envelope?.routeKey ?? ""
  const { surface: _surface, ...measurement } = measure(state, estimator)
  return CanonicalJson.encode({
    generation: state.surface.generation,
    envelope: state.envelope?.key ?? null,
    nodes: SurfaceState.nodes(state.surface).map((node) => ({
      seq: node.seq,
      source: node.source,
      message: node.message,
      price: Meter.price(state.meter, node, weights, routeKey)
    })),
    measurement
  })
}

/**
 * Whether a log folds to what the session was when it closed.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isSame = (
  live: SessionState.SessionState,
  replayed: SessionState.SessionState,
  estimator: TokenEstimator
): boolean => fingerprint(live, estimator) === fingerprint(replayed, estimator)
