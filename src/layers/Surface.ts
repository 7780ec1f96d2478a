/**
 * The surface of one session, over its log.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { constVoid, identity } from "effect/Function"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { appending, type Draft } from "../compaction/drafts.ts"
import * as Meter from "../compaction/Meter.ts"
import { applyAll } from "../compaction/SessionFold.ts"
import * as SessionState from "../compaction/SessionState.ts"
import { nodeOf, shadowedBy } from "../compaction/surfaceNodes.ts"
import { settling } from "../compaction/turnRecords.ts"
import { InvalidReplacement, SpanChanged } from "../errors/CompactionError.ts"
import { LogWriteFailed, type OpenError } from "../errors/SessionError.ts"
import * as encodedEvents from "../session/encodedEvents.ts"
import type * as Ids from "../session/Ids.ts"
import type * as Message from "../session/Message.ts"
import * as SessionEvent from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import type { LogStore } from "../services/LogStore.ts"
import { Redaction } from "../services/Redaction.ts"
import { SessionId } from "../services/SessionId.ts"
import { type Replace, Surface, type Ticket } from "../services/Surface.ts"
import { TokenEstimator } from "../services/TokenEstimator.ts"
import * as broadcast from "./broadcast.ts"
import * as compactionRuns from "./compactionRuns.ts"
import * as occupancy from "./occupancy.ts"
import * as sessionLog from "./sessionLog.ts"
import { boundedRun, boundedWrites, grace, writeLimit } from "./bounded.ts"
import * as inOrder from "./inOrder.ts"
import { redactedDraft } from "./redactedDraft.ts"
import { missingSpan, spanChanged } from "./spanChecks.ts"

export {
  type Draft,
  type Occupant,
  type Replace,
  Surface,
  type SurfaceDraft,
  type Ticket
} from "../services/Surface.ts"

interface Written {
  readonly state: SessionState.SessionState
  readonly events: ReadonlyArray<SessionEvent.SessionEvent>
  readonly sync: boolean
}

const refusal = (session: string, violation: SurfaceState.Violation) =>
  new InvalidReplacement({
    session,
    reason:
      violation.reason === "unanswered-calls" ||
      violation.reason === "no-such-call" ||
      violation.reason === "duplicate-call"
        ? "splits-a-pair"
        : violation.reason,
    detail: violation.detail
  })

/**
 * Opens the session's log, replays it, closes what a dead writer left open, and keeps it until the scope closes.
 * `writeLimit` bounds each durable write (default 30 seconds); one that runs out of it is in doubt and ends this writer.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (
  options: { readonly writeLimit?: Duration.DurationInput } = {}
): Effect.fn.Return<typeof Surface.Service, OpenError, SessionId | LogStore | Scope.Scope> {
  const id = yield* SessionId
  const estimator = yield* TokenEstimator
  const redact = yield* Redaction
  const clock = yield* Clock.clockWith(Effect.succeed)
  const { log, state } = yield* sessionLog.open(id, estimator)
  let current = state
  const announced = yield* broadcast.make<SessionEvent.SessionEvent>(4096)
  const ordered = inOrder.make()
  const write = yield* boundedWrites(options.writeLimit ?? writeLimit)
  let ended: LogWriteFailed | undefined

  const counted = (given: Draft, replaces?: SessionEvent.Replaces): SessionEvent.Body => {
    // the one way of a result into the log: what a key was is gone before it is priced, written and seen
    const draft = redactedDraft(redact, given)
    const counts = (values: ReadonlyArray<number>) => ({ estimator: estimator.id, values })
    switch (draft.type) {
      case "request/envelope":
        return { ...draft, data: { ...draft.data, counts: counts(estimator.envelope(draft.data.envelope)) } }
      case "message/user":
      case "message/assistant":
      case "message/tool-result": {
        const body = draft as SessionEvent.SurfaceBody
        const values = estimator.message(SessionEvent.messageOf(body), SessionState.routeOf(current))
        // an object that begins with a spread and gains a field has a hidden class of its own, and is slow to read
        const data =
          replaces === undefined
            ? { counts: counts(values), ...draft.data }
            : { counts: counts(values), ...draft.data, replaces }
        return { type: body.type, data } as SessionEvent.SurfaceBody
      }
      default:
        return draft
    }
  }

  const placed = (bodies: ReadonlyArray<SessionEvent.Body>): ReadonlyArray<SessionEvent.SessionEvent> => {
    const time = clock.unsafeCurrentTimeMillis()
    return bodies.map((body, i) => SessionEvent.at(body, current.revision + i, time))
  }

  /** The one way into the log: decide on the newest state, write, then swap the state in, and answer from it. */
  const transact = <A, E>(
    decide: () => Either.Either<Written, E>,
    answer: (state: SessionState.SessionState) => A
  ): Effect.Effect<A, E | LogWriteFailed> =>
    ordered((): Effect.Effect<A, E | LogWriteFailed> => {
      const seq = current.revision
      if (ended !== undefined) return Exit.fail(ended)
      const written = decide()
      if (Either.isLeft(written)) return Exit.fail(written.left)
      const { events, state, sync } = written.right
      if (events.length === 0) return Exit.succeed(answer(current))
      const failed = (how: "no" | "unknown", detail: string) =>
        new LogWriteFailed({ session: id, seq, written: how, detail })
      const encoded = encodedEvents.make(events)
      if (Either.isLeft(encoded)) return Exit.fail(failed("no", encoded.left))
      const options = { sync, idle: state.openTurn === undefined }
      const wrote = write(log.append({ seq, events: encoded.right }, options), () =>
        failed("unknown", "the store did not answer in time")
      )
      const outcome = {
        onFailure: (error: LogWriteFailed) => {
          if (error.written === "unknown") ended = error
          return error
        },
        onSuccess: () => {
          current = state
          for (const event of events) announced.tell(event)
          return answer(state)
        }
      }
      return Exit.isExit(wrote)
        ? Exit.mapBoth(wrote as Exit.Exit<void, LogWriteFailed>, outcome)
        : Effect.mapBoth(wrote, outcome)
    })

  const commitBodies = <A>(
    bodies: () => ReadonlyArray<SessionEvent.Body>,
    answer: (state: SessionState.SessionState) => A
  ) =>
    transact<A, never>(() => {
      const events = placed(bodies())
      const state = applyAll(current, events, estimator)
      // a caller's bug, never the data's: what comes from outside goes through `append`, which repairs
      if (Either.isLeft(state)) throw new Error(`session "${id}": ${state.left.detail}`)
      return Either.right({ events, state: state.right, sync: false })
    }, answer)

  const commit = (drafts: (state: SessionState.SessionState) => ReadonlyArray<Draft>) =>
    commitBodies(() => drafts(current).map((draft) => counted(draft)), identity)

  const runs = compactionRuns.make(id, () => current.revision)
  // closing is an interruption (I8); it comes before the log closes, so that the run can still write its end
  yield* Effect.addFinalizer(() => Effect.zipRight(runs.cut, Effect.interruptible(boundedRun(runs.whenNoRun, grace))))

  const append = (...messages: ReadonlyArray<Message.Message>) =>
    runs.afterForeignRun(
      commitBodies(
        () => appending(current.surface.unanswered, messages, "prompt").map((draft) => counted(draft)),
        constVoid
      )
    )

  const replace = (ticket: Ticket, request: Replace) =>
    transact<number, InvalidReplacement | SpanChanged>(
      () => {
        if (!runs.isOpen(ticket)) {
          const detail = "the compaction run that made it is over"
          return Either.left(new InvalidReplacement({ session: id, reason: "no-ticket", detail }))
        }
        return decideReplace(request)
      },
      (state) => state.surface.generation
    )

  const decideReplace = (request: Replace): Either.Either<Written, InvalidReplacement | SpanChanged> => {
    const { surface } = current
    const changed = spanChanged(surface, request.expected)
    if (changed !== undefined) return Either.left(new SpanChanged({ session: id, ...changed }))
    const weights = SessionState.weights(current, estimator)
    const routeKey = current.envelope?.routeKey ?? ""
    const price = { before: 0, after: 0 }
    const messages: Array<SessionEvent.Body> = []
    const sources: Array<Ids.Seq> = []
    for (const { by, first, last } of request.spans) {
      const shadowed = shadowedBy(surface, { first, last })
      const [head, ...tail] = shadowed.map((node) => node.seq)
      if (head === undefined) return Either.left(refusal(id, missingSpan(surface, first, last)))
      const body = counted(by, { first, last, sources: [head, ...tail] }) as SessionEvent.SurfaceBody
      const node = nodeOf({ seq: current.revision, ...body }, estimator, SessionState.routeOf(current))
      const priced = Meter.shrinks(current.meter, shadowed, node, weights, routeKey)
      if (!priced.smaller) {
        const detail = `${Math.ceil(priced.after)} tokens in place of ${Math.floor(priced.before)} (seq ${first} to ${last})`
        return Either.left(new InvalidReplacement({ session: id, reason: "not-smaller", detail }))
      }
      price.before += priced.before
      price.after += priced.after
      messages.push(body)
      sources.push(head, ...tail)
    }
    const [first, ...rest] = sources
    if (first === undefined) {
      return Either.left(new InvalidReplacement({ session: id, reason: "empty", detail: "no span was named" }))
    }
    const records = request.records({ before: Math.round(price.before), after: Math.round(price.after) }, [
      first,
      ...rest
    ])
    const events = placed([
      ...records.before.map((draft) => counted(draft)),
      ...messages,
      ...records.after.map((draft) => counted(draft))
    ])
    return Either.mapBoth(applyAll(current, events, estimator), {
      onLeft: (violation) => refusal(id, violation),
      onRight: (state) => ({ events, state, sync: true })
    })
  }

  yield* commitBodies(
    () => [
      {
        type: "session/opened",
        data: { formatVersion: SessionEvent.formatVersion, session: id, writer: log.writer }
      },
      ...settling(current).map((draft) => counted(draft))
    ],
    constVoid
  )

  return Surface.of({
    id,
    state: Effect.sync(() => current),
    unsafeState: () => current,
    generation: Effect.sync(() => current.surface.generation),
    messages: Effect.sync(() => SurfaceState.messages(current.surface)),
    append,
    commit,
    ...occupancy.make(id, () => current),
    withTicket: runs.withTicket,
    openTicket: runs.openTicket,
    voidTicket: runs.voidTicket,
    whenNoRun: runs.whenNoRun,
    replace,
    batches: log.read,
    history: (from) =>
      Stream.mapConcat(sessionLog.read(id, log, from), (events) => events.filter((event) => event.seq >= from)),
    events: announced.stream
  })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Surface, OpenError, SessionId | LogStore> = Layer.scoped(Surface, make())

/**
 * Appends messages to the surface, in one batch.
 *
 * @since 0.1.0
 * @category accessors
 */
export const append = (...messages: ReadonlyArray<Message.Message>): Effect.Effect<void, LogWriteFailed, Surface> =>
  Effect.flatMap(Surface, (surface) => surface.append(...messages))

/**
 * @since 0.1.0
 * @category accessors
 */
export const generation: Effect.Effect<number, never, Surface> = Effect.flatMap(
  Surface,
  (surface) => surface.generation
)

/**
 * @since 0.1.0
 * @category accessors
 */
export const messages: Effect.Effect<ReadonlyArray<Message.Message>, never, Surface> = Effect.flatMap(
  Surface,
  (surface) => surface.messages
)

/**
 * The session's log from `from` on, what was replaced included.
 *
 * @since 0.1.0
 * @category accessors
 */
export const history = (
  from: Ids.Seq
): Stream.Stream<SessionEvent.SessionEvent | SessionEvent.SkippedEvent, OpenError, Surface> =>
  Stream.unwrap(Effect.map(Surface, (surface) => surface.history(from)))
