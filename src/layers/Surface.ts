/**
 * The surface of one session, over its log.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { appending, type Draft } from "../compaction/drafts.ts"
import * as Meter from "../compaction/Meter.ts"
import { applyAll } from "../compaction/SessionFold.ts"
import * as SessionState from "../compaction/SessionState.ts"
import { settling } from "../compaction/turnRecords.ts"
import { InvalidReplacement, SpanChanged } from "../errors/CompactionError.ts"
import { LogWriteFailed, type OpenError } from "../errors/SessionError.ts"
import * as EventCodec from "../session/EventCodec.ts"
import type * as Ids from "../session/Ids.ts"
import type * as Message from "../session/Message.ts"
import * as SessionEvent from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import { LogStore } from "../services/LogStore.ts"
import { SessionId } from "../services/SessionId.ts"
import { type Replace, Surface, type Ticket } from "../services/Surface.ts"
import { TokenEstimator } from "../services/TokenEstimator.ts"
import * as compactionRuns from "./compactionRuns.ts"
import * as sessionLog from "./sessionLog.ts"
import { boundedRun, boundedWrite, grace } from "./bounded.ts"

export { type Draft, type Replace, Surface, type SurfaceDraft, type Ticket } from "../services/Surface.ts"

interface Written {
  readonly state: SessionState.SessionState
  readonly events: ReadonlyArray<SessionEvent.SessionEvent>
  readonly sync: boolean
}

const refusal = (session: string, violation: SurfaceState.Violation) =>
  new InvalidReplacement({
    session,
    reason:
      violation.reason === "unanswered-calls" || violation.reason === "no-such-call"
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
  const clock = yield* Clock.clockWith(Effect.succeed)
  const writeLimit = options.writeLimit ?? "30 seconds"
  const log = yield* LogStore.pipe(Effect.flatMap((store) => store.open(id)))
  let current = yield* sessionLog.replay(id, log, estimator)
  const hub = yield* Effect.acquireRelease(PubSub.sliding<SessionEvent.SessionEvent>(4096), PubSub.shutdown)
  const lock = Effect.unsafeMakeSemaphore(1)
  let ended: LogWriteFailed | undefined

  const counted = (draft: Draft, replaces?: SessionEvent.Replaces): SessionEvent.Body => {
    const counts = (values: ReadonlyArray<number>) => ({ estimator: estimator.id, values })
    switch (draft.type) {
      case "request/envelope":
        return { ...draft, data: { ...draft.data, counts: counts(estimator.envelope(draft.data.envelope)) } }
      case "message/user":
      case "message/assistant":
      case "message/tool-result": {
        const body = draft as SessionEvent.SurfaceBody
        const values = estimator.message(SessionEvent.messageOf(body))
        const data = { ...body.data, counts: counts(values), ...(replaces === undefined ? {} : { replaces }) }
        return { type: body.type, data } as SessionEvent.SurfaceBody
      }
      default:
        return draft
    }
  }

  const placed = (bodies: ReadonlyArray<SessionEvent.Body>): ReadonlyArray<SessionEvent.SessionEvent> => {
    const time = clock.unsafeCurrentTimeMillis()
    return bodies.map((body, i) => ({ ...body, seq: current.revision + i, time }))
  }

  /** The one way into the log: decide on the newest state, write, then swap the state in. */
  const transact = <E>(
    decide: () => Either.Either<Written, E>
  ): Effect.Effect<SessionState.SessionState, E | LogWriteFailed> =>
    Effect.uninterruptible(
      lock.withPermits(1)(
        Effect.suspend((): Effect.Effect<SessionState.SessionState, E | LogWriteFailed> => {
          const seq = current.revision
          if (ended !== undefined) return Effect.fail(ended)
          const written = decide()
          if (Either.isLeft(written)) return Effect.fail(written.left)
          const { events, state, sync } = written.right
          if (events.length === 0) return Effect.succeed(current)
          const failed = (how: "no" | "unknown", detail: string) =>
            new LogWriteFailed({ session: id, seq, written: how, detail })
          const encoded = Either.all(events.map(EventCodec.encode))
          if (Either.isLeft(encoded)) return Effect.fail(failed("no", encoded.left))
          return boundedWrite(log.append({ seq, events: encoded.right }, { sync }), writeLimit, () =>
            failed("unknown", "the store did not answer in time")
          ).pipe(
            Effect.tapError((error) =>
              Effect.sync(() => {
                if (error.written === "unknown") ended = error
              })
            ),
            Effect.map(() => {
              current = state
              for (const event of events) hub.unsafeOffer(event)
              return state
            })
          )
        })
      )
    )

  const commitBodies = (bodies: () => ReadonlyArray<SessionEvent.Body>) =>
    transact<never>(() => {
      const events = placed(bodies())
      const state = applyAll(current, events, estimator)
      // a caller's bug, never the data's: what comes from outside goes through `append`, which repairs
      if (Either.isLeft(state)) throw new Error(`session "${id}": ${state.left.detail}`)
      return Either.right({ events, state: state.right, sync: false })
    })

  const commit = (drafts: (state: SessionState.SessionState) => ReadonlyArray<Draft>) =>
    commitBodies(() => drafts(current).map((draft) => counted(draft)))

  const runs = compactionRuns.make(id, () => current.revision)
  // closing is an interruption (I8); it comes before the log closes, so that the run can still write its end
  yield* Effect.addFinalizer(() => Effect.zipRight(runs.cut, Effect.interruptible(boundedRun(runs.whenNoRun, grace))))

  const append = (...messages: ReadonlyArray<Message.Message>) =>
    Effect.zipRight(
      runs.whenNoForeignRun,
      Effect.asVoid(commit((state) => appending(state.surface.unanswered, messages, "prompt")))
    )

  const replace = (ticket: Ticket, request: Replace) =>
    Effect.map(
      transact<InvalidReplacement | SpanChanged>(() => {
        if (!runs.isOpen(ticket)) {
          const detail = "the compaction run that made it is over"
          return Either.left(new InvalidReplacement({ session: id, reason: "no-ticket", detail }))
        }
        return decideReplace(request)
      }),
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
      const shadowed = SessionState.shadowedBy(surface, { first, last })
      const [head, ...tail] = shadowed.map((node) => node.seq)
      if (head === undefined) return Either.left(refusal(id, missingSpan(surface, first, last)))
      const body = counted(by, { first, last, sources: [head, ...tail] }) as SessionEvent.SurfaceBody
      const node = SessionState.nodeOf({ ...body, seq: current.revision }, estimator)
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

  yield* commitBodies(() => [
    {
      type: "session/opened",
      data: { formatVersion: SessionEvent.formatVersion, session: id, writer: log.writer }
    },
    ...settling(current).map((draft) => counted(draft))
  ])

  return Surface.of({
    id,
    state: Effect.sync(() => current),
    generation: Effect.sync(() => current.surface.generation),
    messages: Effect.sync(() => SurfaceState.messages(current.surface)),
    append,
    commit,
    withTicket: runs.withTicket,
    openTicket: runs.openTicket,
    voidTicket: runs.voidTicket,
    whenNoRun: runs.whenNoRun,
    replace,
    history: (from) =>
      Stream.mapConcat(sessionLog.read(id, log, from), (events) => events.filter((event) => event.seq >= from)),
    events: Stream.fromPubSub(hub)
  })
})

