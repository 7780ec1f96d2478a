import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { readFileSync } from "node:fs"
import { crc32 } from "node:zlib"
import * as LogExamination from "../../src/compaction/LogExamination.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import { figures, fold } from "../session/golden/fold.ts"
import { estimator } from "../session/golden/version1.ts"

const golden = new Uint8Array(readFileSync(new URL("../session/golden/version1.jsonl", import.meta.url)))
const lines = new TextDecoder()
  .decode(golden)
  .split("\n")
  .slice(0, -1)
  .map((line) => `${line}\n`)
const encode = (text: string) => new TextEncoder().encode(text)

const examine = (bytes: Uint8Array, size = 4096) => {
  const examiner = LogExamination.make(estimator)
  for (let at = 0; at < bytes.length; at += size) examiner.push(bytes.slice(at, at + size))
  return examiner.end()
}
const ofLines = (changed: ReadonlyArray<string>) => examine(encode(changed.join("")))
const rules = ({ findings }: LogExamination.Examination) => findings.map(({ rule }) => rule)

const repaired = (bytes: Uint8Array, { kept }: LogExamination.Examination) =>
  Buffer.concat(kept.map(({ from, to }) => bytes.subarray(from, to)))

/** The line, changed, with a right sum again. */
const resummed = (line: string, from: string, to: string) => {
  assert.include(line, from)
  const text = line.slice(0, line.lastIndexOf(',"sum":"')).replace(from, to)
  return `${text},"sum":"${crc32(text).toString(16).padStart(8, "0")}"}\n`
}
const changing = (place: number, from: string, to: string) =>
  ofLines(lines.map((line, i) => (i === place ? resummed(line, from, to) : line)))
const lineOf = (text: string) => lines.findIndex((line) => line.includes(text))

/** Where each line ends, and the events up to there. */
const ends = lines.map((_, i) => encode(lines.slice(0, i + 1).join("")).length)

