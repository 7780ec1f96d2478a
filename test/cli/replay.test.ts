import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Report } from "../../src/cli/replay/report.ts"
import { type Given, run } from "../../src/cli/replay/run.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { root } from "./bin.ts"

const given: Given = {
  transcript: "",
  window: "8000",
  toldWindow: undefined,
  policy: undefined,
  directory: undefined,
  resume: false,
  provider: "simulated",
  baseUrl: undefined,
  model: undefined,
  apiKeyEnv: undefined,
  format: undefined,
  json: true
}

const fixture = (name: string) => join(root, "test/cli/fixtures", name)

/** Runs the command in this process, its logs in a folder that goes away. */
const replay = (more: Partial<Given>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "effect-compaction-test-"))),
    (directory) =>
      Effect.map(run({ ...given, directory, ...more }), ({ text }) => {
        const report = JSON.parse(text) as Report
        const logs = report.sessions.map(({ session }) =>
          readFileSync(join(more.directory ?? directory, `${session}.jsonl`), "utf8")
        )
        return { report, logs }
      }),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  ).pipe(Effect.provide(NodeContext.layer))

describe("a replay", () => {
  it.live("asks for every recorded answer, whatever the recording begins and ends with", () =>
    Effect.gen(function* () {
      const { report } = yield* replay({ transcript: fixture("small.json"), window: "64000" })
      assert.deepInclude(report, {
        steps: 17,
        requests: 17,
        answered: 17,
        recorded: 17,
        generation: 0,
        replayVerified: true,
        unfit: [],
        failures: []
      })
      assert.strictEqual(report.tokensSent, report.tokensSentWithout)
      assert.strictEqual(report.sessions.length, 1)
    })
  )

  it.live("prunes, summarises and rescues in a window that is smaller than the adapter was told", () =>
    Effect.gen(function* () {
      const { report } = yield* replay({ transcript: fixture("small.json"), window: "3000", toldWindow: "8000" })
      assert.deepInclude(report, {
        answered: 17,
        retriesWithoutProgress: 0,
        retriesNotSmaller: 0,
        replayVerified: true
      })
      assert.isAtLeast(report.prunes, 1)
      assert.isAtLeast(report.summaries, 1)
      assert.isAtLeast(report.rescues, 1)
      assert.strictEqual(report.requests, report.steps + report.spend.calls)
      assert.strictEqual(report.steps, report.answered + report.overflows)
      assert.isBelow(report.tokensSent, report.tokensSentWithout)
      assert.isAbove(report.peakPressure, report.finalPressure)
      assert.isAbove(report.spend.inputTokens, 0)
    })
  )

  it.live("plays the runs of a file as sessions of their own, and sums them", () =>
    Effect.gen(function* () {
      const { logs, report } = yield* replay({ transcript: fixture("runs.json") })
      assert.deepStrictEqual(
        report.sessions.map(({ session }) => session),
        ["task-1-trial-0", "task-2-trial-0"]
      )
      assert.strictEqual(report.steps, (report.sessions[0]?.steps ?? 0) + (report.sessions[1]?.steps ?? 0))
      assert.include(logs[1], '"session":"task-2-trial-0"')
    })
  )

  it.live("reads its own log back as a transcript", () =>
    Effect.gen(function* () {
      const directory = mkdtempSync(join(tmpdir(), "effect-compaction-test-"))
      yield* replay({ transcript: fixture("small.json"), window: "4000", directory })
      const { report } = yield* replay({ transcript: join(directory, "session.jsonl"), window: "4000" })
      rmSync(directory, { recursive: true })
      assert.deepInclude(report, { format: "session-log", answered: 17, recorded: 17, failures: [] })
    })
  )

  it.live("says what could not fit, and goes on with the next turn", () =>
    Effect.gen(function* () {
      const { report } = yield* replay({ transcript: fixture("small.json"), window: "100" })
      assert.isAbove(report.unfit.length, 0)
      assert.strictEqual(report.answered + report.skipped, report.recorded)
      assert.deepStrictEqual(report.failures, [])
      for (const { session, tokens, what, window } of report.unfit) {
        assert.deepStrictEqual({ session, window }, { session: "session", window: 100 })
        assert.isAbove(tokens, 100)
        assert.include(["envelope-too-large", "unit-too-large", "overflow"], what)
      }
    })
  )

  it.live(
    "lets a real model answer for itself, and tells it that nothing is run for calls that were not recorded",
    () =>
      Effect.gen(function* () {
        const provider = yield* SimulatedProvider.make({
          window: 8_000,
          as: "openai",
          answers: ({ messages }) =>
            messages.at(-1)?.role === "user"
              ? SimulatedProvider.call(Message.toolCall(`mine-${messages.length}`, "read", {}))
              : SimulatedProvider.say("done")
        })
        const { logs, report } = yield* replay({
          transcript: fixture("small.json"),
          provider: "openai-compatible",
          baseUrl: provider.baseUrl,
          model: "m"
        })
        assert.include(logs[0], "no tool is run in a replay")
        assert.isAbove(report.answered, 0)
        assert.deepStrictEqual(report.failures, [])
      }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))
  )
})

describe("the example that ships", () => {
  it.live("fills a window of 16k several times and is rescued once", () =>
    Effect.gen(function* () {
      const { report } = yield* replay({
        transcript: join(root, "examples/transcript/session.json"),
        window: "16000",
        toldWindow: "24000"
      })
      assert.isAtLeast(report.summaries, 3)
      assert.isAtLeast(report.prunes, 1)
      assert.isAtLeast(report.rescues, 1)
      assert.deepInclude(report, {
        retriesWithoutProgress: 0,
        retriesNotSmaller: 0,
        replayVerified: true,
        unfit: [],
        failures: []
      })
      assert.strictEqual(report.answered, report.recorded)
    })
  )
})

const shared = ["../shared", "../../shared"]
  .map((folder) => join(root, folder, "transcripts/openai-chat/tau-01.json"))
  .find((file) => existsSync(file))

describe.skipIf(shared === undefined)(
  `the shared transcripts${shared === undefined ? " (skipped: there is no ../shared/transcripts here)" : ""}`,
  () => {
    it.live(
      "45 sessions in a window of 6,000, all answers given",
      () =>
        Effect.gen(function* () {
          const { report } = yield* replay({ transcript: shared ?? "", window: "6000" })
          assert.strictEqual(report.sessions.length, 45)
          assert.deepInclude(report, { answered: 605, unfit: [], failures: [], replayVerified: true })
        }),
      // a guard against a hang, and no statement about speed: 45 sessions on a busy machine
      300_000
    )
  }
)
