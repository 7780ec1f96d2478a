/**
 * Many sessions, each opened when it is needed: `examples/agent.ts`, `examples/stream.ts`, `examples/tenants.ts`.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Schema from "effect/Schema"
import { InvalidBranch, type OpenError, SessionLocked } from "../errors/SessionError.ts"
import type { TurnEvent } from "../services/AgentLoop.ts"
import { SessionId } from "../services/SessionId.ts"
import { type Service, Sessions } from "../services/Sessions.ts"
import { TurnEvents } from "../services/TurnEvents.ts"
import * as Ids from "../session/Ids.ts"
import { LogStore } from "../services/LogStore.ts"
import { Surface } from "../services/Surface.ts"
import { boundedClose } from "./bounded.ts"
import { copyLog } from "./branching.ts"
import * as Session from "./Session.ts"

export { type Service, Sessions } from "../services/Sessions.ts"

/** How long a session may take to close: what its parts are given, and then some, since layers of one's own may be in it. */
const sessionCloseLimit = "30 seconds"

type Open = Effect.Effect<Context.Context<Session.Services>, OpenError>

const isSessionId = Schema.is(Ids.SessionId)

/** The place of one session: it opens it, once, or runs something while nobody can open it. */
interface Slot {
  readonly open: Open
  /** None: it is open. */
  readonly whileClosed: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<Option.Option<A>, E | SessionLocked>
}

/**
 * A slot for one session. It opens inside the slot, so that a failed open is not remembered; opening waits for the close
 * before it, so that one process never writes a log twice.
 */
const makeSlot = Effect.fnUntraced(function* (
  id: string,
  closing: Map<string, Deferred.Deferred<void>>,
  build: (id: string, scope: Scope.Scope) => Open
) {
  const before = closing.get(id)
  const gone = yield* Deferred.make<void>()
  closing.set(id, gone)
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) =>
    // in a fiber of its own: a close that hangs holds up the next open of its session, and nothing else
    Scope.close(scope, exit).pipe(
      // not before the one before it: what was never opened closes at once
      Effect.ensuring(before === undefined ? Effect.void : Deferred.await(before)),
      Effect.ensuring(
        Effect.sync(() => {
          if (closing.get(id) === gone) closing.delete(id)
          Deferred.unsafeDone(gone, Exit.void)
        })
      ),
      Effect.forkDaemon,
      Effect.zipRight(Effect.void)
    )
  )
  const lock = yield* Effect.makeSemaphore(1)
  let session: Context.Context<Session.Services> | undefined
  const closed =
    before === undefined
      ? Effect.void
      : Effect.timeoutFail(Deferred.await(before), {
          duration: sessionCloseLimit,
          onTimeout: () => new SessionLocked({ session: id, owner: "this process, where it did not close in time," })
        })
  const open: Open = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* restore(closed)
      const child = yield* Scope.fork(scope, ExecutionStrategy.sequential)
      const exit = yield* Effect.exit(restore(build(id, child)))
      if (Exit.isFailure(exit)) {
        yield* Scope.close(child, exit)
        return yield* exit
      }
      session = exit.value
      return exit.value
    })
  ).pipe(Effect.withSpan("effect-compaction.open", { attributes: { session: id } }))
  const slot: Slot = {
    open: lock.withPermits(1)(Effect.suspend(() => (session === undefined ? open : Effect.succeed(session)))),
    whileClosed: (effect) =>
      lock.withPermits(1)(
        Effect.suspend(() =>
          session === undefined ? Effect.zipRight(closed, Effect.asSome(effect)) : Effect.succeedNone
        )
      )
  }
  return slot
})

