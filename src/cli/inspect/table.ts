/**
 * The report of `inspect` for a terminal, a narrow one too, and for a pipe.
 *
 * @since 0.1.0
 */
import { heading, type Look, shortPath, table, wrap } from "./lines.ts"
import { partNames, parts } from "./parts.ts"
import type { Report, SessionReport } from "./report.ts"
import { percent, whole } from "../say.ts"

const barWidth = 20

const bar = (share: number): string => {
  const full = Math.max(0, Math.min(barWidth, Math.round(share * barWidth)))
  return "█".repeat(full) + "░".repeat(barWidth - full)
}

const composition = (look: Look, session: SessionReport): string => {
  const { tokens: window } = session.window
  const rows = [
    ...parts.filter((part) => session.parts[part] > 0).map((part) => [partNames[part], session.parts[part]] as const),
    ["together", session.tokens] as const
  ]
  return table(
    look,
    ["what the next request carries", "tokens", "of the window", ""],
    rows.map(([name, tokens]) => [name, whole(tokens), percent(tokens / window), bar(tokens / window)]),
    true
  )
}

const heaviest = (look: Look, { heaviest: found, window }: SessionReport): string =>
  table(
    look,
    ["place", "what", "tokens", "of the window", "begins"],
    found.map(({ part, place, tokens, tool, words }) => [
      place,
      tool === null ? partNames[part] : tool,
      whole(tokens),
      percent(tokens / window.tokens),
      words
    ]),
    true
  )

const repeats = (look: Look, { repeats: found }: SessionReport): string =>
  table(
    look,
    ["tool", "times", "tokens", "of them again", "asked for"],
    found.heaviest.map(({ again, times, tokens, tool, what }) => [
      tool,
      whole(times),
      whole(tokens),
      whole(again),
      shortPath(what)
    ]),
    true
  )

const growth = (look: Look, { growth: grown, steps }: SessionReport): string =>
  wrap(
    `${whole(steps.place.length)} requests; one adds ${whole(grown.median)} tokens in the middle, ${whole(grown.p95)} or less in 19 of 20${
      grown.largest.length === 0
        ? ""
        : `, the most ${grown.largest
            .slice(0, 3)
            .map(({ place, tokens }) => `${whole(tokens)} at ${place}`)
            .join(", ")}`
    }.`,
    look.columns
  )

/** In each band of reports seen before: of the counts that can be compared. */
const accuracy = (look: Look, { accuracy: found }: SessionReport): ReadonlyArray<string> => {
  if (found === null) return ["The file holds no counts of the provider."]
  const apart = Object.entries(found.apart).map(([reason, count]) => `${whole(count)} ${reason}`)
  return [
    ...(found.errors.length === 0
      ? []
      : [
          table(
            look,
            ["reports before", "requests", "mean error", "p95", "worst under", "above the bound"],
            found.errors.map(({ mean, p95, reports, rows, upperMissed, worstUnder }) => [
              reports,
              whole(rows),
              percent(mean),
              percent(p95),
              percent(worstUnder),
              whole(upperMissed)
            ]),
            false
          )
        ]),
    ...(found.merit === undefined
      ? []
      : [
          wrap(
            `After five reports the errors come to ${found.merit.meter.toFixed(3)} of the growth since the last report (without a meter: ${found.merit.plusOutput.toFixed(3)}).`,
            look.columns
          )
        ]),
    ...(apart.length === 0
      ? []
      : [wrap(`Left out of the figures: ${apart.join(", ")} (effect-compaction meter says why).`, look.columns)])
  ]
}

const runsShown = 8

