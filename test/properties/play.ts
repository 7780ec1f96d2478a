// Plays a conversation with a model that counts by a real vocabulary, in a time that is the test's own.
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { AgentLoop, Surface, TokenMeter } from "../../src/index.ts"
import type { TurnPlan, World } from "./conversation.ts"
import { requestSize } from "./counting.ts"
import { type Model, modelOf, promptOf } from "./session.ts"

export { layerSession, type Model, promptOf, route, type Seen } from "./session.ts"

export const makeModel = (world: World): Model => modelOf(world, requestSize)

/** Until the fiber has ended, or nothing runs any more but what waits: fibers run in microtasks. */
const untilQuiet = (fiber: Fiber.RuntimeFiber<unknown, unknown>) =>
  Effect.async<void>((resume) => {
    const end = () => {
      fiber.removeObserver(end)
      resume(Effect.void)
    }
    fiber.addObserver(end)
    setImmediate(end)
  })

/** Lets a fiber run as long as it does by itself, then moves the clock on, until it has ended. */
export const awaitEnd = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): Effect.Effect<Exit.Exit<A, E>> =>
  Effect.gen(function* () {
    for (let round = 0; round < 200; round++) {
      for (let i = 0; i < 3; i++) {
        const exit = fiber.unsafePoll()
        if (exit !== null) return exit
        yield* untilQuiet(fiber)
      }
      yield* TestClock.adjust("10 minutes")
    }
    return yield* Effect.dieMessage("it did not end in a day")
  })

/** Runs an effect to its end, whatever it waits for on the clock. */
export const drive = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Exit.Exit<A, E>, never, R> =>
  Effect.flatMap(Effect.fork(effect), awaitEnd)

/** One turn, to its end, inside a span as an application would have one. */
export const playTurn = (model: Model, plan: TurnPlan) =>
  Effect.suspend(() => {
    model.begin(plan)
    return drive(Effect.withSpan(AgentLoop.run(promptOf(plan)), "application"))
  })

/** All turns; `between` looks at the session after each. */
export const play = (world: World, model: Model) =>
  Effect.gen(function* () {
    const surface = yield* Surface.Surface
    const meter = yield* TokenMeter.TokenMeter
    const turns: Array<{
      readonly exit: Exit.Exit<AgentLoop.TurnEnd, unknown>
      readonly generation: number
      readonly lower: number
    }> = []
    for (const plan of world.turns) {
      const exit = yield* playTurn(model, plan)
      const generation = yield* surface.generation
      turns.push({ exit, generation, lower: (yield* meter.measure()).lowerTokens })
    }
    return turns
  })
