// npm run bench                       all of them, some minutes
// npm run bench -- surface log        some of them
// npm run bench -- surface --check    exits 1 if a budget is missed
// npm run bench -- --json out.json    the figures as data, with the machine they are of
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { arch, cpus, platform, tmpdir, totalmem } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Figure, isMissed, type Judged, judged } from "./budgets.ts"
import { suite as conversations } from "./conversations/conversations.ts"
import { estimator } from "./estimator.ts"
import { heap } from "./heap.ts"
import { inspect } from "./inspect.ts"
import { log } from "./log.ts"
import { shell } from "./shell.ts"
import { surface } from "./surface.ts"
import type { Timing } from "./timing.ts"

const timed = (timings: ReadonlyArray<Timing>): ReadonlyArray<Figure> =>
  timings.map(({ name, nanoseconds }) => ({ name, value: nanoseconds, unit: "ns a unit" }))

const suites: { readonly [name: string]: () => Promise<ReadonlyArray<Figure>> } = {
  surface: () => Promise.resolve(timed(surface())),
  shell: async () => timed(await shell()),
  heap,
  estimator: () => Promise.resolve(estimator()),
  conversations,
  inspect,
  log: async () =>
    (await Effect.runPromise(log([1_000, 10_000, 100_000]))).flatMap(({ events, megabytes, open, parse, share }) => [
      { name: `cold open/${events}`, value: open, unit: `MB/s of ${megabytes.toFixed(1)} MB` },
      { name: `JSON.parse of the same lines/${events}`, value: parse, unit: "MB/s" },
      { name: `cold open beside JSON.parse/${events}`, value: share, unit: "of its speed" }
    ])
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { check: { type: "boolean", default: false }, json: { type: "string" } }
})
const unknown = positionals.find((name) => !Object.hasOwn(suites, name))
if (unknown !== undefined) {
  console.error(`there is no benchmark "${unknown}"; there are: ${Object.keys(suites).join(", ")}`)
  process.exit(2)
}

const machine = {
  node: process.version,
  system: `${platform()} ${arch()}`,
  processors: cpus().length,
  processor: cpus()[0]?.model ?? "unknown",
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`
}

/** Small figures are shares in percent. */
const say = (value: number): string => value.toFixed(value < 10 ? 2 : 1)

const line = (figure: Judged): string => {
  const { budget, growth, name, unit, value } = figure
  const bounds =
    budget === undefined
      ? ""
      : `${isMissed(figure) ? "MISSED" : "within"} ${budget.least > 0 ? `at least ${say(budget.least)}` : `at most ${say(budget.most)}`} (${budget.why})`
  const grown = growth === undefined ? "" : `x ${growth.toFixed(2)}`
  return `${name.padEnd(56)} ${say(value).padStart(12)} ${unit.padEnd(18)} ${grown.padStart(9)}  ${bounds}`.trimEnd()
}

/** In a process of its own: what one suite leaves, in memory and in what the engine has seen, is no part of the next. */
const apart = (name: string): ReadonlyArray<Figure> => {
  const directory = mkdtempSync(join(tmpdir(), "bench-"))
  try {
    const json = join(directory, "figures.json")
    const options = [...process.execArgv, process.argv[1]!, name, "--json", json]
    const { status } = spawnSync(process.execPath, options, { stdio: ["ignore", "ignore", "inherit"] })
    if (status !== 0) throw new Error(`the benchmark "${name}" ended with ${status}`)
    return (JSON.parse(readFileSync(json, "utf8")) as { readonly figures: ReadonlyArray<Judged> }).figures
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const names = positionals.length > 0 ? positionals : Object.keys(suites)
const [only, ...others] = names
const figures = others.length === 0 ? await suites[only!]!() : names.flatMap(apart)

const all = judged(figures)
console.log(`${Object.values(machine).join(", ")}\nx: the figure of the largest size to that of the smallest\n`)
for (const figure of all) console.log(line(figure))
if (values.json !== undefined) {
  writeFileSync(values.json, `${JSON.stringify({ machine, figures: all }, undefined, 2)}\n`)
}
const missed = all.filter(isMissed)
if (values.check && missed.length > 0) {
  console.error(`${missed.length} of the budgets are missed`)
  process.exitCode = 1
}
