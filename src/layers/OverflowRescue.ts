/**
 * One request, with pressure before it and rescue around it, for any client: `examples/own-loop.ts`.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import type * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { LearnedWindow } from "../compaction/learnedWindow.ts"
import type { OverflowSign } from "../compaction/rescue.ts"
import { type LogWriteFailed, SessionBusy } from "../errors/SessionError.ts"
import { CompactService } from "../services/CompactService.ts"
import { CompactionPolicy } from "../services/CompactionPolicy.ts"
import { ErrorClassifier } from "../services/ErrorClassifier.ts"
import type { ModelRequest } from "../services/ModelAdapter.ts"
import { Surface } from "../services/Surface.ts"
import { TokenMeter } from "../services/TokenMeter.ts"
import type { Envelope } from "../session/Envelope.ts"
import type { FinishReason } from "../session/SessionEvent.ts"
import type { Usage } from "../session/Usage.ts"
import { mayBeOverflow, overflowSign } from "./overflowSign.ts"
import { declareEnvelope, rescuedRequest } from "./rescuedRequest.ts"
import { runCompaction } from "./runCompaction.ts"
import { genAiAttributes } from "./telemetry.ts"

export type { LearnedWindow } from "../compaction/learnedWindow.ts"

export type { OverflowSign } from "../compaction/rescue.ts"

/**
 * How a client sends one request, and how its answers and errors are read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<A, E, R> {
  readonly envelope: Envelope
  readonly send: (request: ModelRequest) => Effect.Effect<A, E, R>
  readonly overflow?: (error: E) => Option.Option<OverflowSign>
  readonly usage?: (answer: A) => Usage | undefined
  readonly finish?: (answer: A) => FinishReason | undefined
  readonly learned?: (learned: LearnedWindow) => Effect.Effect<void>
}

/**
 * Sends one request of the session's surface, through any client.
 *
 * What happens:
 *
 * 1. The envelope is recorded if it changed. If the request would be at or above the policy's threshold, the pressure ladder
 *    runs; what goes wrong there is logged, and the request goes out all the same.
 * 2. `send` gets the request, built from the log. Each attempt has an id of its own and is a step in the log, closed however
 *    the attempt ends.
 * 3. If the provider refused it as too long, the overflow ladder runs, unless the surface got smaller meanwhile anyway. The
 *    request is built anew and sent again only if a replacement landed since the refused one was built, an attempt is left,
 *    and no limit that the provider stated excludes even the lower estimate of the new one.
 * 4. `maxOverflowRetries` counts over the chain of refusals: an answer ends a chain, giving up and an interruption do, a
 *    crash does not.
 * 5. A refusal for bytes instead earns one retry a chain, by dropping images and files and never by a summary, if the next
 *    request has fewer bytes.
 *
 * What comes out: the answer, or the client's own error of the last attempt, the same value, also inside spans and where
 * the recovery itself failed. `SessionBusy`, at once and with nothing sent: another request of this session is out, a turn of
 * `AgentLoop` runs, or one waits for answers. `LogWriteFailed`: a record could not be written; of an answer that was there
 * already it takes the place, since the log would not know of it. Interrupted, it sends nothing more.
 *
 * What is asked of the caller:
 *
 * - `send` is one request and does not retry an overflow by itself. Tools that it runs inside must not fail with its own
 *   overflow error: that would look like the request's.
 * - `overflow` tells whether an error is the request's own overflow, of bytes if it says `unit: "bytes"`. Default: our
 *   `ContextWindowExceeded` and `PayloadTooLarge` of this route, else what the classifier's table says of the error's status and words; an error that carries neither is not rescued.
 * - `usage` is what the provider counted: the meter goes on from it. If it lies above a limit that the provider stated in an
 *   earlier refusal, the answer is taken for an overflow as well; given up, that answer comes out.
 * - `finish` is how the answer ended, `stop` if absent. Only an answer that ended with `stop` is taken for an overflow by its
 *   usage: one whose calls were run already is to say `tool-calls`, since it must not be asked for again.
 * - None of these functions can cost an answer or an error: where one throws, it is as if it had said nothing.
 * - `learned` is told once, beside a warning in the application's log, that the server drops what does not fit without a
 *   word; from then on pressure works with what it counted.
 * - The answer is appended by the caller, `Surface.append`, results of its calls too. A session whose calls wait for results
 *   is not sent: that is a bug of the caller, and dies.
 *
 * @since 0.1.0
 * @category combinators
 */
export const retry = <A, E, R>(
  options: Options<A, E, R>
): Effect.Effect<A, E | LogWriteFailed | SessionBusy, R | Surface | TokenMeter | CompactService> =>
  // a scope of its own for the occupancy: what the client acquires belongs to the caller's
  Effect.scopedWith((scope) => Effect.zipRight(Scope.extend(occupied, scope), request(options)))

/** The session, for one request: no other one and no turn runs meanwhile, and none waits for answers. */
const occupied = Effect.gen(function* () {
  const surface = yield* Surface
  yield* surface.occupy("request")
  const { suspendedTurn } = yield* surface.state
  if (suspendedTurn !== undefined) {
    return yield* new SessionBusy({ session: surface.id, turn: suspendedTurn, state: "suspended" })
  }
})

