/**
 * The log of a guarded conversation. The application keeps the messages and sends them all again, so nothing is kept here but
 * which of them each message on the surface stands for.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Seq } from "../session/Ids.ts"
import type { SurfaceBody } from "../session/SessionEvent.ts"
import { LogStore } from "../services/LogStore.ts"

/**
 * The messages of the application from `from` up to, not including, `to`. `untouched`: it is that one, or a part of it, as
 * it came.
 *
 * @since 0.1.0
 * @category models
 */
export interface Source {
  readonly from: number
  readonly to: number
  readonly untouched: boolean
  /** It was said behind something else than what stands before it now. */
  readonly displaced?: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export interface SourceLog {
  readonly store: typeof LogStore.Service
  readonly sourceOf: (seq: Seq) => Source | undefined
  /** Says what the events that were appended last stand for. */
  readonly appended: (from: Seq, to: Seq, source: Source) => void
}

const isReplacement = (event: unknown): event is SurfaceBody & { readonly seq: Seq } =>
  typeof event === "object" && event !== null && "data" in event && (event as SurfaceBody).data.replaces !== undefined

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (): SourceLog => {
  const sources = new Map<Seq, Source>()

  /** What stands in place of others stands for what they stood for, and they are gone for good. */
  const replaced = (event: SurfaceBody & { readonly seq: Seq }) => {
    const shadowed = event.data.replaces!.sources
    const known = shadowed.flatMap((seq) => sources.get(seq) ?? [])
    for (const seq of shadowed) sources.delete(seq)
    sources.set(event.seq, {
      from: Math.min(...known.map(({ from }) => from)),
      to: Math.max(...known.map(({ to }) => to)),
      untouched: false
    })
  }

  return {
    store: LogStore.of({
      open: () =>
        Effect.succeed({
          writer: globalThis.crypto.randomUUID(),
          read: () => Stream.empty,
          append: ({ events }) =>
            Effect.sync(() => {
              for (const event of events) if (isReplacement(event)) replaced(event)
            })
        }),
      exists: () => Effect.succeed(false)
    }),
    sourceOf: (seq) => sources.get(seq),
    appended: (from, to, source) => {
      for (let seq = from; seq < to; seq++) sources.set(seq, source)
    }
  }
}