describe("LogExamination", () => {
  it("says what is in a log, and that nothing is wrong with it", () => {
    const { bytes, compactions, events, findings, formatVersions, generation, kept, messages, session, turns, types } =
      examine(golden)
    assert.deepStrictEqual(findings, [])
    assert.deepStrictEqual(
      { bytes, compactions, events, formatVersions, generation, messages, session, turns },
      {
        bytes: golden.length,
        compactions: 2,
        events: 32,
        formatVersions: [1],
        generation: 2,
        messages: SurfaceState.messages(fold(golden, estimator).surface).length,
        session: "golden/é",
        turns: 1
      }
    )
    assert.strictEqual(types["step/start"], 4)
    assert.deepStrictEqual(kept, [{ from: 0, to: golden.length }])
  })

  it.prop(
    "finds any flipped byte, whatever the chunks, and keeps a log that opens with all before it",
    [
      FastCheck.nat(golden.length - 1),
      FastCheck.integer({ min: 1, max: 255 }),
      FastCheck.integer({ min: 1, max: 9000 })
    ],
    ([at, mask, size]) => {
      const bytes = golden.slice()
      bytes[at]! ^= mask
      const found = examine(bytes, size)
      assert.isNotEmpty(found.findings.filter(({ kind }) => kind === "fault"))
      const kept = repaired(bytes, found)
      const whole = ends.filter((end) => end <= at).at(-1) ?? 0
      assert.strictEqual(Buffer.compare(kept.subarray(0, whole), golden.subarray(0, whole)), 0)
      const state = fold(kept, estimator)
      assert.strictEqual(state.revision, found.events)
      assert.strictEqual(Buffer.compare(kept, golden.subarray(0, kept.length)), 0)
    },
    { fastCheck: { numRuns: 800 } }
  )

  it("finds any cut, but for one between two batches, which is a log", () => {
    for (let length = 0; length <= golden.length; length++) {
      if (length % 5 !== 0 && !ends.includes(length) && !ends.includes(length + 1)) continue
      const bytes = golden.subarray(0, length)
      const found = examine(bytes)
      const whole = ends.filter((end) => end <= length).at(-1) ?? 0
      assert.strictEqual(rules(found).includes("torn-tail"), length > whole, `cut at ${length}`)
      assert.strictEqual(repaired(bytes, found).length, whole)
    }
  })

  it("goes on behind foreign text and a line that comes twice: they surely cost nothing", () => {
    const state = figures(fold(golden, estimator), estimator)
    for (const [rule, text] of [
      ["foreign-text", "a note by somebody\n"],
      ["foreign-text", "\n"],
      ["repeated-line", lines[4]!]
    ] as const) {
      const bytes = encode([...lines.slice(0, 6), text, ...lines.slice(6)].join(""))
      const found = examine(bytes, 100)
      assert.deepStrictEqual(
        found.findings.map(({ line, offset, rule }) => ({ line, offset, rule })),
        [{ line: 7, offset: ends[5]!, rule }]
      )
      assert.deepStrictEqual(figures(fold(repaired(bytes, found), estimator), estimator), state)
    }
  })

  it("keeps nothing behind a gap, an event of another writer, and a line out of order", () => {
    const gap = ofLines(lines.filter((_, i) => i !== 5))
    assert.deepStrictEqual([rules(gap), gap.events], [["gap", "open-turn"], 10])
    assert.deepStrictEqual(gap.left, { batches: lines.length - 6, events: 21 })

    const other = resummed(lines[5]!, "by the way", "by the bye")
    const double = ofLines([...lines.slice(0, 6), other, ...lines.slice(6)])
    // which of the two is the session's nobody can say: neither is kept
    assert.deepStrictEqual([rules(double)[0], double.events], ["double-seq", 10])
    const before = ofLines(lines.slice(0, 5))
    assert.deepStrictEqual(
      [double.types, double.turns, double.lastTime, double.messages, double.kept],
      [before.types, before.turns, before.lastTime, before.messages, before.kept]
    )
    assert.deepStrictEqual(double.left, { batches: lines.length - 4, events: 23 })
    // an older line that strayed is told from one of two
    const stray = ofLines([...lines.slice(0, 9), resummed(lines[5]!, "by the way", "by the bye"), ...lines.slice(9)])
    assert.deepStrictEqual([rules(stray)[0], stray.events], ["double-seq", ofLines(lines.slice(0, 9)).events])

    const swapped = ofLines([...lines.slice(0, 5), lines[6]!, lines[5]!, ...lines.slice(7)])
    assert.deepStrictEqual([rules(swapped)[0], swapped.events], ["gap", 10])
  })

  it("tells what does not decode, does not pair, and names other sources", () => {
    const invalid = changing(3, '"finish":"tool-calls"', '"finish":"because"')
    assert.deepStrictEqual(
      [rules(invalid)[0], invalid.findings[0]?.seq, invalid.findings[0]?.line],
      ["invalid-event", 5, 4]
    )
    assert.deepStrictEqual(rules(changing(3, '"callId":"c1"', '"callId":"c9"'))[0], "broken-pair")
    const sources = changing(lineOf('"summary":"They'), '"sources":[2,5,15,7]', '"sources":[2,5,7]')
    assert.strictEqual(rules(sources)[0], "broken-replacement")
    assert.strictEqual(sources.events, 25)
  })

  it("tells a newer format, and keeps what stands before it", () => {
    const found = changing(7, '{"v":1', '{"v":2')
    assert.strictEqual(found.findings[0]?.rule, "other-format")
    assert.include(found.findings[0]?.detail, "format version 2, newer than version 1")
  })

  it("takes zeros at the end for a write that a power loss emptied, and those in the middle for damage", () => {
    const zeros = `${"\0".repeat(50)}\n`
    assert.deepStrictEqual(rules(ofLines([...lines, zeros])), ["torn-tail"])
    assert.deepStrictEqual(rules(ofLines([...lines, "\0".repeat(50)])), ["torn-tail"])
    assert.strictEqual(rules(ofLines([...lines.slice(0, 5), zeros, ...lines.slice(5)]))[0], "damaged-line")
  })

  it("holds a file of something else to one finding a line, and counts beyond two hundred", () => {
    const found = examine(encode("x".repeat(100_000) + "\n".repeat(300)), 1000)
    assert.deepStrictEqual([found.findings.length, found.more, found.kept.length], [200, 100, 0])
  })

  it("notes what a dead writer left open, which is nothing wrong", () => {
    const found = ofLines(lines.slice(0, 3))
    assert.deepStrictEqual(
      found.findings.map(({ kind, rule }) => [kind, rule]),
      [
        ["note", "open-turn"],
        ["note", "open-step"]
      ]
    )
    assert.deepStrictEqual(rules(ofLines(lines.slice(0, 9))), ["open-turn", "open-compaction"])
    assert.deepStrictEqual(rules(changing(0, '"seq":1}', '"seq":99}')), ["unfinished-branch"])
  })

  it("accepts brackets of a turn, and those of none [A146]", () => {
    assert.include(lines[lineOf('"id":"k1"')], '"turn":0')
    assert.include(lines[lineOf('"id":"k2"')], '"turn":null')
    assert.deepStrictEqual(examine(golden).findings, [])
  })

  it("refuses brackets that cross turns, or each other [A147]", () => {
    const start = lineOf('"compaction/start"')
    assert.deepStrictEqual(rules(changing(start, '"turn":0', '"turn":1')), ["compaction-order"])
    assert.deepStrictEqual(rules(changing(start, '"turn":0', '"turn":null')), ["compaction-order"])
    assert.deepStrictEqual(rules(changing(lineOf('"id":"k2"'), '"turn":null', '"turn":0')), ["compaction-order"])
    const end = '{"id":"k1","outcome":"landed","targetMet":true}'
    assert.include(rules(changing(start + 1, end, end.replace("k1", "k0"))), "compaction-order")
    assert.deepStrictEqual(rules(changing(2, '"step":0', '"step":5')), ["step-order"])
    assert.deepStrictEqual(rules(changing(1, '"turn":0', '"turn":3'))[0], "step-order")
  })

  it("refuses records of a compaction that contradict each other [A148]", () => {
    const at = lineOf('"summary":"They')
    assert.deepStrictEqual(rules(changing(at, '"before":90', '"before":9')), ["compaction-record"])
    assert.deepStrictEqual(rules(changing(at, '"span":{"first":2', '"span":{"first":5')), ["compaction-record"])
    assert.deepStrictEqual(rules(changing(at, '"shadowed":[2,5,15,7]', '"shadowed":[]')), [
      "invalid-event",
      "open-compaction"
    ])
    assert.deepStrictEqual(rules(changing(lineOf('"compaction/call"'), '"id":"k2"', '"id":"k3"')), ["compaction-order"])
  })

  it("wants a checkpoint to stand in its compaction [A149]", () => {
    const at = lineOf('"compaction/start","data":{"id":"k2"')
    const skipped = resummed(lines[at]!, '"compaction/start",', '"later/kind","optional":true,')
    const found = ofLines(lines.map((line, i) => (i === at ? skipped : line)))
    assert.include(
      found.findings.map(({ detail }) => detail),
      "a checkpoint takes the place of messages, and no compaction is open"
    )
  })

  it("comes to the same verdicts whatever the pieces that it is given [A150]", () => {
    const bytes = encode([...lines.slice(0, 9), "x\n", ...lines.slice(9, 15), lines[12]!.slice(0, 60)].join(""))
    const whole = examine(bytes, bytes.length)
    for (const size of [1, 7, 100, 1000]) assert.deepStrictEqual(examine(bytes, size), whole)
    assert.isTrue(Either.isRight(Either.try(() => fold(repaired(bytes, whole), estimator))))
  })
})
