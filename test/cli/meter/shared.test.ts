import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { rows } from "../../../src/cli/meter/replay.ts"
import * as MeterReport from "../../../src/cli/meter/report.ts"
import { runEstimator } from "../../../src/compaction/RunEstimator.ts"
import { Formats } from "../../../src/formats/index.ts"
import { listShared, missing, readShared, transcripts } from "../../shared.ts"

const folders = ["pi-session", "claude-code", "mini-swe-agent", "dsh-session"]

const sessions = (root: URL): ReadonlyArray<MeterReport.Metered> =>
  folders
    .flatMap((folder) => listShared(root, folder))
    .flatMap((file) => {
      const { format, sessions: found } = Either.getOrThrow(Formats.decode(readShared(root, file)))
      return found.map((session) => ({ file, format, session: session.id, rows: rows(session, runEstimator) }))
    })

/** The model alone: some files leave out through which provider it was reached. */
const modelOf = (route: string | undefined) => route?.replace(/^.*\//u, "")

describe("the meter on real sessions", () => {
  it("is off by at most a quarter of the growth on each route with 20 rows, and better than no meter", ({ skip }) => {
    if (transcripts === undefined) return skip(missing)
    const byModel = sessions(transcripts).map((metered) => ({
      ...metered,
      rows: metered.rows.map((row) => ({ ...row, route: modelOf(row.route) ?? "unknown" }))
    }))
    const { routes } = MeterReport.report(runEstimator.id, byModel)
    let held = 0
    for (const { merit, route } of routes) {
      if (merit === undefined) continue
      const figures = `${route}: ${JSON.stringify(merit)}`
      assert.isBelow(merit.meter, Math.min(merit.same, merit.plusOutput), figures)
      if (merit.rows < 20) continue
      held++
      assert.isAtMost(merit.meter, 0.25, figures)
    }
    assert.isAtLeast(held, 8)
  })
})