const request = <A, E, R>(
  options: Options<A, E, R> & { readonly mayBeOverflow?: (error: E) => boolean }
): Effect.Effect<A, E | LogWriteFailed, R | Surface | TokenMeter | CompactService> =>
  Effect.gen(function* () {
    const surface = yield* Surface
    const meter = yield* TokenMeter
    const compact = yield* CompactService
    const policy = yield* CompactionPolicy
    const { rows } = yield* ErrorClassifier
    const { route } = options.envelope
    yield* surface.commit(declareEnvelope(options.envelope))
    yield* runCompaction({ surface, compact }, policy, "pressure")
    return yield* rescuedRequest({ surface, meter, compact }, policy, {
      send: options.send,
      overflow: options.overflow ?? ((error) => overflowSign(error, route, rows)),
      // an application that reads its errors itself knows better than a guess
      mayBeOverflow:
        options.mayBeOverflow ?? ((error) => options.overflow === undefined && mayBeOverflow(error, route, rows)),
      answered: (answer) => {
        const finish = options.finish?.(answer)
        return { usage: options.usage?.(answer), ...(finish === undefined ? {} : { finish }) }
      },
      givenUp: (answer) => Exit.succeed(answer),
      info: Effect.succeedNone,
      ...(options.learned === undefined ? {} : { learned: options.learned }),
      keepOpen: false
    })
  }).pipe(Effect.withSpan("effect-compaction.request", { attributes: genAiAttributes(options.envelope.route) }))

/** An overflow that came as a part of the stream. */
class InBand<A> {
  readonly _tag = "InBand"
  readonly part: A
  readonly sign: OverflowSign
  constructor(part: A, sign: OverflowSign) {
    this.part = part
    this.sign = sign
  }
}

interface Opened<A, E, R> {
  readonly head: ReadonlyArray<A>
  readonly rest: Stream.Stream<A, E, R>
}

/**
 * Pulls a stream up to its first content part. What came until then can be taken back; one scope an attempt, so that a
 * refused connection is closed before the next one opens.
 */
const openStream =
  <A, E, R>(
    scope: Scope.Scope,
    options: {
      readonly send: (request: ModelRequest) => Stream.Stream<A, E, R>
      readonly inBand: (part: A) => Option.Option<OverflowSign>
      readonly isContent: (part: A) => boolean
    }
  ) =>
  (request: ModelRequest): Effect.Effect<Opened<A, E, R>, E | InBand<A>, R> =>
    Effect.flatMap(Scope.fork(scope, ExecutionStrategy.sequential), (own) =>
      Effect.gen(function* () {
        const pull = yield* Stream.toPull(options.send(request))
        const head: Array<A> = []
        while (true) {
          const chunk = yield* Effect.catchAll(
            Effect.map(pull, Option.some),
            Option.match({ onNone: () => Effect.succeed(Option.none<Chunk.Chunk<A>>()), onSome: Effect.fail })
          )
          if (Option.isNone(chunk)) return { head, rest: Stream.empty }
          let content = false
          for (const part of chunk.value) {
            const sign = content ? Option.none() : options.inBand(part)
            if (Option.isSome(sign)) return yield* Effect.fail(new InBand(part, sign.value))
            content = content || options.isContent(part)
            head.push(part)
          }
          if (content) return { head, rest: Stream.fromPull(Effect.succeed(pull)) }
        }
      }).pipe(
        Scope.extend(own),
        Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))
      )
    )

/**
 * `retry` for a client that streams; what is said there holds here too. Each time it is run it is a request.
 *
 * - The stream is pulled up to its first content part (`isContent`) under the retry, and the rest is handed over as it
 *   comes. What a refused attempt had said until then never comes out, and its connection is closed before the next one
 *   opens.
 * - After the first content part there is no retry, since parts cannot be taken back: a failure comes out as it is.
 * - `inBand` finds an overflow that the provider sends as a part. Given up, that part itself comes out, and the stream ends.
 * - The step in the log ends with the first content part, since nobody can say who reads the rest. What the provider counted
 *   can be told with `TokenMeter.report`, with the request's `generation`.
 * - The session is busy until the stream ends or is left, which closes the connection.
 *
 * @since 0.1.0
 * @category combinators
 */
export const retryStream = <A, E, R>(options: {
  readonly envelope: Envelope
  readonly send: (request: ModelRequest) => Stream.Stream<A, E, R>
  readonly overflow?: (error: E) => Option.Option<OverflowSign>
  readonly inBand?: (part: A) => Option.Option<OverflowSign>
  readonly isContent: (part: A) => boolean
}): Stream.Stream<A, E | LogWriteFailed | SessionBusy, R | Surface | TokenMeter | CompactService> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      // until the stream ends: what comes after its head is still this request's answer
      yield* occupied
      const scope = yield* Effect.scope
      const { rows } = yield* ErrorClassifier
      const { envelope, overflow = (error: E) => overflowSign(error, envelope.route, rows) } = options
      const opened = yield* request<Opened<A, E, R>, E | InBand<A>, R>({
        envelope,
        send: openStream(scope, { ...options, inBand: options.inBand ?? (() => Option.none()) }),
        overflow: (error) => (error instanceof InBand ? Option.some(error.sign) : overflow(error)),
        mayBeOverflow: (error) =>
          !(error instanceof InBand) && options.overflow === undefined && mayBeOverflow(error, envelope.route, rows)
      }).pipe(
        Effect.catchAllCause((cause) => {
          const failure = Option.map(Cause.failureOption(cause), Cause.originalError)
          return Option.isSome(failure) && failure.value instanceof InBand
            ? Effect.succeed<Opened<A, E, R>>({ head: [failure.value.part as A], rest: Stream.empty })
            : Effect.failCause(cause as Cause.Cause<E | LogWriteFailed>)
        })
      )
      return Stream.concat(Stream.fromIterable(opened.head), opened.rest)
    })
  )
