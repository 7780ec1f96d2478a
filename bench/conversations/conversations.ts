// How well the shipped meter predicts the next request of simulated conversations: four profiles, eight tokenizers.
import * as MeterReplay from "../../src/cli/meter/replay.ts"
import { runEstimator } from "../../src/compaction/RunEstimator.ts"
import type { TokenEstimator } from "../../src/compaction/TokenEstimator.ts"
import type { Message } from "../../src/session/Message.ts"
import type { Figure } from "../budgets.ts"
import * as Random from "../random.ts"
import { plan } from "./plan.ts"
import { type Profile, profiles } from "./profiles.ts"
import { providers, unknownRoute } from "./providers.ts"
import { counted, told, words } from "./session.ts"
import * as Texts from "./texts.ts"

const conversations = 150
const requests = 41
/** Errors are told of the requests that came after so many reports. */
const after = [1, 5, 20] as const

/** Each message is priced once, whichever provider it is told to. */
const remembering = (estimator: TokenEstimator): TokenEstimator => {
  const known = new WeakMap<Message, ReadonlyArray<number>>()
  return {
    ...estimator,
    message: (message) => {
      const counts = known.get(message) ?? estimator.message(message)
      known.set(message, counts)
      return counts
    }
  }
}

const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length
const percentile = (values: ReadonlyArray<number>, share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!

const missedName = "upper bound missed"

/** Percent of the counted input; of misses, of the requests. */
const measured = (rows: ReadonlyArray<MeterReplay.Row>): Readonly<Record<string, number>> => {
  const reported = rows.filter(({ reports }) => reports > 0)
  const figures: Record<string, number> = {}
  for (const reports of after) {
    const errors = rows.filter((row) => row.reports === reports).map(({ counted, error }) => (100 * error) / counted)
    figures[`mean error after ${reports}`] = mean(errors.map(Math.abs))
    figures[`95th percentile after ${reports}`] = percentile(errors.map(Math.abs), 0.95)
    figures[`worst underestimate after ${reports}`] = Math.max(0, ...errors.map((error) => -error))
  }
  const missed = reported.filter(({ counted, predicted }) => counted > predicted.upper)
  figures[missedName] = (100 * missed.length) / reported.length
  figures["slack of the upper bound"] = mean(
    reported.map(({ counted, predicted }) => (100 * (predicted.upper - predicted.mean)) / counted)
  )
  return figures
}

const rounded = (figures: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(2))]))

/** The profile with the classes that there are texts of; undefined where a part of it would be left without any. */
const usable = (profile: Profile, classes: Texts.Texts["classes"]): Profile | undefined => {
  const here = (names: ReadonlyArray<string>) => names.filter((name) => classes.has(name))
  const parts = ["system", "tools", "user", "assistant", "tool"] as const
  const missing = parts.flatMap((part) => profile[part].filter((name) => !classes.has(name)))
  if (missing.length === 0) return profile
  const lacks = parts.some((part) => profile[part].length > 0 && here(profile[part]).length === 0)
  console.log(`${profile.name}${lacks ? " is skipped" : " goes"} without texts of ${[...new Set(missing)].join(", ")}`)
  return lacks ? undefined : { ...profile, ...Object.fromEntries(parts.map((part) => [part, here(profile[part])])) }
}

export const suite = async (): Promise<ReadonlyArray<Figure>> => {
  const { classes, counts } = await Texts.load(words)
  const estimator = remembering(runEstimator)
  const figures: Array<Figure> = []
  for (const profile of profiles.flatMap((each) => usable(each, classes) ?? [])) {
    const plans = Array.from({ length: conversations }, (_, seed) => {
      const random = Random.make(seed + 1)
      const pick = (names: ReadonlyArray<string>) => {
        const pool = classes.get(names[random.integer(names.length)]!)!
        return pool[random.integer(pool.length)]!
      }
      return told(plan(profile, random, pick, requests))
    })
    for (const family of ["known", "unknown"] as const) {
      const all: Array<MeterReplay.Row> = []
      const table: Record<string, Readonly<Record<string, number>>> = {}
      for (const provider of providers) {
        const exact = counts.get(provider.tokenizer)
        if (exact === undefined) continue
        const route = family === "known" ? provider.route : unknownRoute
        const rows = plans.flatMap((each) => MeterReplay.rows(counted(each, provider, route, exact), estimator))
        table[provider.tokenizer] = rounded(measured(rows))
        all.push(...rows)
      }
      console.log(`${profile.name}, family ${family}: percent of the counted input`)
      console.table(table)
      for (const [name, value] of Object.entries(measured(all))) {
        figures.push({
          name: `${profile.name}, ${family}: ${name}`,
          value,
          unit: name === missedName ? "% of the requests" : "% of the input"
        })
      }
    }
  }
  return figures
}
