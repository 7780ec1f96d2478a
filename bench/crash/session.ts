// A session of a run, played from what its log says: the turn after the newest one, whoever wrote that.
import * as Effect from "effect/Effect"
import { AgentLoop, type LogStore, Message, Surface } from "../../src/index.ts"
import type { ModelRequest } from "../../src/services/ModelAdapter.ts"
import { layerSession, type Model, modelOf, promptOf } from "../../test/properties/session.ts"
import { injects, type SessionPlan, turnOf } from "./plan.ts"

/** Tokens as this model counts them. A vocabulary would take longer to load than all that a process does here. */
const sizeOf = ({ messages }: ModelRequest) =>
  Math.ceil(JSON.stringify(messages.map(({ content }) => content)).length / 4)

/** Opens the session in that store for one use, with a model that waits to be told what to say. */
export const inSession =
  (plan: SessionPlan, store: typeof LogStore.LogStore.Service) =>
  <A, E>(use: (model: Model) => Effect.Effect<A, E, AgentLoop.AgentLoop | Surface.Surface>) =>
    Effect.suspend(() => {
      const model = modelOf(plan.world, sizeOf)
      return Effect.provide(use(model), layerSession(plan.world, store, model, plan.id))
    })

const turnOfSession = Effect.map(
  Effect.flatMap(Surface.Surface, (surface) => surface.state),
  ({ turn }) => turn
)

export const isFinished = (plan: SessionPlan) => Effect.map(turnOfSession, (turn) => turn + 1 >= plan.turns)

/** The next turn, to its end, with context that comes meanwhile; what it was, and the generation behind it. */
export const playNext = (seed: number, plan: SessionPlan, model: Model) =>
  Effect.gen(function* () {
    const turn = (yield* turnOfSession) + 1
    const planned = turnOf(seed, plan, turn)
    model.begin(planned)
    const [end] = yield* Effect.all(
      [
        AgentLoop.run(promptOf(planned)),
        injects(turn)
          ? Effect.zipRight(Effect.yieldNow(), AgentLoop.inject(Message.user(`Meanwhile, turn ${turn} goes on.`)))
          : Effect.void
      ],
      { concurrency: "unbounded" }
    )
    return { turn, outcome: end.outcome, generation: yield* Surface.generation }
  })
