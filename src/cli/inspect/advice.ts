/**
 * What follows from the numbers, in a sentence or two. Each rule has a figure, and a threshold from which it speaks.
 *
 * @since 0.1.0
 */
import { type Part, partNames } from "./parts.ts"
import type { SessionReport } from "./report.ts"
import { percent, whole } from "../say.ts"

type Facts = Omit<SessionReport, "advice">

/**
 * @since 0.1.0
 * @category models
 */
export interface Rule {
  readonly id: string
  readonly figure: (facts: Facts) => number
  readonly from: number
  readonly say: (facts: Facts) => string
}

const shareOf = ({ parts, tokens }: Facts, ...of: ReadonlyArray<Part>): number =>
  tokens === 0 ? 0 : of.reduce((sum, part) => sum + parts[part], 0) / tokens

const windowShare = (facts: Facts, tokens: number): number => tokens / facts.window.tokens

/** With the next request, which is the only one of a session whose requests the file does not tell. */
const largestCount = ({ steps, tokens }: Facts): number =>
  [...steps.counted, ...steps.tokens].reduce<number>((most, value) => Math.max(most, value ?? 0), tokens)

/** How much of the growth since the last report the predictions missed, after five reports. */
const errorOfGrowth = ({ accuracy }: Facts): number => accuracy?.merit?.meter ?? 0

/**
 * In the order in which they are worth saying.
 *
 * @since 0.1.0
 * @category constants
 */
export const rules: ReadonlyArray<Rule> = [
  {
    id: "over-window",
    figure: (facts) => windowShare(facts, facts.tokens),
    from: 1,
    say: ({ tokens, window }) =>
      `The next request would carry ${whole(tokens)} tokens, more than the window of ${whole(window.tokens)} holds: compact before going on.`
  },
  {
    id: "front-heavy",
    figure: (facts) => windowShare(facts, facts.parts.system + facts.parts.tools + facts.parts.hidden),
    from: 0.2,
    say: (facts) =>
      `System prompt and tools take ${percent(windowShare(facts, facts.parts.system + facts.parts.tools + facts.parts.hidden))} of the window in every request, and no compaction makes them smaller: leave out tools that are not used.`
  },
  {
    id: "repeats",
    figure: ({ repeats, said }) => (said === 0 ? 0 : repeats.tokens / said),
    from: 0.05,
    say: ({ repeats, said }) =>
      `${whole(repeats.times)} ${repeats.times === 1 ? "call" : "calls"} asked again for what had been asked for before, which took ${whole(repeats.tokens)} tokens, ${percent(repeats.tokens / said)} of all that was said${repeats.heaviest[0] === undefined ? "" : `, most of them for ${repeats.heaviest[0].tool} ${repeats.heaviest[0].what}`.trimEnd()}.`
  },
  {
    id: "one-message",
    figure: (facts) => (facts.tokens === 0 ? 0 : (facts.heaviest[0]?.tokens ?? 0) / facts.tokens),
    from: 0.2,
    say: (facts) =>
      `One message, ${facts.heaviest[0]?.place ?? ""}, is ${percent((facts.heaviest[0]?.tokens ?? 0) / facts.tokens)} of what the next request carries.`
  },
  {
    id: "results-heavy",
    figure: (facts) => shareOf(facts, "results"),
    from: 0.5,
    say: (facts) =>
      `${percent(shareOf(facts, "results"))} of the next request is ${partNames.results}: cutting old ones short costs no model call, and ${facts.forecast.runs.some(({ kind }) => kind === "prune") ? "would have been enough by itself at times" : "comes before any summary"}.`
  },
  {
    id: "reasoning-heavy",
    figure: (facts) => shareOf(facts, "reasoning"),
    from: 0.25,
    say: (facts) =>
      `${percent(shareOf(facts, "reasoning"))} of the next request is reasoning, where the route sends it back.`
  },
  {
    id: "pressure",
    figure: ({ forecast }) => forecast.runs.length,
    from: 1,
    say: ({ forecast, policy, window }) =>
      `In a window of ${whole(window.tokens)} pressure would have begun at ${forecast.runs[0]?.place ?? ""}, and ${whole(forecast.runs.length)} ${forecast.runs.length === 1 ? "compaction" : "compactions"} at ${whole(policy.threshold)} tokens would have sent ${percent(1 - forecast.sent / forecast.sentWithout)} less.`
  },
  {
    id: "estimate-off",
    figure: errorOfGrowth,
    from: 0.5,
    say: (facts) =>
      `The provider's counts are far from what the file shows (the error is ${percent(errorOfGrowth(facts))} of the growth): take the sizes here as rough.`
  },
  {
    id: "fits",
    figure: (facts) => (largestCount(facts) < facts.policy.threshold ? 1 : 0),
    from: 1,
    say: (facts) =>
      `The session stays below ${percent(facts.policy.threshold / facts.window.tokens)} of its window, where pressure begins: its largest request has ${whole(largestCount(facts))} tokens, and nothing needs to be done.`
  }
]

const said = 2

/**
 * @since 0.1.0
 * @category constructors
 */
export const advice = (facts: Facts): ReadonlyArray<string> =>
  facts.messages === 0
    ? []
    : rules
        .filter(({ figure, from }) => figure(facts) >= from)
        .slice(0, said)
        .map(({ say }) => say(facts))
