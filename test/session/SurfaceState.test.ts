import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Message from "../../src/session/Message.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import { cutBeforeTail } from "../../src/compaction/selection.ts"

const weights = [1]

const node = (seq: number, message: Message.Message, count = 1): SurfaceState.Node => ({
  seq,
  message,
  counts: [count],
  source: message.role === "assistant" ? "assistant" : message.role === "tool" ? "tool" : "prompt"
})

const right = <A, E>(either: Either.Either<A, E>): A =>
  Either.getOrThrowWith(either, (error) => new Error(JSON.stringify(error)))

const build = (nodes: ReadonlyArray<SurfaceState.Node>, dimensions = 1): SurfaceState.SurfaceState =>
  nodes.reduce((state, next) => right(SurfaceState.append(state, next)), SurfaceState.empty(dimensions))

const seqs = (state: SurfaceState.SurfaceState) => SurfaceState.nodes(state).map(({ seq }) => seq)

const result = (id: string, content: string) => Message.toolResult({ id, name: "t", content })

/** user, assistant with two calls, its results, assistant */
const pairs = build([
  node(0, Message.user("u"), 10),
  node(1, Message.assistant([Message.toolCall("a", "t", {}), Message.toolCall("b", "t", {})]), 5),
  node(2, result("a", "A"), 20),
  node(3, result("b", "B"), 30),
  node(4, Message.assistant("done"), 7)
])

/** Whole units of random kinds, as a list of nodes with seqs from 0 on. */
const units = FastCheck.array(
  FastCheck.record({
    calls: FastCheck.integer({ min: 0, max: 3 }),
    user: FastCheck.boolean(),
    size: FastCheck.nat(50)
  }),
  { maxLength: 12 }
).map((specs) => {
  const nodes: Array<SurfaceState.Node> = []
  for (const { calls, size, user } of specs) {
    if (user) nodes.push(node(nodes.length, Message.user("u"), size))
    const ids = Array.from({ length: calls }, (_, i) => `${nodes.length}-${i}`)
    nodes.push(node(nodes.length, Message.assistant(ids.map((id) => Message.toolCall(id, "t", {}))), size + 1))
    for (const id of ids) nodes.push(node(nodes.length, result(id, "r"), size + 2))
  }
  return nodes
})

