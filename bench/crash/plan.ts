// What the sessions of a run do, from its seed: the same turns whenever they are played, in whichever process.
import { atOnce, type AnswerPlan, type TurnPlan, type Words, type World } from "../../test/properties/world.ts"
import * as Random from "../random.ts"

export interface SessionPlan {
  readonly id: string
  readonly world: World
  readonly turns: number
}

const words = (random: Random.Random, median: number): Words => ({
  script: (["latin", "latin", "cjk", "code"] as const)[random.integer(4)]!,
  count: Math.min(Math.max(1, Math.round(random.logNormal(median, 0.7))), 500),
  seed: random.integer(50)
})

const seedOf = (seed: number, ...parts: ReadonlyArray<number>): number =>
  parts.reduce((mixed, part) => Math.imul(mixed ^ (part + 0x9e3779b9), 0x85ebca6b) >>> 0, seed >>> 0)

/** Sessions that go on side by side, until all of them have had their turns. */
export const sessionsAtOnce = 2

const turns = 8

/** Sessions that reach their window every few turns: one is told it, one only finds out, one is told far too much. */
export const sessionOf = (number: number): SessionPlan => {
  const window = 1_500
  const told = [window, undefined, window * 10][number % 3]
  return {
    id: `session-${number}`,
    turns,
    world: {
      turns: [],
      window,
      told,
      states: { limit: number % 2 === 0, requested: false },
      reports: true,
      policy: { prune: { over: 1_500, head: 300, tail: 100 }, maxOverflowRetries: 3 },
      backend: { is: "a ladder", rungs: ["reuse", "prune", "summarise", "drop-media", "prune-tighter", "extract"] },
      summary: "honest",
      takes: atOnce
    }
  }
}

/** One turn: a prompt, up to three steps with tools, an answer. */
export const turnOf = (seed: number, { id }: SessionPlan, turn: number): TurnPlan => {
  const random = Random.make(seedOf(seed, ...[...id].map((character) => character.charCodeAt(0)), turn))
  const steps = random.integer(4)
  const calls = Array.from({ length: steps }, (): AnswerPlan => ({
    does: "calls",
    words: words(random, 20),
    tools: Array.from({ length: 1 + random.integer(3) }, () => ({
      answers: (["text", "text", "text", "error"] as const)[random.integer(4)]!,
      words: words(random, 80)
    }))
  }))
  return {
    prompt: words(random, 60),
    image: false,
    answers: [...calls, { does: "says", words: words(random, 60) }]
  }
}

/** Whether context comes while this turn runs. */
export const injects = (turn: number): boolean => turn % 2 === 1
