/**
 * Many sessions, each opened when it is needed.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Stream from "effect/Stream"
import type { InvalidBranch, OpenError } from "../errors/SessionError.ts"
import type { AgentLoop, TurnEvent } from "./AgentLoop.ts"
import type { CompactService } from "./CompactService.ts"
import type { Surface } from "./Surface.ts"
import type { TokenMeter } from "./TokenMeter.ts"

type Services = Surface | TokenMeter | CompactService | AgentLoop

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /**
   * Runs `effect` with the services of session `id`: opens it if needed, keeps it open while the effect runs, releases it
   * after it was idle. A failed open is not remembered.
   */
  readonly use: <A, E, R>(
    id: string,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | OpenError, Exclude<R, Services>>
  /** The same for a stream: the session stays open until it ends. A stream returned from `use` would outlive it. */
  readonly stream: <A, E, R>(
    id: string,
    stream: Stream.Stream<A, E, R>
  ) => Stream.Stream<A, E | OpenError, Exclude<R, Services>>
  /**
   * Runs on in a fiber of the application's: a caller that goes away does not stop it. The session stays open as long as
   * it runs.
   */
  readonly fork: <A, E, R>(
    id: string,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<Fiber.RuntimeFiber<A, E>, OpenError, Exclude<R, Services>>
  /**
   * Makes a session under the new id `as` that is what session `id` was once event `at` was written, and goes on by itself:
   * what `at` cut in two, a turn, a call, a compaction, is closed as for a dead writer. Branched before a checkpoint it has
   * the messages that the checkpoint stands for. `id` may be open, and a turn of it run.
   *
   * A copy that was interrupted or failed is no session: opening it fails with `SessionCorrupt`, and the same call again
   * goes on with it.
   */
  readonly branch: (
    id: string,
    options: { readonly at: number; readonly as: string }
  ) => Effect.Effect<void, InvalidBranch | OpenError>
  /** All sessions' events from when it is run on; a slow reader misses the oldest and holds nobody up. */
  readonly events: Stream.Stream<readonly [session: string, event: TurnEvent]>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Sessions extends Context.Tag("effect-compaction/services/Sessions")<Sessions, Service>() {}
