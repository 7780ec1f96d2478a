/**
 * Reads a session file, makes it smaller, writes it, reports.
 *
 * @since 0.1.0
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Option from "effect/Option"
import { defaults, type Policy } from "../compaction/Policy.ts"
import { SummaryFailed } from "../errors/CompactionError.ts"
import * as Formats from "../formats/Formats.ts"
import type { Transcript } from "../formats/Transcript.ts"
import * as OpenAiChat from "../layers/adapters/OpenAiChat.ts"
import * as Summarizer from "../layers/Summarizer.ts"
import * as Route from "../session/Route.ts"
import { ofSession, render, type Report, sum } from "./compactReport.ts"
import { below, compactSession, inWindow, toSize } from "./compactSession.ts"
import { BadInput, TargetMissed } from "./exitCode.ts"
import { readPolicy, readTranscript, tokenCount } from "./input.ts"
import { logTo } from "./logTo.ts"
import { refuseOutput, replaceFile } from "./output.ts"
import { connectionOf } from "./providerOf.ts"

/**
 * The command line's options as they were written.
 *
 * @since 0.1.0
 * @category models
 */
export interface Given {
  readonly transcript: string
  readonly out: string | undefined
  readonly force: boolean
  readonly to: string | undefined
  readonly window: string | undefined
  readonly policy: string | undefined
  readonly noModel: boolean
  readonly provider: Option.Option<"openai-compatible">
  readonly baseUrl: string | undefined
  readonly model: string | undefined
  readonly apiKeyEnv: string | undefined
  readonly session: string | undefined
  readonly full: boolean
  readonly from: string | undefined
  readonly format: string | undefined
  readonly dryRun: boolean
  readonly json: boolean
}

const targetOf = Effect.fnUntraced(function* ({ to, window }: Given, policy: Policy) {
  if ((to === undefined) === (window === undefined)) {
    return yield* new BadInput({ message: "compact needs a size: either --to or --window, and not both" })
  }
  if (to !== undefined) return below(yield* tokenCount("--to", to), policy)
  return inWindow(yield* tokenCount("--window", window ?? ""), policy)
})

/** Who summarises; undefined: nobody. */
const summariserOf = Effect.fnUntraced(function* (given: Given) {
  const { apiKeyEnv, baseUrl, model, noModel, provider } = given
  const named = provider._tag === "Some" || baseUrl !== undefined || model !== undefined || apiKeyEnv !== undefined
  if (!named) return undefined
  if (noModel) return yield* new BadInput({ message: "--no-model asks no model, and a provider is named" })
  const settings = yield* connectionOf(given)
  return { settings, route: { provider: settings.name, model: settings.model } }
})

type Summariser = NonNullable<Effect.Effect.Success<ReturnType<typeof summariserOf>>>

const written = (transcript: Transcript, format: string, time = 0) =>
  Either.mapLeft(
    Formats.encode(transcript, { format, time }),
    ({ message }) => new BadInput({ message: `${message}; --session takes one, --format another form` })
  )

/** Everything that can be wrong with what was given is found here, before anything runs. */
const prepare = Effect.fnUntraced(function* (given: Given) {
  const unsaid = given.to === undefined ? defaults : toSize
  const policy = given.policy === undefined ? unsaid : yield* readPolicy(given.policy)
  const summariser = yield* summariserOf(given)
  const target = yield* targetOf(
    given,
    summariser === undefined ? policy : { ...policy, summary: { ...policy.summary, route: summariser.route } }
  )
  const { force, format, from, full, out, session } = given
  if (format !== undefined && !Formats.written.includes(format)) {
    return yield* new BadInput({
      message: `--format ${format} is not written; there are ${Formats.written.join(", ")}`
    })
  }
  const output = out === undefined || out === "-" || given.dryRun ? undefined : { option: "--out", path: out, force }
  if (output !== undefined) yield* refuseOutput(output)
  const transcript = yield* readTranscript(given.transcript, {
    history: full ? "full" : "last-seen",
    ...(from === undefined ? {} : { format: from })
  })
  const sessions = transcript.sessions.filter(({ id, messages }) =>
    session === undefined ? messages.length > 0 : id === session
  )
  if (!Arr.isNonEmptyReadonlyArray(sessions)) {
    const there = transcript.sessions.map(({ id }) => id).join(", ")
    return yield* new BadInput({ message: `${given.transcript} has no session "${session}"; there are ${there}` })
  }
  const own = Formats.written.includes(transcript.format) ? transcript.format : "openai-chat"
  const outFormat = format ?? own
  // what a format has no place for it has none for now too, and a summary may be paid for in between
  yield* written({ format: transcript.format, sessions }, outFormat)
  const empty = session === undefined ? transcript.sessions.length - sessions.length : 0
  return { target, summariser, format: transcript.format, outFormat, output, sessions, empty }
})

