// npm run power                     each setting, a power loss at each change of the disk, 40 seeds
// npm run power -- --seeds 200      more of them
// Exits 1 if anything that was promised is lost, or a log cannot be opened and gone on with.
import Table from "cli-table3"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { parseArgs } from "node:util"
import { record, settings } from "./recorded.ts"
import { crash, powerLoss } from "./sweep.ts"

const { values } = parseArgs({ options: { seeds: { type: "string", default: "40" } } })
const seeds = Array.from({ length: Number(values.seeds) }, (_, seed) => seed)

const table = new Table({ head: ["sync", "changes", "killed", "wrong", "power lost", "wrong"] })
let wrong = 0
for (const setting of settings) {
  const program = Effect.gen(function* () {
    const recorded = yield* record(setting)
    const killed = yield* crash(recorded)
    const dark = yield* powerLoss(recorded, { seeds, whole: 5 })
    table.push([setting, recorded.changes, killed.cases, killed.lost.length, dark.cases, dark.lost.length])
    for (const line of [...killed.lost, ...dark.lost].slice(0, 20)) console.error(line)
    wrong += killed.lost.length + dark.lost.length
  })
  await Effect.runPromise(program.pipe(Logger.withMinimumLogLevel(LogLevel.None)))
}
console.log(table.toString())
process.exitCode = wrong === 0 ? 0 : 1
