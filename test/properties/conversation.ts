import * as FastCheck from "effect/FastCheck"
import type { CompactionPolicy } from "../../src/index.ts"
import { lies, summaryLies } from "../../src/testing/index.ts"
import { type AnswerPlan, atOnce, type Backend, type ToolPlan, type TurnPlan, type Words, type World } from "./world.ts"

export * from "./world.ts"

/**
 * How often a promise is tried in a normal run of the tests; more for a night, fewer while a property is written. A
 * mutant's failing example need not be made smaller.
 */
export const runs = {
  fastCheck: {
    numRuns: Number(process.env["PROPERTY_RUNS"] ?? 200),
    endOnFailure: process.env["PROPERTY_SHRINK"] === "no"
  },
  timeout: 300_000
}

const words = (most: number): FastCheck.Arbitrary<Words> =>
  FastCheck.record({
    script: FastCheck.constantFrom("latin", "latin", "cjk", "code"),
    count: FastCheck.oneof(
      { weight: 4, arbitrary: FastCheck.integer({ min: 1, max: 40 }) },
      { weight: 3, arbitrary: FastCheck.integer({ min: 40, max: most }) }
    ),
    seed: FastCheck.nat(50)
  })

const tool: FastCheck.Arbitrary<ToolPlan> = FastCheck.record({
  answers: FastCheck.constantFrom("text", "text", "text", "image", "error", "nothing", "dies", "overflows"),
  words: words(900)
})

const answer: FastCheck.Arbitrary<AnswerPlan> = FastCheck.oneof(
  {
    weight: 3,
    arbitrary: FastCheck.record({
      does: FastCheck.constantFrom("says" as const, "stops-at-the-limit" as const),
      words: words(500)
    })
  },
  {
    weight: 5,
    arbitrary: FastCheck.record({
      does: FastCheck.constant("calls" as const),
      words: words(60),
      tools: FastCheck.array(tool, { minLength: 1, maxLength: 3 })
    })
  },
  { weight: 1, arbitrary: FastCheck.constant({ does: "says-nothing" as const }) }
)

export const turns: FastCheck.Arbitrary<ReadonlyArray<TurnPlan>> = FastCheck.array(
  FastCheck.record({
    prompt: words(400),
    image: FastCheck.integer({ min: 0, max: 9 }).map((n) => n === 0),
    answers: FastCheck.array(answer, { minLength: 1, maxLength: 3 })
  }),
  { minLength: 1, maxLength: 3 }
)

export const policies: FastCheck.Arbitrary<CompactionPolicy.Options> = FastCheck.record({
  auto: FastCheck.record({
    pressure: FastCheck.boolean(),
    contextOverflow: FastCheck.integer({ min: 0, max: 9 }).map((n) => n > 0)
  }),
  threshold: FastCheck.constantFrom(0.5, 0.8, 1),
  retain: FastCheck.constantFrom(0, 0.16, 0.3),
  maxOverflowRetries: FastCheck.integer({ min: 0, max: 3 }),
  prune: FastCheck.constantFrom(
    false as const,
    { over: 200, head: 40, tail: 20 },
    { over: 1000, head: 200, tail: 100 },
    { over: 8192, head: 4096, tail: 1024 }
  ),
  summary: FastCheck.record({
    attempts: FastCheck.integer({ min: 1, max: 3 }),
    quoteTokens: FastCheck.constantFrom(0, 30, 2000)
  })
})

const backends: FastCheck.Arbitrary<Backend> = FastCheck.oneof(
  {
    weight: 2,
    arbitrary: FastCheck.constant<Backend>({ is: "a ladder", rungs: ["prune", "summarise"] })
  },
  {
    weight: 3,
    arbitrary: FastCheck.array(
      FastCheck.oneof(
        { weight: 2, arbitrary: FastCheck.constant("prune" as const) },
        { weight: 2, arbitrary: FastCheck.constant("summarise" as const) },
        { weight: 1, arbitrary: FastCheck.constantFrom(...lies) }
      ),
      { minLength: 1, maxLength: 3 }
    ).map((rungs): Backend => ({ is: "a ladder", rungs }))
  },
  {
    weight: 2,
    arbitrary: FastCheck.constantFrom(...lies).map((lie): Backend => ({ is: "a liar", lie }))
  }
)

const summaries = FastCheck.oneof(
  { weight: 3, arbitrary: FastCheck.constant("honest" as const) },
  { weight: 1, arbitrary: FastCheck.constantFrom(...summaryLies) }
)

/** Worlds in which everything answers at once, or never. */
export const worlds: FastCheck.Arbitrary<World> = FastCheck.record({
  turns,
  window: FastCheck.integer({ min: 150, max: 2_000 }),
  told: FastCheck.oneof(
    { weight: 1, arbitrary: FastCheck.constant(undefined) },
    { weight: 3, arbitrary: FastCheck.integer({ min: 200, max: 5_000 }) }
  ),
  states: FastCheck.record({ limit: FastCheck.boolean(), requested: FastCheck.boolean() }),
  reports: FastCheck.boolean(),
  policy: policies,
  backend: backends,
  summary: summaries,
  takes: FastCheck.constant(atOnce)
})

/** The same with work that takes its time, so that there is something to interrupt. */
export const slowWorlds: FastCheck.Arbitrary<World> = FastCheck.tuple(
  worlds,
  FastCheck.constantFrom("model" as const, "tool" as const, "summary" as const, "log" as const),
  FastCheck.constantFrom(40, 900)
).map(([world, slow, takes]) => ({
  ...world,
  takes: { ...atOnce, [slow]: takes, ...(slow === "log" ? { log: 3 } : {}) }
}))
