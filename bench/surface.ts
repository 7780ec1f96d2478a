// The pure core at any length: append, measure, cut, look-ups, and the passes that copy.
import * as Either from "effect/Either"
import { replacements } from "../src/compaction/SessionFold.ts"
import { measure } from "../src/compaction/measure.ts"
import { cutBeforeTail } from "../src/compaction/selection.ts"
import type { SessionState } from "../src/compaction/SessionState.ts"
import * as Message from "../src/session/Message.ts"
import * as SurfaceState from "../src/session/SurfaceState.ts"
import { counting, estimator, eventOf, extended, short, stepped, weights, wholeUnits } from "./states.ts"
import { run, type Task, type Timing } from "./timing.ts"

export const sizes = [1_000, 10_000, 100_000, 1_000_000] as const

/** Enough of them that collections, which a session pays for too, come in most rounds. */
const loops = 20_000

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

/**
 * A loop's step on the pure core: the messages arrive, the meter is read, the cut is known.
 *
 * A session goes on where the round before left it, as sessions do: a branch from an older state would copy, and a fresh
 * million of nodes a round would measure the collector. There are so many of them that none doubles its length; of small ones,
 * which would be hundreds that no cache holds, each round has a few new ones.
 */
const stepping = (size: number): Task => {
  const isSmall = size * 10 <= loops
  const count = Math.max(Math.ceil((isSmall ? 2 * loops : 400_000) / size), 1)
  const made = () => Array.from({ length: count }, () => extended(counting(), short(size)))
  let sessions = made()
  const more = short(wholeUnits(loops / sessions.length))
  return {
    name: `append + measure + cut/${size}`,
    units: sessions.length * more.length,
    prepare: () => {
      if (isSmall) sessions = made()
      const arriving = sessions.map(({ revision }) => more.map((message, i) => eventOf(message, revision + i)))
      return () => {
        let cuts = 0
        for (const [at, events] of arriving.entries()) {
          let state = sessions[at]!
          for (const event of events) {
            state = stepped(state, event)
            cuts += cutBeforeTail(measure(state, estimator).surface, tail, weights)
          }
          sessions[at] = state
        }
        return cuts
      }
    }
  }
}

const looks = (size: number, state: SessionState): ReadonlyArray<Task> => {
  const { surface } = state
  const place = (i: number) => (i * 7_919) % surface.length
  const seqs = SurfaceState.nodes(surface).map(({ seq }) => seq)
  return [
    repeated(`measure/${size}`, () => measure(state, estimator).totalTokens),
    repeated(`cut/${size}`, (i) => cutBeforeTail(surface, tail + i, weights)),
    repeated(`is between units/${size}`, (i) => SurfaceState.isBetweenUnits(surface, place(i))),
    repeated(`position of a node/${size}`, (i) => SurfaceState.positionOf(surface, seqs[place(i)]!))
  ]
}

const passes = (size: number, state: SessionState): ReadonlyArray<Task> => {
  const { surface } = state
  const nodes = SurfaceState.nodes(surface)
  const results = nodes.filter((node, i) => node.source === "tool" && i % 20 === 2)
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
  let asked = state
  return [
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
      prepare: () => {
        asked = extended(asked, [Message.user("one more")])
        return () => SurfaceState.messages(asked.surface)
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

/**
 * One size after the other, so that the heap of the largest does not slow the smallest, each beside its own push. The
 * passes come by themselves: they leave hundreds of megabytes to the collector, which would work through the next task.
 */
export const surface = (): ReadonlyArray<Timing> =>
  sizes.flatMap((size) => {
    const state = extended(counting(), short(size))
    return [
      ...run([{ ...push, name: `${push.name}/${size}` }, stepping(size), ...looks(size, state)]),
      ...run(passes(size, state))
    ]
  })
