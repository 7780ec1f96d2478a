import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import { acceptedPrefix } from "../../src/compaction/acceptedPrefix.ts"
import { defaults } from "../../src/compaction/Policy.ts"
import { apply } from "../../src/compaction/SessionFold.ts"
import * as SessionState from "../../src/compaction/SessionState.ts"
import { assess, type Situation } from "../../src/compaction/Situation.ts"
import { split } from "../../src/compaction/summaryChunks.ts"
import { halved, propose } from "../../src/compaction/summarising.ts"
import type { TokenEstimator } from "../../src/compaction/TokenEstimator.ts"
import * as Message from "../../src/session/Message.ts"
import type * as SessionEvent from "../../src/session/SessionEvent.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"

/** One token a character of the JSON, so that sizes can be read off. */
const estimator: TokenEstimator = {
  id: "characters",
  dimensions: 1,
  message: (message) => [JSON.stringify(message.content).length],
  envelope: () => [10],
  weights: () => [1]
}

const counts = (message: Message.Message) => ({ estimator: estimator.id, values: estimator.message(message) })

const prompt = (text: string, source: "prompt" | "checkpoint" = "prompt"): SessionEvent.Body => {
  const message = Message.user(text)
  return { type: "message/user", data: { message, source, counts: counts(message) } }
}

const unit = (ids: ReadonlyArray<string>, text: string): ReadonlyArray<SessionEvent.Body> => {
  const message = Message.assistant(ids.map((id) => Message.toolCall(id, "read", {})))
  return [
    { type: "message/assistant", data: { message, counts: counts(message) } },
    ...ids.map((id): SessionEvent.Body => {
      const result = Message.toolResult({ id, name: "read", content: text })
      const content = [Message.textBlock(text)]
      return { type: "message/tool-result", data: { callId: id, name: "read", content, counts: counts(result) } }
    })
  ]
}

const envelope = { route: { provider: "p", model: "m" } }

const stateOf = (bodies: ReadonlyArray<SessionEvent.Body>): SessionState.SessionState =>
  [
    { type: "request/envelope", data: { envelope, counts: { estimator: estimator.id, values: [10] } } } as const,
    ...bodies
  ].reduce(
    (state, body, seq) =>
      Either.getOrThrowWith(apply(state, { ...body, seq, time: 0 }, estimator), ({ detail }) => new Error(detail)),
    SessionState.empty(estimator)
  )

const situationOf = (
  bodies: ReadonlyArray<SessionEvent.Body>,
  options: { readonly window?: number; readonly trigger?: SessionEvent.Trigger } = {}
): Situation =>
  Either.getOrThrowWith(
    assess({
      trigger: options.trigger ?? "manual",
      state: stateOf(bodies),
      estimator,
      policy: defaults,
      known: () => (options.window === undefined ? undefined : { window: options.window }),
      summaryBounded: true
    }),
    ({ reason }) => new Error(reason)
  )

const weights = [1]

describe("a span taken apart for the summariser", () => {
  const shape = fc.array(fc.record({ calls: fc.integer({ min: 0, max: 3 }), size: fc.integer({ min: 0, max: 400 }) }), {
    minLength: 1,
    maxLength: 20
  })

  it("every chunk fits, holds whole units, and together they are the span from its start, each node once", () => {
    fc.assert(
      fc.property(
        shape,
        fc.integer({ min: 100, max: 3_000 }),
        fc.integer({ min: 50, max: 3_000 }),
        (units, first, later) => {
          const bodies = units.flatMap(({ calls, size }, i) =>
            calls === 0
              ? [prompt("p".repeat(size))]
              : unit(
                  Array.from({ length: calls }, (_, call) => `c${i}-${call}`),
                  "r".repeat(size)
                )
          )
          const situation = situationOf(bodies)
          const { surface } = situation.state
          const chunks = split(situation, 0, surface.length, { first, later }, weights)
          const nodes = chunks.flatMap((chunk) => chunk.nodes)
          assert.deepStrictEqual(nodes, SurfaceState.nodes(surface, 0, nodes.length))
          assert.isTrue(SurfaceState.isBetweenUnits(surface, nodes.length))
          let at = 0
          chunks.forEach((chunk, i) => {
            assert.isAtMost(chunk.size, i === 0 ? first : later)
            assert.isTrue(SurfaceState.isBetweenUnits(surface, (at += chunk.nodes.length)))
            assert.strictEqual(
              chunk.size,
              chunk.sent.reduce((sum, message) => sum + estimator.message(message)[0]!, 0)
            )
          })
          // only what no request can carry is left over
          if (nodes.length < surface.length && chunks.length < 16) {
            let end = nodes.length + 1
            while (!SurfaceState.isBetweenUnits(surface, end)) end++
            const next = SurfaceState.nodes(surface, nodes.length, end)
            const smallest = next.reduce((sum, node) => sum + (node.counts[0] ?? 0), 0)
            assert.isAbove(smallest, Math.min(later, first, 300))
          }
        }
      )
    )
  })

  it("is one chunk, unchanged, where it fits, and a bounded number of them where it does not", () => {
    const bodies = Array.from({ length: 200 }, () => prompt("x".repeat(100)))
    const situation = situationOf(bodies)
    const [only, ...more] = split(situation, 0, 200, { first: Infinity, later: 0 }, weights)
    assert.lengthOf(more, 0)
    assert.deepStrictEqual(only?.sent, SurfaceState.messages(situation.state.surface))
    assert.lengthOf(split(situation, 0, 200, { first: 150, later: 150 }, weights), 16)
  })

  it("shortens a unit that no request could carry, and one behind a checkpoint, which alone is no request", () => {
    const situation = situationOf([prompt("old", "checkpoint"), ...unit(["a"], "r".repeat(50_000)), prompt("go on")])
    const chunks = split(situation, 0, 4, { first: 12_000, later: 12_000 }, weights)
    assert.deepStrictEqual(
      chunks.map((chunk) => chunk.nodes.length),
      [4]
    )
    assert.isBelow(chunks[0]?.size ?? Infinity, 12_000)
    assert.include(JSON.stringify(chunks[0]?.sent), "the whole is seq 3")
  })
})

