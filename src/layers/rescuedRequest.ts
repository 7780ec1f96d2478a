import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Draft } from "../compaction/drafts.ts"
import { forRoute, type Policy } from "../compaction/Policy.ts"
import type { LearnedWindow } from "../compaction/learnedWindow.ts"
import { messagesBytes } from "../compaction/requestBytes.ts"
import { Refused, rescue } from "../compaction/rescue.ts"
import { routeFacts, type SessionState } from "../compaction/SessionState.ts"
import { closingStep } from "../compaction/turnRecords.ts"
import { errorRecord } from "../errors/errorRecord.ts"
import { RateLimited } from "../errors/ModelError.ts"
import type { LogWriteFailed } from "../errors/SessionError.ts"
import type { CompactService, Outcome } from "../services/CompactService.ts"
import type { ModelInfo, ModelRequest } from "../services/ModelAdapter.ts"
import type { Surface } from "../services/Surface.ts"
import type { TokenMeter } from "../services/TokenMeter.ts"
import * as Envelope from "../session/Envelope.ts"
import type { Message } from "../session/Message.ts"
import type { BodyOf } from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Usage from "../session/Usage.ts"
import { type AttemptEnd, attemptEnd, type Reading } from "./attemptEnd.ts"
import { commitAnswer } from "./commitAnswer.ts"
import { runCompaction } from "./runCompaction.ts"

/** The record of the envelope, where it changed. */
export const declareEnvelope =
  (envelope: Envelope.Envelope) =>
  (state: SessionState): ReadonlyArray<Draft> =>
    state.envelope !== undefined && state.envelope.key === Envelope.key(envelope)
      ? []
      : [{ type: "request/envelope", data: { envelope } }]

/** The name and text of what a cause holds, for a record. */
export const causeRecord = (cause: Cause.Cause<unknown>) => errorRecord(Cause.originalError(Cause.squash(cause)))

const isForBytes = ({ sign }: Refused<unknown, unknown>) => Option.isSome(sign) && sign.value.unit === "bytes"

type StepEnd = Omit<BodyOf<"step/end">["data"], "turn" | "step">

const endOf = ({ recorded, sign, usage }: AttemptEnd<unknown, unknown>): StepEnd => {
  const counted = Usage.isReported(usage) ? { usage } : {}
  if (Exit.isSuccess(recorded)) return { outcome: "completed", ...counted }
  const error = causeRecord(recorded.cause)
  if (Option.isSome(sign)) return { outcome: "refused", error, ...sign.value, ...counted }
  if (Cause.isInterrupted(recorded.cause)) return { outcome: "interrupted" }
  const failure = Option.getOrUndefined(Cause.failureOption(recorded.cause))
  // only a limit that this request alone goes over says anything of its size; others count requests, or the last minute
  const limit = failure instanceof RateLimited && failure.neverFits === true ? failure.limit : undefined
  return { outcome: "failed", error, ...(Number.isFinite(limit) ? { limit: limit! } : {}) }
}

/** How one request is sent, and what is done with its endings. */
export interface Send<A, E, R> extends Reading<A, E> {
  readonly send: (request: ModelRequest) => Effect.Effect<A, E, R>
  /** what the adapter knows of the route, where there is one */
  readonly info: Effect.Effect<Option.Option<ModelInfo>>
  /** told what an answer showed of the window, where its step is not kept open */
  readonly learned?: (learned: LearnedWindow) => Effect.Effect<void>
  /** leaves the step of an answered request open, for the tools that belong to it */
  readonly keepOpen: boolean
  /** what goes into the log with the end of a step that was not answered */
  readonly closing?: (refused: boolean) => ReadonlyArray<Draft>
  /** told when a refused step is closed, and of what a rescue did */
  readonly refused?: (step: number) => Effect.Effect<void>
  readonly compacted?: (outcome: Outcome) => Effect.Effect<void>
}

/**
 * Sends the surface's next request, and rescues it if it is refused (design section 11). The envelope is the one in the
 * log; pressure is the caller's.
 */
