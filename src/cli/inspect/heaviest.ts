/**
 * The heaviest of many things, in bounded memory.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export interface Heaviest<A> {
  /** `value` is asked for only where the thing is among the heaviest so far */
  readonly add: (key: number, weight: number, value: () => A) => void
  readonly get: (key: number) => A | undefined
}

interface Entry {
  readonly key: number
  readonly weight: number
}

/**
 * Keeps `most` of them. Of two that weigh the same the first stays.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <A>(most: number): Heaviest<A> => {
  // a heap with the lightest at its top
  const heap: Array<Entry> = []
  const values = new Map<number, A>()
  const weightAt = (index: number): number => heap[index]?.weight ?? Infinity

  const swap = (a: number, b: number): void => {
    const moved = heap[a]!
    heap[a] = heap[b]!
    heap[b] = moved
  }

  const rise = (from: number): void => {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1
      if (weightAt(parent) <= weightAt(at)) return
      swap(at, parent)
      at = parent
    }
  }

  const sink = (): void => {
    for (let at = 0; ;) {
      const left = 2 * at + 1
      const child = weightAt(left + 1) < weightAt(left) ? left + 1 : left
      if (weightAt(child) >= weightAt(at)) return
      swap(at, child)
      at = child
    }
  }

  return {
    add: (key, weight, value) => {
      if (heap.length === most && weight <= weightAt(0)) return
      const entry = { key, weight }
      values.set(key, value())
      if (heap.length < most) {
        heap.push(entry)
        return rise(heap.length - 1)
      }
      values.delete(heap[0]!.key)
      heap[0] = entry
      sink()
    },
    get: (key) => values.get(key)
  }
}
