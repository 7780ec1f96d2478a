import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { forRoute, type Policy } from "../compaction/Policy.ts"
import type { OverflowSign } from "../compaction/rescue.ts"
import * as RouteFacts from "../compaction/RouteFacts.ts"
import { routeFacts, type SessionState } from "../compaction/SessionState.ts"
import { aboveStated, type Answered, isFull, stoppedAtEdge } from "../compaction/silentOverflow.ts"
import { ContextWindowExceeded } from "../errors/ModelError.ts"
import type { ModelInfo } from "../services/ModelAdapter.ts"
import type { TokenMeter } from "../services/TokenMeter.ts"
import type { Envelope } from "../session/Envelope.ts"
import * as Usage from "../session/Usage.ts"

/** How the endings of an attempt are read, and what an answer becomes that is an overflow and is not sent again. */
export interface Reading<A, E> {
  readonly overflow: (error: E) => Option.Option<OverflowSign>
  /** an error that does not say so, but may be an overflow if its request filled the window */
  readonly mayBeOverflow: (error: E) => boolean
  readonly answered: (answer: A) => Answered
  readonly givenUp: (answer: A, overflow: ContextWindowExceeded) => Exit.Exit<A, E>
}

/** How an attempt ended, as far as its session is concerned. */
export interface AttemptEnd<A, E> {
  readonly sign: Option.Option<OverflowSign>
  readonly usage: Usage.Usage | undefined
  /** what comes out if it is not sent again; `recorded` is what the log says of it */
  readonly givenUp: Exit.Exit<A, E>
  readonly recorded: Exit.Exit<A, E | ContextWindowExceeded>
}

/** A caller's look at an answer or an error may throw or say what is no figure. Neither may cost the answer or the error (I4). */
const looked = <A>(session: string, look: () => A, otherwise: A): Effect.Effect<A> =>
  Effect.catchAllCause(Effect.sync(look), (cause) =>
    Effect.as(
      Effect.logWarning(`session "${session}": a function that reads answers or errors threw`, cause),
      otherwise
    )
  )

const figures = ({ limit, limitCounts, requested, unit }: OverflowSign): OverflowSign =>
  unit === "bytes"
    ? { unit }
    : {
        ...(Number.isFinite(limit) ? { limit: limit! } : {}),
        ...(limitCounts === undefined ? {} : { limitCounts }),
        ...(Number.isFinite(requested) ? { requested: requested! } : {})
      }

const soundly = (answered: Answered): Answered => ({ ...answered, usage: Usage.sound(answered.usage) })

interface Context {
  readonly session: string
  readonly meter: typeof TokenMeter.Service
  /** now that the attempt has ended */
  readonly state: SessionState
  readonly envelope: { readonly envelope: Envelope; readonly routeKey: string }
  readonly policy: Policy
  /** what the adapter knows of the route */
  readonly info: ModelInfo | undefined
}

/** An answer is thrown away only if it can be asked for again. */
const mayAskAgain = ({ envelope, policy, state }: Context): boolean => {
  const { auto, maxOverflowRetries } = forRoute(policy, envelope.envelope.route)
  return auto.contextOverflow && state.refusals < maxOverflowRetries
}

const ofAnswer = (answered: Answered, context: Context): ContextWindowExceeded | undefined => {
  if (!mayAskAgain(context)) return undefined
  const { envelope, info, state } = context
  const { maxOutputTokens, route } = envelope.envelope
  const facts = routeFacts(state, envelope.routeKey)
  const stated = RouteFacts.windowOf(facts, info?.source === "discovered" ? info.window : undefined)
  const above = aboveStated(answered, stated)
  if (above !== undefined) {
    const detail = "the answer is to more input than the window that the provider stated itself"
    return new ContextWindowExceeded({ route, detail, ...above })
  }
  const window = RouteFacts.windowOf(facts, info?.window)
  const stopped = stoppedAtEdge(answered, { window, maxOutputTokens })
  if (stopped === undefined) return undefined
  const detail = "the answer stopped for its length at the window's edge, before any output"
  return new ContextWindowExceeded({ route, detail, ...stopped })
}

/** Reads how an attempt ended: answered, refused in words or without, or failed. */
export const attemptEnd = <A, E>(
  exit: Exit.Exit<A, E>,
  reading: Reading<A, E>,
  context: Context
): Effect.Effect<AttemptEnd<A, E>> =>
  Effect.gen(function* () {
    const { envelope, info, meter, session, state } = context
    if (Exit.isSuccess(exit)) {
      const answered = yield* looked<Answered>(session, () => soundly(reading.answered(exit.value)), {
        usage: undefined
      })
      const { usage } = answered
      const overflow = ofAnswer(answered, context)
      return overflow === undefined
        ? { sign: Option.none(), usage, givenUp: exit, recorded: exit }
        : {
            sign: Option.some(figures(overflow)),
            usage,
            givenUp: reading.givenUp(exit.value, overflow),
            recorded: Exit.fail(overflow)
          }
    }
    const end = { usage: undefined, givenUp: exit, recorded: exit }
    const failure = Option.map(Cause.failureOption(exit.cause), Cause.originalError)
    if (Option.isNone(failure)) return { sign: Option.none(), ...end }
    const said = yield* looked(session, () => Option.map(reading.overflow(failure.value), figures), Option.none())
    const hides = yield* looked(session, () => reading.mayBeOverflow(failure.value), false)
    const window = RouteFacts.windowOf(routeFacts(state, envelope.routeKey), info?.window)
    return hides && isFull((yield* meter.measure()).upperTokens, window)
      ? { sign: Option.some({}), ...end }
      : { sign: said, ...end }
  })
