import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { buildSync } from "esbuild"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import { layerLogStoreFile } from "../../src/layers/node/index.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { makeDirectory } from "../layers/logs.ts"
import { type Event, unsettled } from "../properties/reading.ts"
import { scripted } from "./scripted.ts"
import { history, inSession, onSurface, tool } from "./world.ts"

const folder = mkdtempSync(`${tmpdir()}/suspended-`)
const fixture = `${folder}/suspend.mjs`

beforeAll(() => {
  buildSync({
    entryPoints: [`${import.meta.dirname}/fixtures/suspend.ts`],
    outfile: fixture,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' }
  })
  return () => rmSync(folder, { recursive: true })
})

/** Another process that asks a person and is gone when this returns; what it said of its turn. */
const askedElsewhere = (directory: string, how: "ends" | "killed") =>
  Effect.promise(async (): Promise<unknown> => {
    const args = [fixture, directory, ...(how === "killed" ? ["wait"] : [])]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
    const exit = once(child, "exit")
    let said = ""
    for await (const chunk of child.stdout) {
      said += String(chunk)
      if (said.endsWith("\n") && how === "killed") child.kill("SIGKILL")
    }
    await exit
    return JSON.parse(said)
  })

describe("a turn whose process ended while it waited for a person", () => {
  for (const how of ["ends", "killed"] as const) {
    it.scopedLive(`${how}: another process compacts what came before, and goes on with the answer`, () =>
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        assert.deepStrictEqual(yield* askedElsewhere(directory, how), { outcome: "suspended", pending: ["a"] })
        yield* Effect.gen(function* () {
          assert.deepStrictEqual(yield* AgentLoop.state, { _tag: "Suspended", turn: 1, pending: ["a"] })
          assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced", trigger: "manual" })
          assert.notInclude(yield* onSurface, "word word")
          yield* AgentLoop.inject(Message.user("CI is red"))
          yield* (yield* Testing.Script).next(Testing.say("deployed"))
          assert.deepInclude(yield* AgentLoop.resume({ a: "yes" }), { outcome: "completed", text: "deployed" })
          const [request] = yield* (yield* Testing.Script).requests
          assert.deepStrictEqual(
            request?.messages
              .slice(-4)
              .map(({ content, role }) => [role, ...content.map((block) => ("id" in block ? block.id : "text"))]),
            [
              ["assistant", "a", "b"],
              ["tool", "b"],
              ["tool", "a"],
              ["user", "text"]
            ]
          )
          assert.isUndefined(unsettled((yield* history) as ReadonlyArray<Event>))
          assert.strictEqual(yield* Surface.generation, 1)
        }).pipe(
          inSession,
          Effect.provide(
            scripted({
              log: layerLogStoreFile({ directory }),
              tools: { approve: tool(() => Effect.succeed({ suspend: "asks" })), read: tool(() => Effect.succeed("c")) }
            }).pipe(Layer.orDie)
          )
        )
      })
    )
  }
})