const forecast = (look: Look, { forecast: found, policy, steps, window }: SessionReport): ReadonlyArray<string> => {
  const { overflowWithout } = found
  const without =
    overflowWithout === null
      ? `Uncompacted, every request fits; the largest is estimated at ${whole(found.peakWithout)} tokens.`
      : `Uncompacted, ${overflowWithout.place} would be the first request that is too long, with ${whole(overflowWithout.tokens)} tokens.`
  if (found.runs.length === 0) {
    return [wrap(`${without} Pressure, from ${whole(policy.threshold)} tokens on, would not have begun.`, look.columns)]
  }
  const rest = found.runs.length - runsShown
  return [
    wrap(without, look.columns),
    table(
      look,
      ["at", "request", "by", "from", "to"],
      found.runs
        .slice(0, runsShown)
        .map(({ from, kind, place, step, to }) => [
          place,
          `${whole(step + 1)} of ${whole(steps.place.length)}`,
          kind,
          whole(from),
          whole(to)
        ]),
      false
    ),
    wrap(
      `${rest > 0 ? `${whole(rest)} more are in --json. ` : ""}Sent in all: ${whole(found.sent)} tokens instead of ${whole(found.sentWithout)}, the largest request ${whole(found.peak)} of ${whole(window.tokens)}. A summary is taken to be as long as it may be (${whole(policy.summaryMaxTokens)}), or half of what it stands for.`,
      look.columns
    )
  ]
}

const checkpointsShown = 8

const checkpoints = (look: Look, session: SessionReport): ReadonlyArray<string> => [
  table(
    look,
    ["at", "before", "after", "messages taken off", "in their place"],
    session.checkpoints
      .slice(-checkpointsShown)
      .map(({ after, before, place, shadowed, words }) => [
        place,
        whole(before),
        whole(after),
        whole(shadowed.messages),
        words
      ]),
    true
  ),
  ...(session.checkpoints.length > checkpointsShown
    ? [`${whole(session.checkpoints.length - checkpointsShown)} earlier ones are in --json`]
    : [])
]

const notesShown = 10

const notes = (look: Look, { notes: found }: SessionReport): ReadonlyArray<string> => [
  ...found.slice(0, notesShown).map((note) => wrap(note, look.columns, "  ")),
  ...(found.length > notesShown ? [`${whole(found.length - notesShown)} more are in --json`] : [])
]

const section = (look: Look, name: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [heading(look, name), ...lines]

const details = (look: Look, session: SessionReport): ReadonlyArray<string> => [
  wrap(
    `${session.id}: ${session.route ?? "the file does not say which model"}, ${whole(session.messages)} messages, window ${whole(session.window.tokens)} (${session.window.why})`,
    look.columns
  ),
  ...session.advice.map((sentence) => wrap(sentence, look.columns)),
  ...section(look, "Window", [composition(look, session)]),
  ...section(look, "Heaviest messages", [heaviest(look, session)]),
  ...section(look, "Asked for again", session.repeats.heaviest.length === 0 ? [] : [repeats(look, session)]),
  ...section(look, "Growth", [growth(look, session)]),
  ...section(look, "Compactions in the file", session.checkpoints.length === 0 ? [] : checkpoints(look, session)),
  ...section(look, "What pressure would have done", forecast(look, session)),
  ...section(look, "Predictions against the provider's counts", accuracy(look, session)),
  ...section(look, "Notes", notes(look, session))
]

const overview = (look: Look, sessions: ReadonlyArray<SessionReport>): string =>
  table(
    look,
    ["messages", "requests", "tokens", "of the window", "session"],
    sessions.map(({ id, messages, steps, tokens, window }) => [
      whole(messages),
      whole(steps.place.length),
      whole(tokens),
      percent(tokens / window.tokens),
      id
    ]),
    true
  )

/**
 * Of several sessions an overview, and the details of the one that is asked for, or of the largest.
 *
 * @since 0.1.0
 * @category conversions
 */
export const render = (report: Report, look: Look, id?: string): string => {
  const { file, format, sessions } = report
  const largest = sessions.toSorted((a, b) => b.said - a.said)[0]
  const session = sessions.find((each) => each.id === id) ?? largest
  const several = sessions.length > 1
  return [
    wrap(
      `${file} (${format})${several ? `: ${whole(sessions.length)} sessions; ${id === undefined ? "the largest" : "this one"} in detail below` : ""}`,
      look.columns
    ),
    ...(several && id === undefined ? [overview(look, sessions), ""] : []),
    ...(session === undefined ? [] : details(look, session))
  ].join("\n")
}
