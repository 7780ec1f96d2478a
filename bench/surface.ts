// The pure core at any length: append, measure, cut, look-ups, and the passes that copy.
import * as Either from "effect/Either"
import { apply, replacements } from "../src/compaction/SessionFold.ts"
import { measure } from "../src/compaction/measure.ts"
import { cutBeforeTail } from "../src/compaction/selection.ts"
import type { SessionState } from "../src/compaction/SessionState.ts"
import * as Message from "../src/session/Message.ts"
import * as SurfaceState from "../src/session/SurfaceState.ts"
import { counting, estimator, eventOf, extended, short, weights } from "./states.ts"
import { run, type Task, type Timing } from "./timing.ts"

export const sizes = [1_000, 10_000, 100_000, 1_000_000] as const

const loops = 3_000

/** Repeats `operation`, timed as a whole. */
const repeated = (name: string, operation: (i: number) => unknown): Task => ({
  name,
  units: loops,
  prepare: () => () => {
    let last: unknown
    for (let i = 0; i < loops; i++) last = operation(i)
    return last
  }
})

const right = <A>(either: Either.Either<A, SurfaceState.Violation>): A =>
  Either.getOrThrowWith(either, ({ detail }) => new Error(detail))

const tail = 20_000

/** A loop's step on the pure core: the messages arrive, the meter is read, the cut is known. */
const stepping = (size: number, start: SessionState): Task => {
  const more = short(loops)
  return {
    name: `append + measure + cut/${size}`,
    units: loops,
    prepare: () => {
      // the first append after a branch copies: that is not what a session pays
      let state = extended(start, [Message.user("branch")])
      const events = more.map((message, i) => eventOf(message, state.revision + i))
      return () => {
        let cut = 0
        for (const event of events) {
          state = right(apply(state, event, estimator))
          cut += cutBeforeTail(measure(state, estimator).surface, tail, weights)
        }
        return cut
      }
    }
  }
}

const tasksFor = (size: number): ReadonlyArray<Task> => {
  const state = extended(counting(), short(size))
  const { surface } = state
  const nodes = SurfaceState.nodes(surface)
  const results = nodes.filter((node, i) => node.source === "tool" && i % 20 === 2)
  const seqAt = (i: number) => nodes[(i * 7_919) % nodes.length]!.seq
  const checkpoint = (seq: number): SurfaceState.Node => ({
    seq,
    message: Message.user("checkpoint"),
    counts: estimator.message(Message.user("")),
    source: "checkpoint"
  })
  const half = nodes[SurfaceState.unitStart(surface, nodes.length >> 1) - 1]!
  const head = { first: nodes[0]!.seq, last: half.seq, node: checkpoint(state.revision) }
  const pruned = results.map((node, i) => ({
    first: node.seq,
    last: node.seq,
    node: { ...node, seq: state.revision + i }
  }))
  const appended = extended(state, [Message.user("one more")])
  return [
    stepping(size, state),
    repeated(`measure/${size}`, () => measure(state, estimator).totalTokens),
    repeated(`cut/${size}`, (i) => cutBeforeTail(surface, tail + i, weights)),
    repeated(`is between units/${size}`, (i) => SurfaceState.isBetweenUnits(surface, (i * 7_919) % nodes.length)),
    repeated(`position of a node/${size}`, (i) => SurfaceState.positionOf(surface, seqAt(i))),
    {
      name: `head replacement/${size}`,
      units: size,
      prepare: () => () => right(replacements(state, [head], estimator))
    },
    {
      name: `prune pass of ${results.length}/${size}`,
      units: size,
      prepare: () => () => right(replacements(state, pruned, estimator))
    },
    {
      name: `messages of the next request/${size}`,
      units: 1,
      // a state of its own each time, since what was built once is shared
      prepare: () => {
        const fresh = { ...appended.surface }
        return () => SurfaceState.messages(fresh)
      }
    }
  ]
}

/** What the same step would cost in plain JavaScript at its cheapest. */
const push: Task = {
  name: "array.push + addition",
  units: 100_000,
  prepare: () => {
    const array: Array<number> = []
    return () => {
      let sum = 0
      for (let i = 0; i < 100_000; i++) {
        array.push(i)
        sum += i
      }
      return sum
    }
  }
}

/** One size after the other, each beside its own push, so that the heap of the largest does not slow the smallest. */
export const surface = (): ReadonlyArray<Timing> =>
  sizes.flatMap((size) => run([{ ...push, name: `${push.name}/${size}` }, ...tasksFor(size)]))
