/**
 * Drives a session through one policy after the other, and compares.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Session } from "../../formats/Transcript.ts"
import * as LogStore from "../../layers/LogStore.ts"
import { TokenEstimator } from "../../services/TokenEstimator.ts"
import * as Counter from "../replay/counter.ts"
import { RunFailed } from "../exitCode.ts"
import { readText, tokenCount } from "../input.ts"
import { readAll } from "../meter/input.ts"
import { logTo } from "../logTo.ts"
import * as Prices from "./prices.ts"
import * as Progress from "../progress.ts"
import { replaySession, tooLarge, type World } from "../replay/session.ts"
import type { Settings } from "../replay/settings.ts"
import { ofVariant, type Report, version } from "./report.ts"
import { page } from "./page.ts"
import { render } from "./table.ts"
import { refuseWindow, sizesOf, type Sized } from "../replay/sized.ts"
import { record } from "../replay/turns.ts"
import * as Variants from "./variants.ts"
import { pageWriter } from "../writePage.ts"

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
  readonly policies: ReadonlyArray<string>
  readonly threshold: string | undefined
  readonly retain: string | undefined
  readonly prices: string | undefined
  readonly format: string | undefined
  readonly html: string | undefined
  readonly json: boolean
}

const route = { provider: "simulated", model: "simulated" }

/** Everything that can be wrong with what was given is found here, before anything runs. */
const prepare = Effect.fnUntraced(function* (given: Given) {
  const window = yield* tokenCount("--window", given.window)
  const toldWindow = given.toldWindow === undefined ? window : yield* tokenCount("--told-window", given.toldWindow)
  const prices = given.prices === undefined ? undefined : yield* Prices.parse(given.prices)
  const sources = yield* Effect.forEach(given.policies, (path) =>
    Effect.map(readText(path, "policy"), (text) => ({ path, text }))
  )
  const variants = yield* Variants.make(sources, given)
  const transcript = yield* readAll(given.transcript, given.format)
  return { window, toldWindow, prices, variants, transcript }
})

/** All sessions, one after the other, on logs that nobody needs afterwards. */
const drive = (sized: ReadonlyArray<Sized>, world: Omit<World, "store">) =>
  Effect.gen(function* () {
    const store = Layer.succeed(LogStore.LogStore, yield* LogStore.makeMemory)
    return yield* Effect.forEach(sized, ({ envelope, session }) =>
      envelope > world.settings.window
        ? Effect.succeed(tooLarge(session, envelope, { ...world, store }))
        : replaySession(session, { ...world, store })
    )
  })

const answersOf = (sessions: ReadonlyArray<Session>) =>
  sessions.reduce((sum, { messages }) => sum + record(messages).answers, 0)

/**
 * Runs the command. Succeeds with the report's text for stdout, and with the sentences that say what failed, if anything
 * did.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = Effect.fnUntraced(function* (given: Given) {
  const { prices, toldWindow, transcript, variants, window } = yield* prepare(given)
  const { sessions } = transcript
  const counter = yield* Counter.make
  const estimator = yield* TokenEstimator
  const sized = sizesOf(sessions, route, counter)
  yield* refuseWindow(sized, window)
  const write = given.html === undefined ? undefined : yield* pageWriter(given.html, given.transcript)

  const progress = Progress.make(process.stderr, answersOf(sessions) * variants.length)
  const reports = yield* Effect.forEach(variants, (variant, index) =>
    Effect.gen(function* () {
      progress.session(variant.name)
      const settings: Settings = {
        window,
        toldWindow,
        policy: variant.policy,
        provider: { name: "simulated" },
        route,
        directory: "memory",
        resume: false
      }
      const found = yield* drive(sized, {
        settings,
        counter,
        estimator,
        watch: () => Effect.void,
        answered: progress.answered
      })
      const report = ofVariant(variant, found, prices)
      progress.sessionDone(
        `${variant.name}: ${report.answered} of ${report.recorded} answers (policy ${index + 1} of ${variants.length})`
      )
      return { report, notes: found.flatMap(({ notes }) => notes) }
    })
  ).pipe(
    Effect.ensuring(Effect.sync(progress.stop)),
    Effect.provide(logTo(progress.line)),
    Effect.mapError((error) => (error._tag === "BadInput" ? error : new RunFailed({ message: error.message })))
  )
  const report: Report = {
    version,
    transcript: given.transcript,
    format: transcript.format,
    window,
    toldWindow,
    prices: prices ?? null,
    notes: reports[0]?.notes ?? [],
    variants: reports.map((each) => each.report)
  }
  if (write !== undefined) yield* write((assets) => page(report, assets))
  return {
    text: given.json ? JSON.stringify(report, null, 2) : render(report, process.stdout.columns ?? Infinity),
    failures: report.variants.flatMap(({ failures }) => failures)
  }
})
