/**
 * Plays what is left of a recording through one session.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { appending } from "../../compaction/drafts.ts"
import type { SessionState } from "../../compaction/SessionState.ts"
import { AgentLoop, type TurnEvent } from "../../layers/AgentLoop.ts"
import { Surface } from "../../layers/Surface.ts"
import type { LogStore } from "../../services/LogStore.ts"
import type { Envelope } from "../../session/Envelope.ts"
import type { Message } from "../../session/Message.ts"
import type { RecordedRequest } from "../../testing/SimulatedProvider.ts"
import type { Place } from "./place.ts"
import * as Player from "./player.ts"
import { connect } from "./connect.ts"
import * as SessionLayer from "./sessionLayer.ts"
import type { Settings } from "./settings.ts"
import { goOn, isContext, type Recording, type Turn } from "./turns.ts"
import type { Happening } from "./watch.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Play {
  readonly id: string
  readonly recording: Recording
  readonly place: Place
  readonly envelope: Envelope
  readonly settings: Settings
  readonly store: Layer.Layer<LogStore>
  readonly watch: (happening: Happening) => Effect.Effect<void>
  /** told how many answers there are more, or fewer where a step was discarded */
  readonly answered: (more: number) => void
}

/**
 * The session as it was when it closed, the provider's own record of this run, and why it stopped early, if it did.
 *
 * @since 0.1.0
 * @category models
 */
export interface Played {
  readonly live: SessionState
  readonly requests: ReadonlyArray<RecordedRequest> | undefined
  readonly failure: string | undefined
}

/** A model that speaks for itself may take another way than the recording, but not for ever. */
const mostSteps = (turn: Turn): number => Math.max(20, turn.answers.length * 2)

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.originalError(Cause.squash(cause))
  return error instanceof Error ? error.message : String(error)
}

/** A turn that did not fit is a finding of the replay, and the session goes on with its next turn. */
const isUnfit = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.originalError(Cause.squash(cause))
  return typeof error === "object" && error !== null && "_tag" in error && error._tag === "ContextWindowExceeded"
}

/**
 * Plays turn after turn from `place` on, and closes the session.
 *
 * @since 0.1.0
 * @category constructors
 */
export const play = Effect.fnUntraced(function* (options: Play) {
  const { answered, envelope, id, place, recording, settings, store, watch } = options
  const player = Player.make(settings.provider.name === "simulated" ? {} : { mostSteps })
  const provider = yield* connect(settings, player)
  let over = yield* Deferred.make<void>()
  let join: (message: Message) => Effect.Effect<void> = () => Effect.void
  const context = yield* Layer.build(
    SessionLayer.layer({
      id,
      envelope,
      policy: settings.policy,
      player,
      adapter: provider.adapter,
      store,
      watch,
      inject: (message) => join(message),
      over: Effect.suspend(() => Effect.zipRight(Deferred.succeed(over, undefined), Effect.never))
    })
  )
  const surface = Context.get(context, Surface)
  const loop = Context.get(context, AgentLoop)
  join = (message) => Effect.orDie(loop.inject(message))

  const append = (messages: ReadonlyArray<Message>) =>
    surface.commit((state) =>
      messages.flatMap((message) =>
        appending(state.surface.unanswered, [message], isContext(message) ? "context" : "prompt")
      )
    )

  const tell = (event: TurnEvent) => {
    if (event._tag === "StepStarted") answered(1)
    if (event._tag === "StepDiscarded") answered(-1)
  }

  let failure: string | undefined
  for (const [index, turn] of recording.turns.entries()) {
    if (index < place.turn) continue
    const isTakenUp = index === place.turn && place.begun
    player.begin(turn, index === place.turn ? place.answered : 0)
    if (!isTakenUp) yield* append(turn.before.slice(index === place.turn ? place.outside : 0))
    over = yield* Deferred.make<void>()
    const exit = yield* Stream.runForEach(loop.prompt(isTakenUp ? goOn : turn.prompt), (event) =>
      Effect.sync(() => tell(event))
    ).pipe(Effect.raceFirst(Deferred.await(over)), Effect.exit)
    if (Exit.isSuccess(exit) || isUnfit(exit.cause)) continue
    if (Cause.isInterruptedOnly(exit.cause)) return yield* Effect.interrupt
    failure = `turn ${index + 1}: ${messageOf(exit.cause)}`
    break
  }
  if (failure === undefined) {
    const done = place.turn >= recording.turns.length ? place.outside : 0
    yield* append(recording.rest.slice(done))
  }
  return { live: yield* surface.state, requests: yield* provider.requests, failure } satisfies Played
}, Effect.scoped)
