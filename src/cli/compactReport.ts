/**
 * What was removed, in numbers.
 *
 * @since 0.1.0
 */
import Table from "cli-table3"
import * as Message from "../session/Message.ts"
import type { Compacted } from "./compactSession.ts"
import { hidden } from "./hidden.ts"
import { whole } from "./say.ts"
import { style } from "./tableStyle.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Counts {
  readonly messages: number
  readonly calls: number
  readonly results: number
  /** by the meter's estimator, with system prompt and tools */
  readonly tokens: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface SessionReport {
  readonly session: string
  readonly limit: number
  readonly before: Counts
  readonly after: Counts
  /** results that are there and were cut */
  readonly shortened: number
  /** messages that a checkpoint stands for now */
  readonly replaced: number
  readonly rungs: ReadonlyArray<{ readonly rung: string; readonly before: number; readonly after: number }>
  /** null: a model would have to be asked first */
  readonly reached: boolean | null
  /** why not */
  readonly reason: string | null
  readonly notes: ReadonlyArray<string>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly file: string
  readonly format: string
  /** null: standard output, or nothing was written */
  readonly out: string | null
  readonly outFormat: string
  readonly dryRun: boolean
  /** summaries that a model would be asked for; only of a dry run */
  readonly summaries: ReadonlyArray<{ readonly model: string; readonly messages: number }>
  readonly before: Counts
  readonly after: Counts
  readonly sessions: ReadonlyArray<SessionReport>
  /** what the format that was written has no place for */
  readonly notes: ReadonlyArray<string>
}

const countsOf = (messages: ReadonlyArray<Message.Message>, tokens: number): Counts => ({
  messages: messages.length,
  calls: messages.reduce((sum, message) => sum + Message.toolCalls(message).length, 0),
  results: messages.reduce((sum, message) => sum + Message.toolResults(message).length, 0),
  tokens
})

const reasonOf = ({ after, limit, protected: stays, unasked }: Compacted): string | null => {
  if (after < limit || unasked === true) return null
  const what =
    stays === undefined
      ? ""
      : `: the system prompt and tools take ${whole(stays.envelope)} and the newest exchange ${whole(stays.unit)}, and both stay`
  return `${whole(after)} tokens are left, and it was to be below ${whole(limit)}${what}`
}

const resultsOf = (messages: ReadonlyArray<Message.Message>): ReadonlyMap<string, string> =>
  new Map(
    messages.flatMap((message) => Message.toolResults(message).map(({ content, id }) => [id, JSON.stringify(content)]))
  )

/**
 * @since 0.1.0
 * @category constructors
 */
export const ofSession = (compacted: Compacted): SessionReport => {
  const { after, before, landed, limit, messages, session } = compacted
  const original = resultsOf(session.messages)
  const left = resultsOf(messages)
  const checkpoints = messages.filter(({ metadata }) => metadata?.["checkpoint"] !== undefined).length
  const reason = reasonOf(compacted)
  return {
    session: session.id,
    limit,
    before: countsOf(session.messages, before),
    after: countsOf(messages, after),
    shortened: [...left].filter(([id, content]) => original.has(id) && original.get(id) !== content).length,
    replaced: session.messages.length === messages.length ? 0 : session.messages.length - messages.length + checkpoints,
    rungs: landed.map(({ after, before, rung }) => ({ rung, before, after })),
    reached: compacted.unasked === true ? null : reason === null,
    reason,
    notes: [...session.notes, ...hidden(session)]
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const sum = (counts: ReadonlyArray<Counts>): Counts =>
  counts.reduce(
    (all, each) => ({
      messages: all.messages + each.messages,
      calls: all.calls + each.calls,
      results: all.results + each.results,
      tokens: all.tokens + each.tokens
    }),
    { messages: 0, calls: 0, results: 0, tokens: 0 }
  )

const rows = [
  ["messages", "messages"],
  ["tool calls", "calls"],
  ["tool results", "results"],
  ["tokens", "tokens"]
] as const

const table = ({ after, before }: Pick<Report, "before" | "after">): string => {
  const drawn = new Table({
    style,
    head: ["", "before", "after", "removed"],
    colAligns: ["left", "right", "right", "right"]
  })
  drawn.push(
    ...rows.map(([name, field]) => [
      name,
      whole(before[field]),
      whole(after[field]),
      whole(before[field] - after[field])
    ])
  )
  return drawn.toString()
}

const steps = ({ replaced, rungs, session, shortened }: SessionReport, many: boolean): ReadonlyArray<string> => {
  if (rungs.length === 0) return []
  const done = [
    ...(shortened === 0
      ? []
      : [`${whole(shortened)} tool ${shortened === 1 ? "result was" : "results were"} shortened`]),
    ...(replaced === 0 ? [] : [`a checkpoint stands for ${whole(replaced)} messages`])
  ]
  const went = rungs.map(({ after, before, rung }) => `${rung} ${whole(before)} → ${whole(after)} tokens`)
  return [`${many ? `${session}: ` : ""}${[...went, ...done].join(", ")}`]
}

const destination = ({ dryRun, out, outFormat }: Report): string =>
  dryRun ? `nothing is written (dry run, as ${outFormat})` : `${out ?? "standard output"} (${outFormat})`

const otherFormat = ({ format, outFormat }: Report): ReadonlyArray<string> =>
  format === outFormat ? [] : [`written as ${outFormat}, and not as ${format}`]

/**
 * @since 0.1.0
 * @category conversions
 */
export const render = (report: Report): string => {
  const { file, format, notes, sessions, summaries } = report
  const many = sessions.length > 1
  const told = sessions.flatMap((session) => session.notes)
  const untouched = sessions.filter(({ reached, rungs }) => reached === true && rungs.length === 0).length
  return [
    `${file} (${format}): ${whole(sessions.length)} session${many ? "s" : ""} → ${destination(report)}`,
    ...otherFormat(report),
    table(report),
    ...sessions.flatMap((session) => steps(session, many)),
    ...(untouched === 0
      ? []
      : [
          many
            ? `${whole(untouched)} of ${whole(sessions.length)} sessions are small enough as they are`
            : "it is small enough as it is"
        ]),
    ...summaries.map(({ messages, model }) => `${model} would be asked for a summary of ${whole(messages)} messages`),
    ...sessions.flatMap(({ reason, session }) =>
      reason === null ? [] : [`too large: ${many ? `${session}: ` : ""}${reason}`]
    ),
    ...(many && told.length > 0
      ? [`${whole(told.length)} notes on how the sessions were read are in the report: see --json`]
      : told.map((note) => `note: ${note}`)),
    ...notes.map((note) => `note: ${note}`)
  ].join("\n")
}
