import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { Fault } from "../../bench/crash/brokenStore.ts"
import { bundleChild } from "../../bench/crash/life.ts"
import type { StoreName } from "../../bench/crash/places.ts"
import { tableOf } from "../../bench/crash/report.ts"
import { run } from "../../bench/crash/run.ts"
import { databases } from "../sql/databases.ts"

let program = ""
beforeAll(async () => {
  const child = await bundleChild()
  program = child.path
  return child.remove
})

const sqlite = databases.find(({ name }) => name === "SQLite")!
const runs = (store: StoreName) => store === "file" || sqlite.missing === undefined

const killed = (store: StoreName, kills: number, fault?: Fault) =>
  run({ program, store, kills, seed: 3, stride: 6, say: () => {}, ...(fault === undefined ? {} : { fault }) })

const timeout = 180_000

describe("npm run crash, a small one", () => {
  for (const [store, kills] of [
    ["file", 7],
    ["sqlite", 4]
  ] as const) {
    it.runIf(runs(store))(
      `loses nothing of a ${store} store whose writer is killed, and every session goes on [P55 P56]`,
      async () => {
        const report = await killed(store, kills)
        assert.deepStrictEqual(report.violations, [])
        assert.deepInclude(report, { lost: 0, partial: 0, unopened: 0, paidTwice: 0 })
        assert.strictEqual(
          [...report.kills.values()].reduce((sum, { times }) => sum + times, 0),
          kills
        )
        assert.isAbove(report.acknowledged, 0)
        assert.isAbove(report.sessions, 0)
        assert.isAbove(report.settled.turns, 0)
        assert.match(tableOf([report]), /LOST acknowledged events\D+0\D/)
      },
      timeout
    )
  }

  for (const fault of ["acknowledges-first", "writes-in-two"] as const) {
    it(
      `finds out a store that ${fault === "writes-in-two" ? "writes a batch in two parts" : "acknowledges before it writes"}`,
      async () => {
        const { lost, partial, violations } = await killed("file", 20, fault)
        assert.isAbove(fault === "writes-in-two" ? partial : lost, 0)
        assert.match(
          violations.join("\n"),
          fault === "writes-in-two" ? /are there in part/ : /acknowledged events are not there/
        )
      },
      timeout
    )
  }
})
