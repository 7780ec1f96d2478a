// What the services add: the same operation through a session's layers, on the log in memory, and as a plain function.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as LogStore from "../src/layers/LogStore.ts"
import * as Surface from "../src/layers/Surface.ts"
import * as TokenEstimator from "../src/layers/TokenEstimator.ts"
import * as TokenMeter from "../src/layers/TokenMeter.ts"
import { measure } from "../src/compaction/measure.ts"
import { SessionId } from "../src/services/SessionId.ts"
import type { Message } from "../src/session/Message.ts"
import * as SurfaceState from "../src/session/SurfaceState.ts"
import { counting, estimator, eventOf, extended, short, stepped, wholeUnits } from "./states.ts"
import { run, type Task, type Timing } from "./timing.ts"

const sizes = [1_000, 10_000] as const
/** Few enough that a session keeps its size over the rounds, nearly. */
const loops = 99

const session = TokenMeter.layer.pipe(
  Layer.provideMerge(Surface.layer),
  Layer.provide([
    Layer.succeed(SessionId, "bench"),
    LogStore.layerMemory,
    Layer.succeed(TokenEstimator.TokenEstimator, estimator)
  ])
)

/** The operations of one session of this size; it grows by a few messages a round. */
const through = async (size: number): Promise<ReadonlyArray<Task>> => {
  const runtime = ManagedRuntime.make(session)
  const services = await runtime.runPromise(Effect.context<Surface.Surface | TokenMeter.TokenMeter>())
  const { append, messages } = Context.get(services, Surface.Surface)
  const { measure } = Context.get(services, TokenMeter.TokenMeter)
  const arriving = short(loops)
  await runtime.runPromise(append(...short(wholeUnits(size))))
  const each = <A, E>(name: string, operation: (message: Message) => Effect.Effect<A, E>): Task => ({
    name: `${name} through the services/${size}`,
    units: loops,
    prepare: () => () =>
      runtime.runSync(
        Effect.gen(function* () {
          for (const message of arriving) yield* operation(message)
        })
      )
  })
  return [
    each("measure", () => measure()),
    each("append", (message) => append(message)),
    each("append + measure + messages", (message) =>
      Effect.zipRight(append(message), Effect.zipRight(measure(), messages))
    )
  ]
}

const plain = (size: number): ReadonlyArray<Task> => {
  let state = extended(counting(), short(wholeUnits(size)))
  const arriving = short(loops)
  const append = (message: Message) => {
    state = stepped(state, eventOf(message, state.revision))
  }
  const each = (name: string, operation: (message: Message) => void): Task => ({
    name: `${name}, plain/${size}`,
    units: loops,
    prepare: () => () => arriving.forEach(operation)
  })
  return [
    each("measure", () => measure(state, estimator)),
    each("append", append),
    each("append + measure + messages", (message) => {
      append(message)
      measure(state, estimator)
      SurfaceState.messages(state.surface)
    })
  ]
}

const tasks = async (size: number) => [...plain(size), ...(await through(size))]

/**
 * With few loops a round nothing would be compiled in time: sessions of their own are used until it is. Three of them, since
 * an engine that has seen one session compiles for that one, and begins anew when a process opens the next.
 */
const warmed = async (): Promise<void> => {
  for (let session = 0; session < 3; session++) run(await tasks(sizes[0]), 100)
}

export const shell = async (): Promise<ReadonlyArray<Timing>> => {
  await warmed()
  const timings: Array<Timing> = []
  for (const size of sizes) timings.push(...run(await tasks(size)))
  return timings
}
