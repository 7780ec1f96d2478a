// npm run crash -- --kills 300                      both stores, half of the kills each
// npm run crash -- --kills 100 --store file --seed 7
// npm run crash -- --kills 20 --fault acknowledges-first    a store that lies, to see it found out
// A process works on sessions and is killed at random moments and at every boundary of a write; after each death everything
// that was acknowledged has to be there, nothing in part, and the sessions go on. Exits 1 if anything is not so.
import { parseArgs } from "node:util"
import { type Fault, faults } from "./brokenStore.ts"
import { bundleChild } from "./life.ts"
import type { StoreName } from "./places.ts"
import { tableOf } from "./report.ts"
import { run } from "./run.ts"

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    store: { type: "string", default: "all" },
    fault: { type: "string" }
  }
})

const wrongUse = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const kills = Number(values.kills)
const seed = Number(values.seed)
if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed)) {
  wrongUse("--kills takes a number of at least 1, --seed a whole number")
}
const fault = faults.find((name) => name === values.fault) satisfies Fault | undefined
if (values.fault !== undefined && fault === undefined) wrongUse(`--fault takes ${faults.join(" or ")}`)
const stores = ({ file: ["file"], sqlite: ["sqlite"], all: ["file", "sqlite"] } as Record<string, Array<StoreName>>)[
  values.store
]
if (stores === undefined) wrongUse("--store takes file, sqlite or all")

/** so many violations are told one by one */
const shown = 20

let stopped = false
process.once("SIGINT", () => {
  stopped = true
  console.error("what was begun is brought to its end; once more to leave at once")
})

const child = await bundleChild()
const began = performance.now()
// side by side: each waits for the processes that it starts
const running = stores!.map((store, place) =>
  run({
    program: child.path,
    store,
    // what is left over by the division goes to the first
    kills: Math.floor(kills / stores!.length) + (place < kills % stores!.length ? 1 : 0),
    seed,
    ...(fault === undefined ? {} : { fault }),
    isStopped: () => stopped,
    say: (line) => console.error(line)
  })
)
const reports = await Promise.all(running).finally(child.remove)
console.log(tableOf(reports))
console.log(`seed ${seed}, ${Math.round((performance.now() - began) / 1000)} s`)
const violations = reports.flatMap((report) => report.violations)
for (const violation of violations.slice(0, shown)) console.log(violation)
if (violations.length > shown) console.log(`… and ${violations.length - shown} more`)
process.exit(violations.length > 0 ? 1 : 0)