/**
 * `session` (default: `Session.layer`) may depend on the id: policy, model, tools for each tenant. It is built with the
 * context that `Sessions` is built in, not with that of the caller who opens it first.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* <R>(options: {
  readonly idleTimeToLive: Duration.DurationInput
  readonly session: (id: string) => Layer.Layer<Session.Services, OpenError, R | SessionId>
}) {
  const store = yield* LogStore
  const hub = yield* Effect.acquireRelease(
    PubSub.sliding<readonly [session: string, event: TurnEvent]>(1024),
    PubSub.shutdown
  )
  const app = Context.add(yield* Effect.context<R>(), TurnEvents, (session, event) => {
    hub.unsafeOffer([session, event])
  })
  const owner = yield* Effect.scope
  const closing = new Map<string, Deferred.Deferred<void>>()
  // a release does not wait for the close, so that they close side by side: the end of the application waits for all
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      const all = Effect.forEach(closing.values(), Deferred.await, { concurrency: "unbounded", discard: true })
      return Effect.flatMap(boundedClose(all, sessionCloseLimit), (closed) =>
        closed
          ? Effect.void
          : Effect.logWarning(`sessions that did not close in time: ${[...closing.keys()].join(", ")}`)
      )
    })
  )
  const build = (id: string, scope: Scope.Scope): Open => {
    const session = Layer.provide(options.session(id), Layer.succeed(SessionId, id))
    return Layer.buildWithScope(session as Layer.Layer<Session.Services, OpenError, R>, scope).pipe(
      Effect.mapInputContext((): Context.Context<R | SessionId> => app as Context.Context<R | SessionId>)
    )
  }
  const slots = yield* RcMap.make({
    idleTimeToLive: options.idleTimeToLive,
    lookup: (id: string) => makeSlot(id, closing, build)
  })
  const opened = (id: string, scope: Scope.Scope) =>
    Effect.flatMap(Scope.extend(RcMap.get(slots, id), scope), (slot) => slot.open)

  const use: Service["use"] = (id, effect) =>
    Effect.scopedWith((scope) => Effect.flatMap(opened(id, scope), (context) => Effect.provide(effect, context)))

  const branch: Service["branch"] = (id, { as, at }) =>
    Effect.scopedWith((scope) =>
      Effect.gen(function* () {
        const refuse = (reason: InvalidBranch["reason"], detail: string) =>
          Effect.fail(new InvalidBranch({ session: id, as, reason, detail }))
        if (!isSessionId(as)) {
          return yield* refuse(
            "invalid-id",
            `${JSON.stringify(as)} is not 1 to 200 characters without control characters`
          )
        }
        if (!(yield* store.exists(id))) return yield* refuse("no-such-session", "there is no session of that id")
        const parent = Context.get(yield* opened(id, scope), Surface)
        const { revision } = yield* parent.state
        if (!Number.isInteger(at) || at < 0 || at >= revision) {
          return yield* refuse(
            "no-such-seq",
            `its events are seq 0 to ${revision - 1}, and it was to be branched at ${at}`
          )
        }
        const slot = yield* Scope.extend(RcMap.get(slots, as), scope)
        const copied = yield* slot.whileClosed(Effect.scoped(copyLog(store, parent, { as, at })))
        if (Option.isNone(copied)) return yield* refuse("exists", `a session of the id "${as}" is open`)
      })
    ).pipe(Effect.withSpan("effect-compaction.branch", { attributes: { session: id, as, at } }))

  return Sessions.of({
    use,
    branch,
    stream: (id, stream) =>
      Stream.unwrapScoped(
        Effect.flatMap(Effect.scope, (scope) =>
          Effect.map(opened(id, scope), (context) => Stream.provideSomeContext(stream, context))
        )
      ),
    fork: <A, E, R2>(id: string, effect: Effect.Effect<A, E, R2>) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const scope = yield* Scope.fork(owner, ExecutionStrategy.sequential)
          const context = yield* restore(opened(id, scope)).pipe(
            Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
          )
          const fiber = yield* Effect.provide(effect, context).pipe(
            Effect.interruptible,
            Effect.onExit((exit) => Scope.close(scope, exit)),
            Effect.forkIn(owner)
          )
          return fiber as Fiber.RuntimeFiber<A, E>
        })
      ),
    events: Stream.fromPubSub(hub)
  })
})

/**
 * `idleTimeToLive` (default 5 minutes) is how long a session that nobody uses stays open.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: {
  <R>(options: {
    readonly idleTimeToLive?: Duration.DurationInput
    readonly session: (id: string) => Layer.Layer<Session.Services, OpenError, R>
  }): Layer.Layer<Sessions, never, Exclude<R, SessionId> | LogStore>
  (options?: { readonly idleTimeToLive?: Duration.DurationInput }): Layer.Layer<Sessions, never, Session.App>
} = (
  options: {
    readonly idleTimeToLive?: Duration.DurationInput
    readonly session?: (id: string) => Layer.Layer<Session.Services, OpenError, Session.App | SessionId>
  } = {}
): Layer.Layer<Sessions, never, Session.App> =>
  Layer.scoped(
    Sessions,
    make<Session.App>({
      idleTimeToLive: options.idleTimeToLive ?? "5 minutes",
      session: options.session ?? (() => Session.layer)
    })
  )

/**
 * Runs an effect with the services of a session.
 *
 * @since 0.1.0
 * @category accessors
 */
export const use = <A, E, R>(
  id: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | OpenError, Sessions | Exclude<R, Session.Services>> =>
  Effect.flatMap(Sessions, (sessions) => sessions.use(id, effect))

/**
 * Keeps a session open as long as the stream runs.
 *
 * @since 0.1.0
 * @category accessors
 */
export const stream = <A, E, R>(
  id: string,
  stream: Stream.Stream<A, E, R>
): Stream.Stream<A, E | OpenError, Sessions | Exclude<R, Session.Services>> =>
  Stream.unwrap(Effect.map(Sessions, (sessions) => sessions.stream(id, stream)))

/**
 * Makes a session under a new id that is what another one was at `at`: to try two ways, and to rewind.
 *
 * @since 0.1.0
 * @category accessors
 */
export const branch = (
  id: string,
  options: { readonly at: number; readonly as: string }
): Effect.Effect<void, InvalidBranch | OpenError, Sessions> =>
  Effect.flatMap(Sessions, (sessions) => sessions.branch(id, options))

/**
 * Runs an effect in a session, in a fiber that outlives its caller.
 *
 * @since 0.1.0
 * @category accessors
 */
export const fork = <A, E, R>(
  id: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<Fiber.RuntimeFiber<A, E>, OpenError, Sessions | Exclude<R, Session.Services>> =>
  Effect.flatMap(Sessions, (sessions) => sessions.fork(id, effect))
