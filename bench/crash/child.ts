// The process that is killed: plays turns of some sessions at once, and tells what it wrote over a pipe of its own.
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { broken, type Fault } from "./brokenStore.ts"
import { tell } from "./pipe.ts"
import { counts, type Kill } from "./places.ts"
import type { SessionPlan } from "./plan.ts"
import { inSession, isFinished, playNext } from "./session.ts"
import { type Address, open } from "./stores.ts"
import { toldStore } from "./toldStore.ts"

export interface Orders {
  readonly address: Address
  readonly seed: number
  readonly sessions: ReadonlyArray<SessionPlan>
  /** the place of the one that has a turn, the others being open meanwhile; absent: all have */
  readonly plays?: number
  readonly kill?: Kill
  readonly fault?: Fault
}

const { address, fault, kill, plays, seed, sessions } = JSON.parse(process.argv[2]!) as Orders

const play = (plan: SessionPlan, place: number, store: Parameters<typeof toldStore>[0]) =>
  inSession(
    plan,
    store
  )((model) =>
    Effect.gen(function* () {
      if ((plays ?? place) !== place || (yield* isFinished(plan))) return
      const { generation, turn } = yield* playNext(seed, plan, model)
      tell({ is: "turn", session: plan.id, turn, generation })
    })
  )

await Effect.gen(function* () {
  const { log } = yield* open(address, kill)
  const store = toldStore(broken(log, fault), tell)
  yield* Effect.forEach(sessions, (plan, place) => play(plan, place, store), {
    concurrency: "unbounded",
    discard: true
  })
  tell({ is: "done", boundaries: counts() })
}).pipe(
  Effect.scoped,
  Effect.catchAllCause((cause) => Effect.sync(() => tell({ is: "failed", why: String(cause) }))),
  Logger.withMinimumLogLevel(LogLevel.None),
  Effect.runPromise
)
