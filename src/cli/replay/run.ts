/**
 * Replays a transcript: reads what was given, plays its sessions one after the other, reports.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { defaults } from "../../compaction/Policy.ts"
import type { Session } from "../../formats/Transcript.ts"
import { layerLogStoreFile } from "../../layers/node/index.ts"
import { LogStore } from "../../services/LogStore.ts"
import { TokenEstimator } from "../../services/TokenEstimator.ts"
import * as Counter from "./counter.ts"
import { BadInput, RunFailed } from "../exitCode.ts"
import { logFolder, readPolicy, tokenCount } from "../input.ts"
import { logTo } from "../logTo.ts"
import { readAll } from "../meter/input.ts"
import * as Progress from "../progress.ts"
import { replaySession, tooLarge, type World } from "./session.ts"
import * as Report from "./report.ts"
import { providerOf } from "../providerOf.ts"
import type { Settings } from "./settings.ts"
import { refuseWindow, sizesOf } from "./sized.ts"
import { render } from "./table.ts"
import { record } from "./turns.ts"
import { lineOf } from "./watch.ts"

/**
 * The command line's options as they were written.
 *
 * @since 0.1.0
 * @category models
 */
export interface Given {
  readonly transcript: string
  readonly window: string
  readonly toldWindow: string | undefined
  readonly policy: string | undefined
  readonly directory: string | undefined
  readonly resume: boolean
  readonly provider: "simulated" | "openai-compatible"
  readonly baseUrl: string | undefined
  readonly model: string | undefined
  readonly apiKeyEnv: string | undefined
  readonly format: string | undefined
  readonly json: boolean
}

/** Everything that can be wrong with what was given is found here, before anything is written. */
const prepare = Effect.fnUntraced(function* (given: Given) {
  const window = yield* tokenCount("--window", given.window)
  const toldWindow = given.toldWindow === undefined ? window : yield* tokenCount("--told-window", given.toldWindow)
  const provider = yield* providerOf(given)
  if (given.resume && given.directory === undefined) {
    return yield* new BadInput({ message: "--resume needs --dir, the folder whose logs are gone on with" })
  }
  const policy = given.policy === undefined ? defaults : yield* readPolicy(given.policy)
  const transcript = yield* readAll(given.transcript, given.format)
  const route = { provider: given.provider, model: given.model ?? "simulated" }
  const settings: Omit<Settings, "directory"> = { window, toldWindow, policy, provider, route, resume: given.resume }
  return { settings, transcript }
})

const storeIn = (directory: string): Layer.Layer<LogStore> =>
  // replacements are synced all the same; a plain append need not outlive the machine here
  Layer.fresh(layerLogStoreFile({ directory, sync: "none" }))

const refuseExisting = (sessions: ReadonlyArray<Session>, settings: Settings) =>
  Effect.gen(function* () {
    const { exists } = yield* LogStore
    for (const { id } of sessions) {
      if (yield* exists(id)) {
        return yield* new BadInput({
          message: `session "${id}" is in ${settings.directory} already: go on with it by --resume, or name another --dir`
        })
      }
    }
  }).pipe(Effect.provide(storeIn(settings.directory)))

/**
 * Runs the command. Succeeds with the report's text for stdout, and with the sentences that say what failed, if anything
 * did.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = Effect.fnUntraced(function* (given: Given) {
  const { settings: prepared, transcript } = yield* prepare(given)
  const { sessions } = transcript
  const counter = yield* Counter.make
  const estimator = yield* TokenEstimator
  const sized = sizesOf(sessions, prepared.route, counter)
  yield* refuseWindow(sized, prepared.window)
  const settings: Settings = { ...prepared, directory: yield* logFolder(given.directory) }
  if (!settings.resume && given.directory !== undefined) yield* refuseExisting(sessions, settings)

  const total = sessions.reduce((sum, session) => sum + record(session.messages).answers, 0)
  const progress = Progress.make(process.stderr, total)
  const world: World = {
    settings,
    store: storeIn(settings.directory),
    counter,
    estimator,
    watch: (session, happening) =>
      Effect.sync(() => {
        const line = lineOf(session, happening)
        if (line !== undefined) progress.line(line)
      }),
    answered: progress.answered
  }
  progress.line(`logs: ${settings.directory}`)

  const reports = yield* Effect.forEach(sized, ({ envelope, session }, index) =>
    Effect.gen(function* () {
      progress.session(session.id)
      const report =
        envelope > settings.window ? tooLarge(session, envelope, world) : yield* replaySession(session, world)
      progress.sessionDone(
        `${session.id}: ${report.answered} of ${report.recorded} answers (session ${index + 1} of ${sized.length})`
      )
      return report
    })
  ).pipe(
    Effect.onInterrupt(() =>
      Effect.sync(() =>
        progress.line(`interrupted; the logs are whole: go on with --resume --dir ${settings.directory}`)
      )
    ),
    Effect.ensuring(Effect.sync(progress.stop)),
    Effect.provide(logTo(progress.line)),
    Effect.mapError((error) => (error._tag === "BadInput" ? error : new RunFailed({ message: error.message })))
  )
  const report = Report.make(
    {
      transcript: given.transcript,
      format: transcript.format,
      provider: given.provider,
      window: settings.window,
      toldWindow: settings.toldWindow,
      directory: settings.directory
    },
    reports
  )
  return { text: given.json ? JSON.stringify(report, null, 2) : render(report), failures: report.failures }
})