/** The span that no longer stands as it was when the decision was made. */
const spanChanged = (
  surface: SurfaceState.SurfaceState,
  expected: Replace["expected"]
): { readonly first: Ids.Seq; readonly last: Ids.Seq } | undefined => {
  if ("surface" in expected) {
    const { generation, length } = expected.surface
    return surface.generation === generation && surface.length === length
      ? undefined
      : ends(SurfaceState.nodes(expected.surface))
  }
  const start = SurfaceState.positionOf(surface, expected.nodes[0]?.seq ?? -1)
  const stands =
    start !== undefined && expected.nodes.every((node, i) => SurfaceState.nodeAt(surface, start + i) === node)
  return stands ? undefined : ends(expected.nodes)
}

/** Why nothing stands between two seqs. */
const missingSpan = (surface: SurfaceState.SurfaceState, first: Ids.Seq, last: Ids.Seq): SurfaceState.Violation => {
  const missing = [first, last].find((seq) => SurfaceState.positionOf(surface, seq) === undefined)
  return missing === undefined
    ? new SurfaceState.Violation("reversed", `seq ${first} stands behind seq ${last} on the surface`)
    : new SurfaceState.Violation("no-such-node", `seq ${missing} is not on the surface`)
}

const ends = (nodes: ReadonlyArray<SurfaceState.Node>) => ({
  first: nodes[0]?.seq ?? -1,
  last: nodes.at(-1)?.seq ?? -1
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
