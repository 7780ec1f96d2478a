// Simulated conversations: which texts come in which request. The same seed gives the same conversation.
import type { Random } from "../random.ts"
import type { Profile } from "./profiles.ts"

/** What an answer says, and the results of its calls that come before the next request. */
export interface Step {
  readonly prompt: string | undefined
  readonly answer: string
  readonly results: ReadonlyArray<string>
  /** tokens that the model thought and never shows */
  readonly reasoning: number
}

export interface Plan {
  readonly system: ReadonlyArray<string>
  readonly steps: ReadonlyArray<Step>
}

/** Picks a text of any of these classes. */
type Pick = (classes: ReadonlyArray<string>) => string

const results = (random: Random, pick: Pick, classes: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (classes.length === 0) return []
  // now and then much of one kind comes at once: what was learned before says little of it
  if (random.next() < 0.06) {
    const one = [classes[random.integer(classes.length)]!]
    return Array.from({ length: 12 }, () => pick(one))
  }
  return Array.from({ length: random.next() < 0.3 ? 2 + random.integer(3) : 1 }, () => pick(classes))
}

export const plan = (profile: Profile, random: Random, pick: Pick, requests: number): Plan => ({
  system: [
    ...Array.from({ length: 2 + random.integer(4) }, () => pick(profile.system)),
    ...Array.from({ length: 3 }, () => pick(profile.tools))
  ],
  steps: Array.from({ length: requests }, (_, i) => ({
    prompt: i === 0 || profile.tool.length === 0 || random.next() < 0.15 ? pick(profile.user) : undefined,
    answer: pick(profile.assistant),
    results: results(random, pick, profile.tool),
    reasoning: random.next() < 0.5 ? 0 : random.integer(1_500)
  }))
})