const asked = ({ route, settings }: Summariser) =>
  Summarizer.layer.pipe(
    Layer.provide(
      OpenAiChat.layer({
        provider: route.provider,
        baseUrl: settings.baseUrl,
        ...("apiKey" in settings ? { apiKey: settings.apiKey } : {})
      })
    ),
    Layer.provide(FetchHttpClient.layer)
  )

/** A summariser that only hears what it would be asked. */
const heard = (summaries: Array<Report["summaries"][number]>) =>
  Summarizer.layerWith(({ envelope, span }) => {
    summaries.push({ model: Route.format(envelope.route), messages: span.length })
    return Effect.fail(new SummaryFailed({ reason: "no-route", detail: "a dry run asks nobody" }))
  })

const complain = (text: string) => void process.stderr.write(`${text}\n`)

/**
 * Runs the command: the session goes to the file or to stdout, the report to stdout or beside it to stderr.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = Effect.fnUntraced(function* (given: Given) {
  const { empty, format, outFormat, output, sessions, summariser, target } = yield* prepare(given)
  const summaries: Array<Report["summaries"][number]> = []
  const who = summariser === undefined ? Summarizer.layerNone : given.dryRun ? heard(summaries) : asked(summariser)
  const model = summariser === undefined ? false : given.dryRun ? ("plan" as const) : true
  const compacted = yield* Effect.forEach(sessions, (session) => compactSession(session, target, model)).pipe(
    Effect.provide(who),
    // that a dry run's summary failed is no news
    Effect.provide(given.dryRun ? Logger.remove(Logger.defaultLogger) : logTo(complain))
  )
  // what a provider counted, it counted of what is gone
  const smaller = Arr.map(compacted, ({ messages, session }) => ({
    ...session,
    messages,
    requests: [],
    compactions: []
  }))
  const encoded = yield* written({ format, sessions: smaller }, outFormat, yield* Clock.currentTimeMillis)
  const reports = compacted.map(ofSession)
  const report: Report = {
    file: given.transcript,
    format,
    out: output?.path ?? null,
    outFormat,
    dryRun: given.dryRun,
    summaries,
    before: sum(reports.map(({ before }) => before)),
    after: sum(reports.map(({ after }) => after)),
    sessions: reports,
    notes: [
      ...(empty === 0 ? [] : [`sessions that hold no messages are not written: ${empty} of the file's`]),
      ...encoded.notes
    ]
  }
  if (!given.dryRun) {
    if (output === undefined) yield* Effect.sync(() => void process.stdout.write(encoded.text))
    else yield* replaceFile(output, encoded.text)
  }
  const text = given.json ? JSON.stringify(report, null, 2) : render(report)
  const reportTo = output === undefined && !given.dryRun ? process.stderr : process.stdout
  yield* Effect.sync(() => void reportTo.write(`${text}\n`))
  const missed = reports.flatMap(({ reason, session }) => (reason === null ? [] : [`${session}: ${reason}`]))
  if (missed.length > 0) return yield* new TargetMissed({ message: missed.join("; ") })
})
