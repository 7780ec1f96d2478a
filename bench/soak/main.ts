// npm run soak -- --episodes 2000 --seed 1 [--json]        random sessions
// npm run soak -- --strata --episodes 3000                 rescues, this many of each stratum
// npm run soak -- --stratum stated/1.7/failing             one of them
// Exits 1 if anything was violated. An episode is played again with --episodes 1 and the seed that is printed.
import { parseArgs } from "node:util"
import { converse, rescueOnce, type Verdict } from "./episode.ts"
import { nameOf, planOf, strata, type Stratum } from "./plan.ts"

const { values } = parseArgs({
  options: {
    episodes: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    strata: { type: "boolean", default: false },
    stratum: { type: "string" },
    json: { type: "boolean", default: false }
  }
})

const episodes = Number(values.episodes)
const seed = Number(values.seed)
if (!Number.isSafeInteger(episodes) || episodes < 1 || !Number.isSafeInteger(seed)) {
  console.error("--episodes takes a number of at least 1, --seed a whole number")
  process.exit(2)
}
const chosen = values.strata ? strata : strata.filter((stratum) => nameOf(stratum) === values.stratum)
if (values.stratum !== undefined && chosen.length === 0) {
  console.error(`there is no stratum "${values.stratum}"; there are: ${strata.map(nameOf).join(", ")}`)
  process.exit(2)
}

/** What must be 0; a foreign rung may make a request that is not smaller, which is told apart. */
const violations = ["notSmaller", "brokenPairs", "lostOrDoubled", "stuck", "failedRescue"] as const

/** so many violations are told one by one */
const shown = 20

interface Report {
  readonly name: string
  readonly episodes: number
  readonly sums: Readonly<Record<string, number>>
  readonly worst: Readonly<Record<string, { readonly value: number; readonly seed: number }>>
  readonly foreignNotSmaller: number
  /** the first episodes that violated something, to be played again */
  readonly violations: ReadonlyArray<{ readonly seed: number; readonly what: string }>
  readonly died: ReadonlyArray<{ readonly seed: number; readonly what: string }>
  readonly violated: boolean
}

const counts = ["requests", "overflows", "rescues", "summaries", "wasted", ...violations] as const

const reportOf = async (
  name: string,
  play: (seed: number) => Promise<Verdict>,
  foreign: (seed: number) => boolean
): Promise<Report> => {
  const sums: Record<string, number> = Object.fromEntries(counts.map((count) => [count, 0]))
  const worst: Record<string, { value: number; seed: number }> = {}
  const died: Array<{ seed: number; what: string }> = []
  const violating: Array<{ seed: number; what: string }> = []
  let foreignNotSmaller = 0
  for (let i = 0; i < episodes; i++) {
    const verdict = await play(seed + i)
    for (const count of counts) {
      if (count === "notSmaller" && foreign(verdict.seed)) foreignNotSmaller += verdict.notSmaller
      else {
        sums[count]! += verdict[count]
        if (verdict[count] > 0 && violations.some((violation) => violation === count)) {
          violating.push({ seed: verdict.seed, what: count })
        }
        if (verdict[count] > (worst[count]?.value ?? 0)) worst[count] = { value: verdict[count], seed: verdict.seed }
      }
    }
    if (verdict.died !== undefined) died.push({ seed: verdict.seed, what: verdict.died })
  }
  const violated = died.length > 0 || violations.some((count) => sums[count]! > 0)
  return { name, episodes, sums, worst, foreignNotSmaller, violations: violating.slice(0, shown), died, violated }
}

const reports: Array<Report> = []
if (chosen.length === 0) {
  reports.push(
    await reportOf(
      "random sessions",
      (each) => converse(planOf(each)),
      (each) => planOf(each).foreignRung !== undefined
    )
  )
}
for (const stratum of chosen) {
  const play = (each: number) => rescueOnce(each, stratum satisfies Stratum)
  reports.push(await reportOf(nameOf(stratum), play, () => false))
}

if (values.json) console.log(JSON.stringify(reports, undefined, 2))
else {
  for (const report of reports) {
    console.log(`${report.name}: ${report.episodes} episodes from seed ${seed}`)
    for (const count of counts) {
      const worst = report.worst[count]
      const mark = violations.some((violation) => violation === count) && report.sums[count]! > 0 ? "  VIOLATED" : ""
      console.log(
        `  ${count.padEnd(14)} ${String(report.sums[count]).padStart(10)}${worst === undefined ? "" : `   worst ${worst.value} in seed ${worst.seed}`}${mark}`
      )
    }
    if (report.foreignNotSmaller > 0) console.log(`  not smaller with a foreign rung: ${report.foreignNotSmaller}`)
    for (const { seed, what } of report.violations) console.log(`  ${what} in seed ${seed}`)
    for (const { seed, what } of report.died.slice(0, shown)) console.log(`  DIED in seed ${seed}: ${what}`)
  }
}
// what hangs for good, as some lies do, keeps a process alive
process.exit(reports.some(({ violated }) => violated) ? 1 : 0)
