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
import type { OverflowSign } from "../compaction/rescue.ts"
import type { LogWriteFailed } from "../errors/SessionError.ts"
import { CompactService } from "../services/CompactService.ts"
import { CompactionPolicy } from "../services/CompactionPolicy.ts"
import { ErrorClassifier } from "../services/ErrorClassifier.ts"
import type { ModelRequest } from "../services/ModelAdapter.ts"
import { Surface } from "../services/Surface.ts"
import { TokenMeter } from "../services/TokenMeter.ts"
import type { Envelope } from "../session/Envelope.ts"
import type { Usage } from "../session/Usage.ts"
import { overflowSign } from "./overflowSign.ts"
import { declareEnvelope, rescuedRequest } from "./rescuedRequest.ts"
import { runCompaction } from "./runCompaction.ts"
import { genAiAttributes } from "./telemetry.ts"

export type { OverflowSign } from "../compaction/rescue.ts"

/**
 * Sends one request of the session's surface.
 *
 * Before it, the pressure ladder runs if the request would be at or above the policy's threshold; what goes wrong there
 * is logged and never fails the request. If the provider refuses the request as too long, the overflow ladder runs, and
 * the request is built anew and sent again only if the surface's generation moved since the refused one was built, an
 * attempt is left (`maxOverflowRetries`, counted over the chain of refusals, crashes included) and nothing known excludes
 * it. Otherwise the caller gets the provider's error of the last attempt, the same value.
 *
 * - `envelope` is what the request carries beside the messages; it is recorded when it changed.
 * - `send` is one request and never retries an overflow by itself. Its `request.messages` are what to send. Tools that it
 *   runs inside must not fail with its own overflow error: that would look like the request's.
 * - `overflow` tells whether an error is the request's own overflow; default: our `ContextWindowExceeded` of this route,
 *   else the classifier's table on the error's status and words.
 * - `usage` is what the provider counted, for the meter.
 *
 * Appending the answer is the caller's: `Surface.append`. Every attempt is a step in the log. A session whose tool calls
 * wait for results is not sent: that is a bug of the caller, and dies.
 *
 * @since 0.1.0
 * @category combinators
 */
export const retry = <A, E, R>(options: {
  readonly envelope: Envelope
  readonly send: (request: ModelRequest) => Effect.Effect<A, E, R>
  readonly overflow?: (error: E) => Option.Option<OverflowSign>
  readonly usage?: (answer: A) => Usage | undefined
}): Effect.Effect<A, E | LogWriteFailed, R | Surface | TokenMeter | CompactService> =>
  Effect.gen(function* () {
    const surface = yield* Surface
    const meter = yield* TokenMeter
    const compact = yield* CompactService
    const policy = yield* CompactionPolicy
    const { rows } = yield* ErrorClassifier
    yield* surface.commit(declareEnvelope(options.envelope))
    yield* runCompaction({ surface, compact }, policy, "pressure")
    return yield* rescuedRequest({ surface, meter, compact }, policy, {
      send: options.send,
      overflow: options.overflow ?? ((error) => overflowSign(error, options.envelope.route, rows)),
      usage: options.usage ?? (() => undefined),
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
 * `retry` for a client that streams: the stream is pulled up to its first content part under the retry, and the rest is
 * handed over. After the first content part there is no retry, since parts cannot be taken back. `inBand` finds an
 * overflow that the provider sends as a part; given up, the part itself comes out. The step ends when the first content
 * part came; what the provider counted can be told with `TokenMeter.report`.
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
}): Stream.Stream<A, E | LogWriteFailed, R | Surface | TokenMeter | CompactService> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const { rows } = yield* ErrorClassifier
      const { envelope, overflow = (error: E) => overflowSign(error, envelope.route, rows) } = options
      const opened = yield* retry<Opened<A, E, R>, E | InBand<A>, R>({
        envelope,
        send: openStream(scope, { ...options, inBand: options.inBand ?? (() => Option.none()) }),
        overflow: (error) => (error instanceof InBand ? Option.some(error.sign) : overflow(error))
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
