/**
 * Sessions with the tokens that their system prompt and tools take, and a window that can hold none of them.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Session } from "../../formats/Transcript.ts"
import type { Route } from "../../session/Route.ts"
import type { Counter } from "./counter.ts"
import { BadInput } from "../exitCode.ts"
import { envelopeOf } from "./session.ts"
import { whole } from "../say.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Sized {
  readonly session: Session
  readonly envelope: number
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const sizesOf = (sessions: ReadonlyArray<Session>, route: Route, counter: Counter): ReadonlyArray<Sized> =>
  sessions.map((session) => ({ session, envelope: counter.envelope(envelopeOf(session, route)) }))

/**
 * Fails where not even the smallest of them fits.
 *
 * @since 0.1.0
 * @category predicates
 */
export const refuseWindow = (sized: ReadonlyArray<Sized>, window: number): Effect.Effect<void, BadInput> => {
  const smallest = sized.reduce((least, each) => (each.envelope < least.envelope ? each : least))
  if (smallest.envelope <= window) return Effect.void
  const where = sized.length === 1 ? "" : ` (the smallest of ${sized.length} sessions)`
  const message = `a window of ${whole(window)} tokens cannot hold the system prompt: with its tools it takes ${whole(smallest.envelope)}${where}`
  return Effect.fail(new BadInput({ message }))
}
