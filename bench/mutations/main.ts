// npm run mutations -- --logs 10000 --seed 1 [--json]
// npm run mutations -- --kind "two at once" --seed 4711        one log again, as it was told
// Exits 1 if a damaged log made anything crash or hang, or opened as something that it never was.
import Table from "cli-table3"
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { mutations } from "./mutate.ts"
import * as Original from "./original.ts"
import { play, run } from "./run.ts"

const { values } = parseArgs({
  options: {
    logs: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    kind: { type: "string" },
    json: { type: "boolean", default: false }
  }
})

const logs = Number(values.logs)
const seed = Number(values.seed)
if (!Number.isSafeInteger(logs) || logs < 1 || !Number.isSafeInteger(seed)) {
  console.error("--logs takes a number of at least 1, --seed a whole number")
  process.exit(2)
}
if (values.kind !== undefined && mutations[values.kind] === undefined) {
  console.error(`there is no kind "${values.kind}"; there are: ${Object.keys(mutations).join(", ")}`)
  process.exit(2)
}

const originals = [Original.golden(process.cwd()), await Effect.runPromise(Original.session())]

if (values.kind !== undefined) {
  const played = await Effect.runPromise(play(originals, values.kind, seed))
  console.log(JSON.stringify(played, undefined, 2))
  process.exit(played.verdict.wrong.length === 0 ? 0 : 1)
}

const started = performance.now()
const tallies = await Effect.runPromise(
  run(originals, logs, seed, (done) => {
    if (done % 1000 === 0) console.error(`${done} of ${logs} logs`)
  })
)
const seconds = (performance.now() - started) / 1000
const wrong = tallies.flatMap((tally) => tally.wrong)

if (values.json) console.log(JSON.stringify(tallies, undefined, 2))
else {
  const columns = ["logs", "original", "prefix", "cut", "refused", "repaired"] as const
  const table = new Table({
    style: { head: [], border: [] },
    head: ["mutation", ...columns, "wrong"],
    colAligns: ["left", "right", "right", "right", "right", "right", "right", "right"]
  })
  for (const tally of tallies) table.push([tally.kind, ...columns.map((column) => tally[column]), tally.wrong.length])
  table.push(["all", ...columns.map((column) => tallies.reduce((sum, tally) => sum + tally[column], 0)), wrong.length])
  console.log(table.toString())
  console.log(
    "original: it opens as it was; prefix: as its first batches, and the store says so; cut: the file ends between two batches, a shorter log;"
  )
  console.log("refused: not at all, with a typed error; repaired: the doctor kept something of it, and that opens.")
  console.log(
    `${originals.map(({ batches, bytes, name }) => `${name}: ${batches.length} batches, ${bytes.length} bytes`).join("; ")}; ${seconds.toFixed(0)} s`
  )
}
for (const what of wrong.slice(0, 20)) console.log(`WRONG ${what}`)
process.exit(wrong.length === 0 ? 0 : 1)
