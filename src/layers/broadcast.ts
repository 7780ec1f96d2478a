import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** Tells all who listen, and waits for nobody. */
export interface Broadcast<A> {
  readonly tell: (value: A) => void
  /** What is told from when it is run on, until the scope closes. */
  readonly stream: Stream.Stream<A>
}

/**
 * A listener who is more than `kept` values behind misses the oldest. The place for those is made for the first listener: most
 * sessions have none, and a thousand of them would hold a hundred megabytes for nobody.
 */
export const make = <A>(kept: number): Effect.Effect<Broadcast<A>, never, Scope.Scope> =>
  Effect.suspend(() => {
    let hub: PubSub.PubSub<A> | undefined
    let closed = false
    const listened = Effect.suspend(() => {
      if (closed) return Effect.succeed(Stream.empty)
      const made = hub === undefined ? PubSub.sliding<A>(kept) : Effect.succeed(hub)
      return Effect.map(made, (made) => Stream.fromPubSub((hub ??= made)))
    })
    const close = Effect.suspend(() => {
      closed = true
      return hub === undefined ? Effect.void : PubSub.shutdown(hub)
    })
    return Effect.as(
      Effect.addFinalizer(() => close),
      { tell: (value: A) => void hub?.unsafeOffer(value), stream: Stream.unwrap(listened) }
    )
  })
