// Writes the golden log of the version that is written today, and what its state is: once, when a version is new.
// node scripts/bench.mjs test/session/golden/write.ts
import * as Either from "effect/Either"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as encodedEvents from "../../../src/session/encodedEvents.ts"
import * as LogFrame from "../../../src/session/LogFrame.ts"
import { figures, fold } from "./fold.ts"
import { batches, estimator } from "./version1.ts"

const to = join(process.cwd(), "test/session/golden", `version${LogFrame.version}`)
if (existsSync(`${to}.jsonl`)) {
  process.stderr.write(`${to}.jsonl is there already, and a golden log never changes\n`)
  process.exit(1)
}
const bytes = Buffer.concat(
  batches.map((events) =>
    Either.getOrThrow(LogFrame.encode(events[0]!.seq, Either.getOrThrow(encodedEvents.make(events))))
  )
)
const state = fold(bytes, estimator)
writeFileSync(`${to}.jsonl`, bytes, { flag: "wx" })
writeFileSync(`${to}.figures.json`, `${JSON.stringify(figures(state, estimator), null, 2)}\n`, { flag: "wx" })
