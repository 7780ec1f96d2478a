import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import type { Delivery, Row } from "../../src/errors/classifierRow.ts"
import { rows } from "../../src/errors/classifierRows.ts"
import { judge } from "../../src/errors/classify.ts"
import { missingCorpus, overflowCorpus } from "../shared.ts"

interface Line {
  readonly id: string
  readonly provider: string
  readonly delivery: Delivery
  readonly status: number | null
  readonly body: unknown
  readonly expected: string
  readonly limit: number | null
  readonly requested: number | null
}

const lines: ReadonlyArray<Line> =
  overflowCorpus === undefined
    ? []
    : readFileSync(overflowCorpus, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))

const judged = ({ body, delivery, provider, status }: Line, table: ReadonlyArray<Row>) =>
  judge({ route: { provider, model: "m" }, body, delivery, ...(status === null ? {} : { status }) }, table)

const found = (table: (line: Line) => ReadonlyArray<Row>) => {
  const missed: Array<string> = []
  const alarms: Array<string> = []
  for (const line of lines) {
    const isOne = judged(line, table(line)).tag === "ContextWindowExceeded"
    if (line.expected === "overflow" && !isOne) missed.push(line.id)
    if (line.expected !== "overflow" && isOne) alarms.push(line.id)
  }
  return { missed, alarms }
}

const names = (row: Row, provider: string) =>
  row.seen?.includes(provider) === true || row.provider?.includes(provider) === true

/** How the classes of all lines come out, and every figure, is the command's to tell: test/cli/classify.test.ts. */
describe("the shared corpus", () => {
  it("one provider's rows left out at a time, the general ones find its overflows", (context) => {
    if (overflowCorpus === undefined) return context.skip(missingCorpus)
    const { alarms, missed } = found(({ provider }) => rows.filter((row) => !names(row, provider)))
    assert.deepStrictEqual(alarms, [])
    assert.isAtMost(missed.length, 15)
    const told = readFileSync("docs/classification.md", "utf8")
    assert.include(told, `${missed.length} of 103`)
    for (const id of missed) assert.include(told, `\`${id}\``)
  })

  it("without any provider's rows the general ones raise no false alarm, and miss few", (context) => {
    if (overflowCorpus === undefined) return context.skip(missingCorpus)
    const general = rows.filter((row) => row.tag !== "ContextWindowExceeded" || row.id.startsWith("general-"))
    const { alarms, missed } = found(() => general)
    assert.deepStrictEqual(alarms, [])
    assert.isAtMost(missed.length, 5, missed.join(", "))
  })

  it("a row names a provider as the corpus does, so that leaving it out leaves it out", (context) => {
    if (overflowCorpus === undefined) return context.skip(missingCorpus)
    const providers = new Set(lines.map(({ provider }) => provider))
    for (const { id, seen = [] } of rows) {
      for (const provider of seen) assert.isTrue(providers.has(provider), `${id}: ${provider}`)
    }
  })
})
