import * as Command from "@effect/cli/Command"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import { assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { command } from "../../src/cli/meter.ts"
import { run } from "../../src/cli/meter/run.ts"
import { rows } from "../../src/cli/meter/replay.ts"
import * as MeterReport from "../../src/cli/meter/report.ts"
import { render } from "../../src/cli/meter/table.ts"
import type { Session } from "../../src/formats/Transcript.ts"
import * as Message from "../../src/session/Message.ts"
import { characters } from "../compaction/events.ts"

const text = (length: number) => "x".repeat(length)

/** A session of questions of 100 and answers of 40 characters, counted as 1,000 hidden tokens and one a character. */
const session = (requests: number, fields: Partial<Session> = {}): Session => ({
  id: "s",
  messages: Array.from({ length: requests }, () => [Message.user(text(100)), Message.assistant(text(40))]).flat(),
  requests: Array.from({ length: requests }, (_, n) => ({
    at: 2 * n + 1,
    place: `line ${n}`,
    provider: "p",
    model: "m",
    counted: "provider",
    usage: { inputTokens: 1_000 + 100 + 140 * n, outputTokens: 40 }
  })),
  compactions: [],
  visible: "messages",
  notes: [],
  ...fields
})

const changed = (base: Session, index: number, fields: Partial<Session["requests"][number]>): Session => ({
  ...base,
  requests: base.requests.map((request, n) => (n === index ? { ...request, ...fields } : request))
})

describe("the rows of a recorded session", () => {
  it("predict each request from what was counted before it", () => {
    const found = rows(session(4), characters)
    assert.deepStrictEqual(
      found.map(({ apart, error, reports }) => [reports, error, apart]),
      [
        [0, -1_000, "first-count"],
        [1, 0, undefined],
        [2, 0, undefined],
        [3, 0, undefined]
      ]
    )
    assert.deepStrictEqual(found[1]?.before, { counted: 1_100, output: 40 })
    assert.isTrue(found.every((row) => row.predicted.upper > row.predicted.mean))
  })

  it("count the first request too where the file holds everything", () => {
    assert.isUndefined(rows(session(1, { visible: "full", system: text(1_000) }), characters)[0]?.apart)
  })

  it("go on over a compaction, and set the row behind it apart", () => {
    const head = [Message.user(text(30))]
    const base = session(4, { compactions: [{ at: 4, head, keptFrom: 4 }] })
    // what went is two questions and two answers, and the checkpoint came for it
    const compacted = changed(changed(base, 2, { usage: { inputTokens: 1_130, outputTokens: 40 } }), 3, {
      usage: { inputTokens: 1_270, outputTokens: 40 }
    })
    const found = rows(compacted, characters)
    assert.deepStrictEqual(
      found.map(({ apart }) => apart),
      ["first-count", undefined, "compacted", undefined]
    )
    assert.deepStrictEqual(
      found.slice(1).map(({ error }) => error),
      [0, 0, 0]
    )
  })

  it("set apart what cannot be compared, with the reason", () => {
    const base = session(3)
    const apart = (changedSession: Session) => rows(changedSession, characters).map((row) => row.apart)
    assert.strictEqual(apart(changed(base, 1, { counted: "relay" }))[1], "relay")
    assert.strictEqual(apart(changed(base, 1, { model: "other" }))[1], "other-model")
    assert.strictEqual(apart(changed(base, 1, { usage: { inputTokens: 500, outputTokens: 1 } }))[1], "fell")
    const { model: _, ...nameless } = base.requests[1]!
    assert.strictEqual(apart({ ...base, requests: [base.requests[0]!, nameless] })[1], "no-model")
    const invented = changed({ ...base, visible: "full", system: text(1_000) }, 0, {
      usage: { inputTokens: 3, outputTokens: 3 }
    })
    assert.strictEqual(apart(invented)[0], "invented")
  })

  it("hold a request that was sent twice twice, and its answer once", () => {
    const base = session(3)
    const twice = { ...base, requests: [base.requests[0]!, base.requests[0]!, ...base.requests.slice(1)] }
    const found = rows(twice, characters)
    assert.deepStrictEqual(
      found.map(({ error }) => error),
      [-1_000, 0, 0, 0]
    )
  })
})

describe("the meter's report", () => {
  it("has error over growth after five reports, beside predictors without a meter", () => {
    const found = rows(session(10), characters)
    const figures = MeterReport.figures(found)
    assert.deepStrictEqual(figures.merit, { rows: 5, growth: 700, meter: 0, same: 1, plusOutput: 500 / 700 })
    assert.deepStrictEqual(figures.apart, { "first-count": 1 })
    assert.deepStrictEqual(
      figures.errors.map(({ mean, reports, rows: count, upperMissed }) => [reports, count, mean, upperMissed]),
      [
        ["1", 1, 0, 0],
        ["2 to 4", 3, 0, 0],
        ["5 to 19", 5, 0, 0]
      ]
    )
  })

  it("tells how far the worst prediction was under, and which bounds were missed", () => {
    const hidden = changed(session(10), 7, { usage: { inputTokens: 1_000 + 100 + 140 * 7 + 900, outputTokens: 40 } })
    const { errors } = MeterReport.figures(rows(hidden, characters))
    const last = errors.at(-1)!
    assert.strictEqual(last.upperMissed, 1)
    assert.strictEqual(last.worstUnder, 900 / 2_980)
    assert.strictEqual(last.p95, 900 / 2_980)
  })

  it("is printed by route and by file, and says why rows stand apart", () => {
    const sessions = [{ file: "a.jsonl", format: "pi-session", session: "s", rows: rows(session(8), characters) }]
    const printed = render(MeterReport.report("characters", sessions))
    for (const words of ["p/m", "a.jsonl", "0.000", "apart: a.jsonl, p/m: 1, the first count"]) {
      assert.include(printed, words)
    }
    assert.include(render(MeterReport.report("characters", [])), "nothing to hold the meter against")
  })
})

const pi = [
  { type: "session", id: "one", timestamp: "t", cwd: "/" },
  { type: "message", message: { role: "user", content: "look" } },
  {
    type: "message",
    message: {
      role: "assistant",
      provider: "p",
      model: "m",
      content: [{ type: "text", text: "done" }],
      usage: { input: 900, output: 3, cacheRead: 0, cacheWrite: 0 }
    }
  }
]
  .map((record) => JSON.stringify(record))
  .join("\n")

describe("effect-compaction meter", () => {
  it.scoped("reads files and folders, and prints one JSON document", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      yield* fs.writeFileString(`${folder}/a.jsonl`, pi)
      yield* fs.writeFileString(`${folder}/b.jsonl`, pi)
      yield* fs.writeFileString(`${folder}/notes.txt`, "not a session")
      const printed = yield* run({ transcripts: [folder, `${folder}/a.jsonl`], format: undefined, json: true })
      const report = JSON.parse(printed) as MeterReport.Report
      assert.deepStrictEqual(
        report.sessions.map(({ file, format, rows: found }) => [file, format, found.map(({ counted }) => counted)]),
        ["a", "b", "a"].map((name) => [`${folder}/${name}.jsonl`, "pi-session", [900]])
      )
      assert.strictEqual(report.routes[0]?.route, "p/m")
      const table = yield* run({ transcripts: [`${folder}/b.jsonl`], format: "pi-session", json: false })
      assert.include(table, "apart:")
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("is a command that prints on stdout", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* fs.makeTempDirectoryScoped()}/a.jsonl`
      yield* fs.writeFileString(file, pi)
      const lines: Array<unknown> = []
      const written = vi.spyOn(process.stdout, "write").mockImplementation((line) => lines.push(line) > 0)
      yield* Command.run(command, { name: "meter", version: "0" })(["node", "meter", "--json", file]).pipe(
        Effect.ensuring(Effect.sync(() => written.mockRestore()))
      )
      assert.include(lines.join(""), '"estimator"')
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("says in a sentence what it cannot use", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const empty = yield* Effect.flip(run({ transcripts: [folder], format: undefined, json: true }))
      assert.include(empty.message, "holds no .json")
      const gone = yield* Effect.flip(run({ transcripts: [`${folder}/x`], format: undefined, json: true }))
      assert.include(gone.message, "there is no file or folder")
      yield* fs.writeFileString(`${folder}/a.json`, "{}")
      const odd = yield* Effect.flip(run({ transcripts: [`${folder}/a.json`], format: undefined, json: true }))
      assert.strictEqual(odd._tag, "BadInput")
      assert.include(odd.message, "of no known form")
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
