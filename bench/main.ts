// npm run bench                       all of them, a few minutes
// npm run bench -- surface            one
// npm run bench -- surface --check    exits 1 if a budget is missed
// npm run bench -- --json out.json    the figures as data
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { budgets, type Figure } from "./budgets.ts"
import { suite as conversations } from "./conversations/conversations.ts"
import { log } from "./log.ts"
import { surface } from "./surface.ts"

const suites: { readonly [name: string]: () => Promise<ReadonlyArray<Figure>> } = {
  conversations,
  surface: () =>
    Promise.resolve(surface().map(({ name, nanoseconds }) => ({ name, value: nanoseconds, unit: "ns a unit" }))),
  log: async () =>
    (await Effect.runPromise(log([1_000, 10_000, 100_000]))).flatMap(({ events, megabytes, open, parse }) => [
      { name: `cold open/${events}`, value: open, unit: `MB/s of ${megabytes.toFixed(1)} MB` },
      { name: `JSON.parse of the same lines/${events}`, value: parse, unit: "MB/s" }
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

const figures: Array<Figure> = []
for (const name of positionals.length > 0 ? positionals : Object.keys(suites)) figures.push(...(await suites[name]!()))

/** Small figures are shares in percent. */
const say = (value: number): string => value.toFixed(value < 10 ? 2 : 1)

const judged = budgets(figures)
for (const { budget, name, unit, value } of judged) {
  const verdict = budget === undefined ? "" : value <= budget.most && value >= budget.least ? "within" : "MISSED"
  const bounds =
    budget === undefined
      ? ""
      : `${budget.least > 0 ? `at least ${say(budget.least)}` : `at most ${say(budget.most)}`} (${budget.why})`
  console.log(`${name.padEnd(50)} ${say(value).padStart(12)} ${unit.padEnd(20)} ${verdict} ${bounds}`.trimEnd())
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(judged, undefined, 2)}\n`)
const missed = judged.filter(
  ({ budget, value }) => budget !== undefined && (value > budget.most || value < budget.least)
)
if (values.check && missed.length > 0) {
  console.error(`${missed.length} of the budgets are missed`)
  process.exitCode = 1
}
