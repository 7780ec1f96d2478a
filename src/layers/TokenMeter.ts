/**
 * How large the next request is.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { currentEnvelope, measure as measureState } from "../compaction/measure.ts"
import * as Meter from "../compaction/Meter.ts"
import * as SessionState from "../compaction/SessionState.ts"
import { tokens } from "../compaction/TokenEstimator.ts"
import { Surface } from "../services/Surface.ts"
import * as Usage from "../session/Usage.ts"
import { TokenEstimator } from "../services/TokenEstimator.ts"
import { type Measurement, TokenMeter } from "../services/TokenMeter.ts"
import { commitAnswer } from "./commitAnswer.ts"

export { type Measurement, TokenMeter } from "../services/TokenMeter.ts"

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.gen(function* () {
  const surface = yield* Surface
  const estimator = yield* TokenEstimator
  // several look at one state: the loop, its pressure check, who shows it to people
  let measured: SessionState.SessionState | undefined
  let latest: Measurement | undefined
  const measureNow = Effect.sync(() => {
    const state = surface.unsafeState()
    if (latest !== undefined && measured === state) return latest
    measured = state
    return (latest = measureState(state, estimator))
  })
  return TokenMeter.of({
    measure: (envelope) =>
      envelope === undefined
        ? measureNow
        : Effect.map(surface.state, (state) => measureState(state, estimator, currentEnvelope(envelope, estimator))),
    price: (message) =>
      Effect.map(
        surface.state,
        (state) =>
          tokens(estimator.message(message, SessionState.routeOf(state)), SessionState.weights(state, estimator)) *
          Meter.density(state.meter, state.envelope?.routeKey ?? "")
      ),
    report: (generation, reported) =>
      Effect.asVoid(
        commitAnswer(surface, {
          info: undefined,
          drafts: (state) => {
            const usage = Usage.sound(reported)
            if (usage === undefined || state.surface.generation !== generation || state.openStep !== undefined)
              return []
            const step = { turn: state.openTurn ?? null, step: state.step + 1 }
            return [
              { type: "step/start", data: { ...step, generation } },
              { type: "step/end", data: { ...step, outcome: "completed", usage } }
            ]
          }
        }).pipe(Effect.provideService(TokenEstimator, estimator))
      )
  })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<TokenMeter, never, Surface> = Layer.effect(TokenMeter, make)

/**
 * The size of the session's next request.
 *
 * @since 0.1.0
 * @category accessors
 */
export const measure: Effect.Effect<Measurement, never, TokenMeter> = Effect.flatMap(TokenMeter, (meter) =>
  meter.measure()
)
