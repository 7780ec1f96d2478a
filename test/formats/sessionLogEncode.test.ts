import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Either from "effect/Either"
import * as LogExamination from "../../src/compaction/LogExamination.ts"
import { runEstimator } from "../../src/compaction/RunEstimator.ts"
import { Formats, Pairs } from "../../src/formats/index.ts"
import { richMessages } from "./arbitraries.ts"

describe("a written session log", () => {
  it("is one that a store opens: nothing is wrong with it", () => {
    FastCheck.assert(
      FastCheck.property(richMessages, (wild) => {
        const { messages } = Pairs.repairPairs(wild)
        if (messages.length === 0) return
        const session = { id: "s", system: "Be terse.", messages, requests: [], compactions: [], notes: [] }
        const { text } = Either.getOrThrow(
          Formats.encode({ format: "session-log", sessions: [session] }, { time: 1_700_000_000_000 })
        )
        const examiner = LogExamination.make(runEstimator)
        examiner.push(new TextEncoder().encode(text))
        const { events, findings } = examiner.end()
        assert.deepStrictEqual(findings, [])
        assert.strictEqual(events, messages.length + 2)
      }),
      { numRuns: 200 }
    )
  })
})