describe("SurfaceState", () => {
  it("knows where units begin and end [A70]", () => {
    assert.deepStrictEqual(
      [0, 1, 2, 3, 4, 5].map((place) => SurfaceState.isBetweenUnits(pairs, place)),
      [true, true, false, false, true, true]
    )
    assert.strictEqual(SurfaceState.unitStart(pairs, 3), 1)
    assert.strictEqual(SurfaceState.unitStart(pairs, 4), 4)
  })

  it("refuses a result without a call, and anything between a call and its result [A74]", () => {
    const open = build([node(0, Message.assistant([Message.toolCall("a", "t", {})]))])
    const reasons = [node(1, result("b", "B")), node(1, Message.user("u")), node(1, Message.assistant("a"))].map(
      (next) =>
        Either.match(SurfaceState.append(open, next), { onLeft: ({ reason }) => reason, onRight: () => "appended" })
    )
    assert.deepStrictEqual(reasons, ["no-such-call", "unanswered-calls", "unanswered-calls"])
    assert.strictEqual(open.length, 1)
  })

  it("refuses two calls with one id, appended or put in place of another message", () => {
    const twice = Message.assistant([Message.toolCall("a", "t", {}), Message.toolCall("a", "t", { again: true })])
    const base = build([node(0, Message.user("u")), node(1, Message.user("v"))])
    for (const tried of [
      SurfaceState.append(base, node(2, twice)),
      SurfaceState.replace(base, [{ first: 1, last: 1, node: node(2, twice) }])
    ]) {
      assert.deepInclude(Either.isLeft(tried) ? tried.left : {}, {
        reason: "duplicate-call",
        detail: 'seq 2 makes two calls with the id "a"'
      })
    }
  })

  it("is a value: states that branch from one another do not see each other's messages [A69]", () => {
    const base = build([node(0, Message.user("u"))])
    const left = right(SurfaceState.append(base, node(1, Message.user("left"), 5)))
    const other = right(SurfaceState.append(base, node(1, Message.user("right"), 9)))
    assert.deepStrictEqual(SurfaceState.messages(left).map(Message.text), ["u", "left"])
    assert.deepStrictEqual(SurfaceState.messages(other).map(Message.text), ["u", "right"])
    assert.deepStrictEqual(
      [left, other].map((state) => SurfaceState.sumBefore(state, 2, weights)),
      [6, 10]
    )
    assert.strictEqual(base.length, 1)
    assert.strictEqual(SurfaceState.positionOf(base, 1), undefined)
  })

  it("reads no message for what it is asked, and of an append the new one only [A72]", () => {
    const reads: Array<number> = []
    const watched = (seq: number, message: Message.Message) => {
      const content = () => (reads.push(seq), message.content)
      return node(seq, Object.defineProperty({ ...message }, "content", { get: content }), 1)
    }
    const state = build([
      watched(0, Message.user("u")),
      watched(1, Message.assistant([Message.toolCall("a", "t", {})])),
      watched(2, result("a", "A"))
    ])
    reads.length = 0
    for (let place = 0; place <= 3; place++) {
      SurfaceState.isBetweenUnits(state, place)
      SurfaceState.unitStart(state, place)
      SurfaceState.sumBefore(state, place, weights)
      SurfaceState.positionOf(state, place)
      cutBeforeTail(state, place, weights)
    }
    assert.deepStrictEqual(reads, [])
    right(SurfaceState.append(state, watched(3, Message.user("next"))))
    assert.deepStrictEqual([...new Set(reads)], [3])
  })

  it("replaces many spans in one pass and moves the generation by their number [A61 A64]", () => {
    const next = right(
      SurfaceState.replace(pairs, [
        { first: 3, last: 3, node: node(9, result("b", "short"), 1) },
        { first: 0, last: 0, node: node(8, Message.user("c"), 2) }
      ])
    )
    assert.deepStrictEqual(seqs(next), [8, 1, 2, 9, 4])
    assert.strictEqual(next.generation, 2)
    assert.strictEqual(SurfaceState.sumBefore(next, next.length, weights), 2 + 5 + 20 + 1 + 7)
    assert.deepStrictEqual(seqs(pairs), [0, 1, 2, 3, 4])
    assert.strictEqual(SurfaceState.positionOf(pairs, 3), 3)
    assert.strictEqual(SurfaceState.positionOf(next, 3), undefined)
  })

  const refusals: ReadonlyArray<readonly [string, ReadonlyArray<SurfaceState.Replacement>]> = [
    ["empty", []],
    ["no-such-node", [{ first: 0, last: 77, node: node(9, Message.user("c")) }]],
    ["reversed", [{ first: 4, last: 1, node: node(9, Message.user("c")) }]],
    ["splits-a-pair", [{ first: 0, last: 2, node: node(9, Message.user("c")) }]],
    ["splits-a-pair", [{ first: 2, last: 3, node: node(9, Message.user("c")) }]],
    ["changes-more-than-content", [{ first: 2, last: 3, node: node(9, result("a", "x")) }]],
    ["changes-more-than-content", [{ first: 2, last: 2, node: node(9, result("b", "x")) }]],
    ["splits-a-pair", [{ first: 1, last: 1, node: node(9, Message.assistant("no calls any more")) }]],
    [
      "overlapping",
      [
        { first: 0, last: 3, node: node(8, Message.user("c")) },
        { first: 2, last: 2, node: node(9, result("a", "x")) }
      ]
    ]
  ]
  for (const [reason, replacements] of refusals) {
    it(`refuses: ${reason} (${replacements.map(({ first, last }) => `${first}-${last}`).join(", ")})`, () => {
      const refused = SurfaceState.replace(pairs, replacements)
      assert.strictEqual(Either.isLeft(refused) ? refused.left.reason : "replaced", reason)
      assert.strictEqual(pairs.generation, 0)
    })
  }

  it.prop(
    "weighs any number of nodes as a sum over each of them, and finds the last place within a limit",
    {
      counts: FastCheck.array(FastCheck.tuple(FastCheck.nat(9), FastCheck.nat(9), FastCheck.nat(9)), {
        maxLength: 200
      }),
      kinds: FastCheck.tuple(FastCheck.nat(2), FastCheck.nat(2), FastCheck.nat(2)),
      limit: FastCheck.nat(3_000)
    },
    ({ counts, kinds, limit }) => {
      const nodes = counts.map((values, seq) => ({ ...node(seq, Message.user("u")), counts: values }))
      const half = counts.length >> 1
      const older = build(nodes.slice(0, half), 3)
      const state = nodes.slice(half).reduce((now, next) => right(SurfaceState.append(now, next)), older)
      const weigh = (values: ReadonlyArray<number>) => values.reduce((sum, count, k) => sum + count * kinds[k]!, 0)
      const heavy = [0]
      for (const values of counts) heavy.push(heavy.at(-1)! + weigh(values))
      assert.deepStrictEqual(
        heavy.map((_, place) => SurfaceState.sumBefore(state, place, kinds)),
        heavy
      )
      assert.strictEqual(SurfaceState.sumBefore(older, older.length, kinds), heavy[half])
      assert.strictEqual(
        SurfaceState.lastWithin(state, limit, kinds),
        heavy.findLastIndex((sum) => sum <= limit)
      )
      assert.deepStrictEqual(
        SurfaceState.totalCounts(state),
        [0, 1, 2].map((k) => counts.reduce((sum, values) => sum + values[k]!, 0))
      )
    },
    { fastCheck: { numRuns: 300 } }
  )

  it.prop(
    "weighs for any tokenizer that is asked about, as it grows, whatever was asked before and of an older state too",
    {
      counts: FastCheck.array(FastCheck.tuple(FastCheck.nat(9), FastCheck.nat(9), FastCheck.nat(9)), {
        minLength: 1,
        maxLength: 60
      }),
      // more of them than a surface keeps sums for, each as an array of its own
      asked: FastCheck.array(
        FastCheck.record({
          kind: FastCheck.nat(6),
          back: FastCheck.nat(3),
          place: FastCheck.nat(60),
          limit: FastCheck.nat(900)
        }),
        { minLength: 1, maxLength: 60 }
      )
    },
    ({ asked, counts }) => {
      const states = [SurfaceState.empty(3)]
      for (let i = 0; i < Math.max(asked.length, counts.length); i++) {
        const values = counts[i]
        const newest = states.at(-1)!
        if (values !== undefined) {
          const next = { ...node(i, Message.user("u")), counts: values }
          states.push(right(SurfaceState.append(newest, next)))
        }
        const { back, kind, limit, place } = asked[i % asked.length]!
        const state = states.at(-1 - back) ?? states[0]!
        const kinds = [kind % 3, (kind + 1) % 2, kind > 3 ? 2 : 0]
        const heavy = [0]
        for (const values of counts.slice(0, state.length)) {
          heavy.push(heavy.at(-1)! + values.reduce((sum, count, k) => sum + count * kinds[k]!, 0))
        }
        const at = Math.min(place, state.length)
        assert.strictEqual(SurfaceState.sumBefore(state, at, kinds), heavy[at])
        assert.strictEqual(
          SurfaceState.lastWithin(state, limit, kinds),
          heavy.findLastIndex((sum) => sum <= limit)
        )
        assert.deepStrictEqual(
          SurfaceState.totalCounts(state),
          [0, 1, 2].map((k) => counts.slice(0, state.length).reduce((sum, values) => sum + values[k]!, 0))
        )
      }
    },
    { fastCheck: { numRuns: 300 } }
  )

  it.prop(
    "cuts before the smallest tail of whole units, as a search over all cuts finds it [A50 PAIR-1 PAIR-3 PAIR-11 GIANT-1]",
    { nodes: units, tail: FastCheck.nat(400) },
    ({ nodes, tail }) => {
      const state = build(nodes)
      const whole = nodes.map((_, place) => place).filter((place) => SurfaceState.isBetweenUnits(state, place))
      const holds = (place: number) => nodes.slice(place).reduce((sum, { counts }) => sum + counts[0]!, 0) >= tail
      assert.strictEqual(cutBeforeTail(state, tail, weights), whole.findLast(holds) ?? 0)
    },
    { fastCheck: { numRuns: 300 } }
  )

  it.prop(
    "after any replacement, every answer is that of a surface built from scratch [A71]",
    { nodes: units, from: FastCheck.nat(40), to: FastCheck.nat(40), more: units },
    ({ from, more, nodes, to }) => {
      FastCheck.pre(nodes.length > 0)
      const state = build(nodes)
      const first = SurfaceState.unitStart(state, from % nodes.length)
      let last = Math.max(first, to % nodes.length)
      while (!SurfaceState.isBetweenUnits(state, last + 1)) last++
      const checkpoint = node(1_000, Message.user("c"), 3)
      const span = { first: nodes[first]!.seq, last: nodes[last]!.seq, node: checkpoint }
      const appended = more.map((next) => ({ ...next, seq: 2_000 + next.seq }))
      const live = appended.reduce(
        (now, next) => right(SurfaceState.append(now, next)),
        right(SurfaceState.replace(state, [span]))
      )
      const fresh = build([...nodes.slice(0, first), checkpoint, ...nodes.slice(last + 1), ...appended])
      assert.deepStrictEqual(SurfaceState.messages(live), SurfaceState.messages(fresh))
      for (let place = 0; place <= fresh.length; place++) {
        assert.strictEqual(SurfaceState.isBetweenUnits(live, place), SurfaceState.isBetweenUnits(fresh, place))
        assert.strictEqual(SurfaceState.sumBefore(live, place, weights), SurfaceState.sumBefore(fresh, place, weights))
      }
      for (const { seq } of [...nodes, ...appended, checkpoint]) {
        assert.strictEqual(SurfaceState.positionOf(live, seq), SurfaceState.positionOf(fresh, seq))
      }
      assert.strictEqual(live.generation, 1)
    },
    { fastCheck: { numRuns: 300 } }
  )
})
