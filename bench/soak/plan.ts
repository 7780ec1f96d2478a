// What one episode is made of, drawn from a seed: the window, who says what of it, the summariser, the conversation.
import type { Options as PolicyOptions } from "../../src/compaction/PolicyOptions.ts"
import { lies, type Lie } from "../../src/testing/LyingCompaction.ts"
import { summaryLies, type SummaryLie } from "../../src/testing/LyingSummarizer.ts"
import * as Random from "../random.ts"

export type Summariser = "fine" | "failing" | "overflowing" | SummaryLie

export interface Plan {
  readonly seed: number
  /** tokens, as the provider counts them */
  readonly window: number
  /** what the adapter is told: the window, a wrong one, nothing */
  readonly told: number | undefined
  /** provider tokens for one token of its vocabulary */
  readonly factor: number
  readonly states: { readonly limit: boolean; readonly requested: boolean }
  readonly reportsUsage: boolean
  /** drops the oldest messages in silence instead of refusing */
  readonly truncates: boolean
  readonly summariser: Summariser
  /** of somebody else, tried before the product's own */
  readonly foreignRung: Lie | undefined
  readonly interrupts: boolean
  readonly policy: PolicyOptions
  /** sizes of messages, as shares of the window */
  readonly median: number
  readonly turns: number
  readonly system: number
}

/** The figures that a rescue must never fail at: who states the limit, how the provider counts, what the summariser does. */
export interface Stratum {
  readonly states: "stated" | "silent"
  readonly factor: 0.6 | 1 | 1.7
  readonly summariser: "fine" | "failing" | "overflowing"
}

export const strata: ReadonlyArray<Stratum> = (["stated", "silent"] as const).flatMap((states) =>
  ([0.6, 1, 1.7] as const).flatMap((factor) =>
    (["fine", "failing", "overflowing"] as const).map((summariser) => ({ states, factor, summariser }))
  )
)

export const nameOf = ({ factor, states, summariser }: Stratum): string => `${states}/${factor}/${summariser}`

const pick = <A>(random: Random.Random, values: ReadonlyArray<A>): A => values[random.integer(values.length)]!

const windows = [2_000, 3_000, 4_096, 8_192, 16_384]

const toldOf = (random: Random.Random, window: number): number | undefined =>
  pick(random, [window, window, window, undefined, window * 4, Math.floor(window / 2), 1_000_000])

/** Any episode. */
export const planOf = (seed: number): Plan => {
  const random = Random.make(seed)
  const window = pick(random, windows)
  const limit = random.next() < 0.6
  return {
    seed,
    window,
    told: toldOf(random, window),
    factor: 0.6 + random.next() * 1.1,
    states: { limit, requested: limit && random.next() < 0.6 },
    reportsUsage: random.next() < 0.7,
    truncates: random.next() < 0.1,
    summariser: random.next() < 0.5 ? "fine" : pick<Summariser>(random, ["failing", "overflowing", ...summaryLies]),
    foreignRung: random.next() < 0.1 ? pick(random, lies) : undefined,
    interrupts: random.next() < 0.2,
    policy: {
      maxOverflowRetries: 1 + random.integer(3),
      threshold: 0.5 + random.next() * 0.45,
      retain: random.next() < 0.2 ? 0 : 0.05 + random.next() * 0.3,
      ...(random.next() < 0.2 ? { auto: { pressure: false } } : {}),
      ...(random.next() < 0.1 ? { prune: false as const } : {}),
      summary: { attempts: 1 + random.integer(2) }
    },
    median: 0.02 + random.next() * 0.12,
    turns: 2 + random.integer(5),
    system: random.integer(Math.floor(window / 10))
  }
}

/** A session that is over its window, all before its newest unit being in the way. */
export const stratumPlanOf = (seed: number, stratum: Stratum): Plan => {
  const random = Random.make(seed)
  const window = pick(random, windows)
  return {
    ...planOf(seed),
    told: stratum.states === "stated" && random.next() < 0.5 ? window : undefined,
    factor: stratum.factor,
    window,
    states: { limit: stratum.states === "stated", requested: stratum.states === "stated" && random.next() < 0.5 },
    truncates: false,
    summariser: stratum.summariser,
    foreignRung: undefined,
    interrupts: false,
    policy: { maxOverflowRetries: 3 },
    median: 0.05 + random.next() * 0.3
  }
}