describe("a summariser that overflows", () => {
  it("gets at most half of what was too large, from the same place on, and nothing that it had before", () => {
    const situation = situationOf(Array.from({ length: 40 }, () => prompt("x".repeat(100))))
    const proposal = propose(situation)!
    let { chunks } = proposal
    const sizes = [chunks[0]!.size]
    for (let halving = 0; halving < 3; halving++) {
      const smaller = halved(situation, { chunks, maxTokens: 100 }, 0)!.chunks
      assert.isAtMost(smaller[0]!.size, sizes.at(-1)! / 2)
      assert.deepStrictEqual(smaller[0]!.nodes[0], proposal.nodes[0])
      sizes.push(smaller[0]!.size)
      chunks = smaller
    }
  })

  it("believes the limit that the summariser states", () => {
    const situation = situationOf(Array.from({ length: 100 }, () => prompt("x".repeat(100))))
    const { chunks } = propose(situation)!
    const smaller = halved(situation, { chunks, maxTokens: 100 }, 0, 2_000)!.chunks
    assert.isAtMost(smaller[0]!.size, 2_000)
  })

  it("has nothing smaller to get where one unit is all and cannot be cut", () => {
    const situation = situationOf([prompt("x".repeat(200)), prompt("now")])
    const { chunks } = propose(situation)!
    assert.isUndefined(halved(situation, { chunks, maxTokens: 100 }, 0))
  })
})

describe("the accepted request's own messages", () => {
  const answered = (bodies: ReadonlyArray<SessionEvent.Body>): ReadonlyArray<SessionEvent.Body> => {
    const message = Message.assistant("done")
    return [
      ...bodies,
      { type: "step/start", data: { turn: null, step: 0, generation: 0 } },
      { type: "message/assistant", data: { message, finish: "stop", counts: counts(message) } },
      { type: "step/end", data: { turn: null, step: 0, outcome: "completed" } }
    ]
  }
  const results = [...unit(["a"], "r".repeat(9_000)), ...unit(["b"], "s".repeat(900)), prompt("go on")]
  const pruned: SessionEvent.Body = {
    type: "message/tool-result",
    data: {
      callId: "a",
      name: "read",
      content: [Message.textBlock("short")],
      counts: counts(Message.toolResult({ id: "a", name: "read", content: "short" })),
      replaces: { first: 2, last: 2, sources: [2] }
    }
  }
  const messages = (situation: Situation, to: number) => acceptedPrefix(situation, to)?.map((node) => node.message)

  it("are the surface's where nothing changed since", () => {
    const situation = situationOf(answered(results))
    assert.deepStrictEqual(messages(situation, 4), SurfaceState.messages(situation.state.surface).slice(0, 4))
  })

  it("hold whole what was pruned since, and what came since behind them", () => {
    const before = situationOf(answered(results))
    const situation = situationOf([...answered(results), pruned])
    assert.strictEqual(situation.state.surface.generation, 1)
    const { length } = situation.state.surface
    assert.deepStrictEqual(messages(situation, length), SurfaceState.messages(before.state.surface))
  })

  it("are not used where a checkpoint stands for some of them, or no request was answered", () => {
    const checkpoint: SessionEvent.Body = {
      type: "message/user",
      data: {
        message: Message.user("checkpoint"),
        source: "checkpoint",
        counts: counts(Message.user("checkpoint")),
        replaces: { first: 1, last: 2, sources: [1, 2] }
      }
    }
    assert.isUndefined(messages(situationOf([...answered(results), checkpoint]), 3))
    assert.isUndefined(messages(situationOf(results), 3))
  })
})
