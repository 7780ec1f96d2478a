// Stores that let a test have its way before a batch is written.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LogStore from "../../src/layers/LogStore.ts"

export type Look = (batch: { readonly events: ReadonlyArray<unknown> }) => boolean

/** Runs the effect before each batch that `at` picks. */
export const before = (
  at: Look,
  effect: Effect.Effect<void>,
  log: Layer.Layer<LogStore.LogStore> = LogStore.layerMemory
): Layer.Layer<LogStore.LogStore> =>
  Layer.effect(
    LogStore.LogStore,
    Effect.map(LogStore.LogStore, (store) =>
      LogStore.LogStore.of({
        ...store,
        open: (id) =>
          Effect.map(store.open(id), (handle) => ({
            ...handle,
            append: (batch, options) => Effect.zipRight(at(batch) ? effect : Effect.void, handle.append(batch, options))
          }))
      })
    )
  ).pipe(Layer.provide(log))

/** Each write takes so many turns of the other fibers. */
export const slowly = (turns: number, log?: Layer.Layer<LogStore.LogStore>) =>
  before(() => true, Effect.repeatN(Effect.yieldNow(), turns - 1), log)
