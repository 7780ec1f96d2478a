/**
 * Replays one session of a transcript, and reports on it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { TokenEstimator } from "../../compaction/TokenEstimator.ts"
import type { OpenError } from "../../errors/SessionError.ts"
import type { Session } from "../../formats/Transcript.ts"
import { hidden } from "../hidden.ts"
import { LogStore } from "../../services/LogStore.ts"
import type { Envelope } from "../../session/Envelope.ts"
import type { Route } from "../../session/Route.ts"
import type { Counter } from "./counter.ts"
import { BadInput } from "../exitCode.ts"
import { figuresOf } from "./figures.ts"
import { isAtEnd, isSameConversation, placeIn, start } from "./place.ts"
import { play, type Played } from "./play.ts"
import { toolsOf } from "./player.ts"
import { faultsOf, type SessionReport, type Unfit } from "./report.ts"
import { isSame, reopen, type Reopened } from "./reopen.ts"
import type { Settings } from "./settings.ts"
import { stepsOf, tokensOf } from "./steps.ts"
import { record, type Recording } from "./turns.ts"
import { unfitOf } from "./unfit.ts"
import type { Happening } from "./watch.ts"

/**
 * What all sessions of one replay share. `store` is built anew for each use, so that reading a log back shares nothing
 * with writing it.
 *
 * @since 0.1.0
 * @category models
 */
export interface World {
  readonly settings: Settings
  readonly store: Layer.Layer<LogStore>
  readonly counter: Counter
  readonly estimator: TokenEstimator
  readonly watch: (session: string, happening: Happening) => Effect.Effect<void>
  readonly answered: (more: number) => void
}

/**
 * What a session's requests carry beside its messages.
 *
 * @since 0.1.0
 * @category getters
 */
export const envelopeOf = (session: Session, route: Route): Envelope => {
  const tools = toolsOf(session)
  return {
    route,
    ...(session.system === undefined ? {} : { system: session.system }),
    ...(tools.length === 0 ? {} : { tools })
  }
}

const notesOf = (session: Session, { madeUp, silent }: Recording): ReadonlyArray<string> => [
  ...session.notes,
  ...hidden(session),
  ...(madeUp === 0 ? [] : [`${madeUp} turns begin without words of a user; "Go on." was sent in their place`]),
  ...(silent === 0 ? [] : [`${silent} assistant messages hold neither text nor calls and were left out`])
]

/** What the provider recorded of this run and what the log says of it must be the same requests. */
const disagreement = (world: World, before: Reopened | undefined, after: Reopened, played: Played | undefined) => {
  if (played?.requests === undefined) return []
  const seen = played.requests.filter((request) => request.kind === "conversation")
  const earlier = before === undefined ? 0 : stepsOf(before.events, world.counter).length
  const steps = stepsOf(after.events, world.counter).slice(earlier)
  const differs =
    seen.length !== steps.length ||
    steps.some((step, i) => step.tokens !== undefined && step.tokens !== seen[i]?.inputTokens)
  return differs ? ["the provider's own record and the log do not tell the same of its requests"] : []
}

/**
 * A session whose system prompt and tools do not fit: nothing was sent and nothing written.
 *
 * @since 0.1.0
 * @category constructors
 */
export const tooLarge = (session: Session, tokens: number, world: World): SessionReport => {
  const recording = record(session.messages)
  const unfit: Unfit = {
    session: session.id,
    what: "envelope-too-large",
    tokens,
    window: world.settings.window,
    turn: null,
    skipped: recording.answers,
    detail: "system prompt and tools alone do not fit, so that nothing was sent"
  }
  return {
    session: session.id,
    series: [],
    ...figuresOf([], world.counter, world.estimator),
    recorded: recording.answers,
    skipped: recording.answers,
    resumed: false,
    replayVerified: true,
    unfit: [unfit],
    failures: [],
    notes: notesOf(session, recording)
  }
}

/**
 * Plays the session from where its log has come to, closes it, reads the log back, and compares.
 *
 * @since 0.1.0
 * @category constructors
 */
export const replaySession: (session: Session, world: World) => Effect.Effect<SessionReport, BadInput | OpenError> =
  Effect.fnUntraced(function* (session, world) {
    const { counter, estimator, settings, store, watch } = world
    const { id } = session
    const recording = record(session.messages)
    const exists = yield* LogStore.pipe(
      Effect.flatMap((logs) => logs.exists(id)),
      Effect.provide(store)
    )
    const before = exists ? yield* reopen(id, store, estimator) : undefined
    if (before !== undefined && !isSameConversation(recording, before.events)) {
      return yield* new BadInput({
        message: `the log of session "${id}" in ${settings.directory} holds another conversation, and is not gone on with`
      })
    }
    const place = before === undefined ? start : placeIn(recording, before.events)
    const played =
      before !== undefined && isAtEnd(recording, place)
        ? undefined
        : yield* play({
            id,
            recording,
            place,
            envelope: envelopeOf(session, settings.route),
            settings,
            store,
            watch: (happening) => watch(id, happening),
            answered: world.answered
          })
    const after = yield* reopen(id, store, estimator)
    const live = played?.live ?? before?.state
    const { givenUp } = placeIn(recording, after.events)
    const report = {
      session: id,
      series: stepsOf(after.events, counter).map((step) => ({
        tokens: tokensOf(step),
        generation: step.generation,
        outcome: step.outcome
      })),
      ...figuresOf(after.events, counter, estimator),
      recorded: recording.answers,
      skipped: givenUp.reduce((sum, { skipped }) => sum + skipped, 0),
      resumed: before !== undefined,
      replayVerified: live !== undefined && isSame(live, after.state, estimator),
      unfit: unfitOf(id, after.events, givenUp, settings, estimator),
      notes: notesOf(session, recording)
    }
    const answersAreRecorded = settings.provider.name === "simulated" && played?.failure === undefined
    return {
      ...report,
      failures: [
        ...(played?.failure === undefined ? [] : [played.failure]),
        ...faultsOf(report, { answersAreRecorded }),
        ...disagreement(world, before, after, played)
      ]
    }
  })
