// npm run power                     each setting, a power loss at each change of the disk, 20 seeds
// npm run power -- --seeds 200      more of them
// npm run power -- --cost           only what each setting costs on this disk
// Exits 1 if anything that was promised is lost, or a log cannot be opened and gone on with.
import Table from "cli-table3"
import { style } from "../../src/cli/tableStyle.ts"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { parseArgs } from "node:util"
import { cost } from "./cost.ts"
import { record, settings } from "./recorded.ts"
import { crash, powerLoss } from "./sweep.ts"

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "20" }, cost: { type: "boolean", default: false } }
})
const seeds = Array.from({ length: Number(values.seeds) }, (_, seed) => seed)

const table = new Table({ style, head: ["sync", "changes", "killed", "wrong", "power lost", "wrong"] })
let wrong = 0
for (const setting of values.cost ? [] : settings) {
  const program = Effect.gen(function* () {
    const recorded = yield* record(setting)
    const killed = yield* crash(recorded)
    const dark = yield* powerLoss(recorded, { seeds, whole: 7 })
    table.push([setting, recorded.changes, killed.cases, killed.lost.length, dark.cases, dark.lost.length])
    for (const line of [...killed.lost, ...dark.lost].slice(0, 20)) console.error(line)
    wrong += killed.lost.length + dark.lost.length
  })
  await Effect.runPromise(program.pipe(Logger.withMinimumLogLevel(LogLevel.None)))
}
if (!values.cost) console.log(table.toString())

const costs = await Effect.runPromise(cost(200))
const least = Math.min(...costs.map(({ milliseconds }) => milliseconds))
const prices = new Table({ style, head: ["sync", "ms for the appends of a turn", "ratio"] })
for (const { milliseconds, sync } of costs)
  prices.push([sync, milliseconds.toFixed(2), (milliseconds / least).toFixed(1)])
console.log(prices.toString())
process.exitCode = wrong === 0 ? 0 : 1
