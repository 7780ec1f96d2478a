import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { LogWriteFailed } from "../../src/errors/SessionError.ts"
import * as LogStore from "../../src/layers/LogStore.ts"

/** Ends the writers of all open logs as a power cut would: what they write from now on goes nowhere. */
export class Crash extends Context.Tag("effect-compaction/test/Crash")<Crash, Effect.Effect<void>>() {}

/** A store whose logs outlive their writers. */
export const layerCrashing = (store: Layer.Layer<LogStore.LogStore> = LogStore.layerMemory) =>
  Layer.effectContext(
    Effect.map(LogStore.LogStore, (inner) => {
      const alive = new Set<Scope.CloseableScope>()
      const open = Effect.fnUntraced(function* (id: string) {
        const own = yield* Effect.acquireRelease(Scope.make(), (scope, exit) =>
          Effect.suspend(() => (alive.delete(scope) ? Scope.close(scope, exit) : Effect.void))
        )
        const handle = yield* Scope.extend(inner.open(id), own)
        alive.add(own)
        const gone = (seq: number) =>
          new LogWriteFailed({ session: id, seq, written: "unknown", detail: "the writer is dead" })
        return {
          ...handle,
          append: (batch, options) =>
            Effect.suspend(() => (alive.has(own) ? handle.append(batch, options) : gone(batch.seq)))
        } satisfies LogStore.LogHandle
      })
      const crash = Effect.suspend(() => {
        const scopes = [...alive]
        alive.clear()
        return Effect.forEach(scopes, (scope) => Scope.close(scope, Exit.void), { discard: true })
      })
      return Context.make(LogStore.LogStore, { ...inner, open }).pipe(Context.add(Crash, crash))
    })
  ).pipe(Layer.provide(store))