export const rescuedRequest = <A, E, R>(
  services: {
    readonly surface: typeof Surface.Service
    readonly meter: typeof TokenMeter.Service
    readonly compact: typeof CompactService.Service
  },
  policy: Policy,
  options: Send<A, E, R>
): Effect.Effect<A, E | LogWriteFailed, R> =>
  Effect.gen(function* () {
    const { compact, meter, surface } = services
    const before = yield* surface.state
    const current = before.envelope
    if (current === undefined) return yield* Effect.dieMessage("a request was sent before its envelope was recorded")
    if (before.surface.unanswered.length > 0) {
      const calls = before.surface.unanswered.map((call) => call.id).join(", ")
      return yield* Effect.dieMessage(
        `session "${surface.id}": no request is built while calls wait for results: ${calls}`
      )
    }

    const info = Option.getOrUndefined(yield* options.info)
    let sent: ReadonlyArray<Message> = []
    /** why a request would not be sent again, for the record */
    let reason = "no-progress"
    const attempt = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const opened = yield* surface.commit((state) => [
          // the session has no other request at a time: one that is open is one whose end could not be written
          ...closingStep(state, { outcome: "interrupted", settled: true }),
          {
            type: "step/start",
            data: { turn: state.openTurn ?? null, step: state.step + 1, generation: state.surface.generation }
          }
        ])
        const { generation, seq, step, turn } = opened.openStep!
        const request: ModelRequest = {
          id: `${surface.id}/${seq}`,
          generation,
          envelope: current.envelope,
          messages: SurfaceState.messages(opened.surface)
        }
        sent = request.messages
        const exit = yield* Effect.exit(restore(Effect.suspend(() => options.send(request))))
        const end = yield* attemptEnd(exit, options, {
          session: surface.id,
          meter,
          state: yield* surface.state,
          envelope: current,
          policy,
          info
        })
        const { givenUp, recorded, sign } = end
        const isAnswered = Exit.isSuccess(recorded)
        if (isAnswered && options.keepOpen) return recorded.value
        yield* commitAnswer(surface, {
          drafts: () => [
            ...(isAnswered ? [] : (options.closing?.(Option.isSome(sign)) ?? [])),
            { type: "step/end", data: { turn, step, ...endOf(end) } }
          ],
          info,
          learned: (_, learned) => options.learned?.(learned) ?? Effect.void
        })
        if (isAnswered) return recorded.value
        if (Option.isSome(sign) && options.refused !== undefined) yield* restore(options.refused(step))
        return yield* Effect.fail(new Refused(generation, sign, givenUp))
      })
    )

    /**
     * Nothing known excludes the next request: no stated limit that even its lower estimate exceeds, and after a refusal for
     * bytes it has fewer of them, since a replacement is only known to have fewer tokens.
     */
    const fits = (refused: Refused<E, A>) =>
      Effect.gen(function* () {
        const state = yield* surface.state
        const { limit } = routeFacts(state, current.routeKey)
        if (isForBytes(refused) && messagesBytes(SurfaceState.messages(state.surface)) >= messagesBytes(sent)) {
          reason = "not-smaller"
          return false
        }
        reason = "too-large"
        return limit === undefined || (yield* meter.measure()).lowerTokens <= limit
      })

    const climb = Effect.flatMap(runCompaction({ surface, compact }, policy, "context-overflow"), (outcome) => {
      // a backend that is not trusted may give anything for a reason
      reason =
        Option.isSome(outcome) && outcome.value._tag === "Declined" ? String(outcome.value.reason) : "no-progress"
      return Option.isSome(outcome) && options.compacted !== undefined ? options.compacted(outcome.value) : Effect.void
    })

    const decided = (refused: Refused<E, A>, retry: boolean, after: number) =>
      Effect.gen(function* () {
        const { refusal } = yield* surface.state
        const now = yield* meter.measure()
        yield* surface.commit((state) => [
          {
            type: "rescue/end",
            data: {
              turn: state.openTurn ?? null,
              step: state.step,
              outcome: retry ? "retry" : "declined",
              ...(retry ? {} : { reason }),
              generation: { before: refused.generation, after },
              tokens: { before: Math.round(refusal?.measured ?? 0), after: now.totalTokens }
            }
          }
        ])
        // the guard cannot fail: where the log cannot be written, the next attempt's step is refused by the log itself
      }).pipe(
        Effect.catchAllCause((cause) => Effect.logError(`session "${surface.id}": a rescue was not recorded`, cause))
      )

    const { maxOverflowRetries } = forRoute(policy, current.envelope.route)
    return yield* rescue<A, E, LogWriteFailed, R, never>({
      retries: {
        tokens: maxOverflowRetries - before.refusals,
        // one, and none where rescue is off
        bytes: Math.min(maxOverflowRetries, 1) - before.byteRefusals
      },
      attempt,
      generation: surface.generation,
      climb,
      fits,
      decided
    }).pipe(Effect.onExit(() => chainEnds(surface)))
  })

/** An application's own loop has no turn whose end would close a chain of refusals: giving up closes it, and so does an interruption. */
const chainEnds = (surface: typeof Surface.Service) =>
  surface
    .commit((state) =>
      state.openTurn !== undefined || state.refusals + state.byteRefusals === 0 || state.openStep !== undefined
        ? []
        : [
            {
              type: "rescue/end",
              data: {
                turn: null,
                step: state.step,
                outcome: "declined",
                reason: "no-attempt-left",
                generation: { before: state.surface.generation, after: state.surface.generation },
                tokens: {
                  before: Math.round(state.refusal?.measured ?? 0),
                  after: Math.round(state.refusal?.measured ?? 0)
                }
              }
            }
          ]
    )
    .pipe(Effect.catchAllCause((cause) => Effect.logError(`session "${surface.id}": a rescue was not recorded`, cause)))
