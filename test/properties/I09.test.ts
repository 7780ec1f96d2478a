import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { buildSync } from "esbuild"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { AgentLoop, LogStore, Session, Sessions, Summarizer, Surface, TokenMeter, ToolRunner } from "../../src/index.ts"
import { layerLogStoreFile } from "../../src/layers/node/index.ts"
import * as Testing from "../../src/testing/index.ts"
import { makeDirectory } from "../layers/logs.ts"
import { runs } from "./conversation.ts"
import { layerSurface } from "./operations.ts"
import { type Event, unsettled } from "./reading.ts"

const folder = mkdtempSync(`${tmpdir()}/one-writer-`)
const fixture = `${folder}/session.mjs`

beforeAll(() => {
  buildSync({
    entryPoints: [`${import.meta.dirname}/fixtures/session.ts`],
    outfile: fixture,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' }
  })
  return () => rmSync(folder, { recursive: true })
})

const opener = FastCheck.record({
  after: FastCheck.nat(12),
  holds: FastCheck.nat(12),
  session: FastCheck.constantFrom("s", "t")
})

const app = (store: Layer.Layer<LogStore.LogStore>) =>
  Layer.provideMerge(
    Layer.mergeAll(
      store,
      ToolRunner.layerNone,
      Summarizer.layerWith(() => Effect.succeed("summary"))
    ),
    Testing.layerScript({ window: 8_000 })
  )

/** Another process with a whole session, killed with the scope; `said` is what it told, or the tag of its error. */
const otherProcess = (directory: string) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [fixture, directory], { stdio: ["ignore", "pipe", "inherit"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const said = yield* Effect.promise(async (): Promise<unknown> => {
      let text = ""
      for await (const chunk of child.stdout) {
        text += String(chunk)
        if (text.endsWith("\n")) return JSON.parse(text)
      }
      return text
    })
    const kill = Effect.promise(async () => {
      const exit = once(child, "exit")
      child.kill("SIGKILL")
      await exit
    })
    return { said, kill }
  })

describe("I9 one writer a session", () => {
  it.effect.prop(
    "I9 of any number of owners one has the session at a time; the others are told at once",
    [FastCheck.array(opener, { minLength: 2, maxLength: 8 })],
    ([openers]) =>
      Effect.gen(function* () {
        const store = yield* LogStore.makeMemory
        const holding = new Map<string, number>()
        const fibers = yield* Effect.forEach(openers, ({ after, holds, session }) =>
          Effect.gen(function* () {
            for (let i = 0; i < after; i++) yield* Effect.yieldNow()
            const held = (holding.get(session) ?? 0) > 0
            const opened = yield* Effect.either(
              Effect.gen(function* () {
                holding.set(session, (holding.get(session) ?? 0) + 1)
                const now = holding.get(session)!
                yield* Surface.append({ role: "user", content: [{ type: "text", text: "mine" }] })
                for (let i = 0; i < holds; i++) yield* Effect.yieldNow()
                holding.set(session, holding.get(session)! - 1)
                return now
              }).pipe(Effect.provide(layerSurface(store, session)))
            )
            if (Either.isRight(opened)) return assert.strictEqual(opened.right, 1, "two held it")
            if (held) return assert.strictEqual(opened.left._tag, "SessionLocked")
          }).pipe(Effect.fork)
        )
        // no time passes: nobody waits for the lock
        yield* Fiber.joinAll(fibers)
        // and it is free again
        for (const session of ["s", "t"]) yield* Effect.provide(Surface.generation, layerSurface(store, session))
      }),
    runs
  )

  it.effect.prop(
    "I9 in one process the id is shared, and of several prompts one runs and the others are busy at once",
    [FastCheck.array(FastCheck.nat(6), { minLength: 2, maxLength: 6 })],
    ([delays]) =>
      Effect.gen(function* () {
        const script = yield* Testing.Script
        let underWay = 0
        const answer: Testing.Line = () =>
          Effect.gen(function* () {
            assert.strictEqual(++underWay, 1, "two turns ask at a time")
            yield* Effect.repeatN(Effect.yieldNow(), 60)
            underWay--
            return Testing.say("answer")
          })
        yield* script.next(...delays.map(() => answer))
        const prompts = yield* Effect.forEach(
          delays,
          (delay, i) =>
            Effect.repeatN(Effect.yieldNow(), delay).pipe(
              Effect.zipRight(
                Sessions.use("s", Effect.zip(Surface.Surface, Effect.either(AgentLoop.run(`prompt ${i}`))))
              )
            ),
          { concurrency: "unbounded" }
        )
        const [[surface]] = prompts as [(typeof prompts)[number]]
        for (const [another] of prompts) assert.strictEqual(another, surface)
        const ran = prompts.filter(([, result]) => Either.isRight(result)).length
        assert.isAtLeast(ran, 1)
        assert.strictEqual((yield* script.requests).length, ran)
        const history = yield* Sessions.use(
          "s",
          Effect.flatMap(Surface.Surface, (surface) => Stream.runCollect(surface.history(0)))
        )
        assert.isUndefined(unsettled(Chunk.toArray(history) as ReadonlyArray<Event>))
        for (const [, result] of prompts) {
          if (Either.isLeft(result)) assert.strictEqual(result.left._tag, "SessionBusy")
        }
      }).pipe(Effect.provide(Layer.provideMerge(Sessions.layer(), app(LogStore.layerMemory)))),
    runs
  )

  it.scopedLive(
    "I9 I7 across processes: locked while the other one lives; then the same session, byte for byte [P60 RESUME-1]",
    () =>
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        const child = yield* otherProcess(directory)
        assert.strictEqual((child.said as { generation: number }).generation, 1)
        const session = Session.layerOne("s").pipe(Layer.provide(app(layerLogStoreFile({ directory }))))
        const look = Effect.gen(function* () {
          const { surface: _, revision: __, ...measured } = yield* TokenMeter.measure
          return { messages: yield* Surface.messages, generation: yield* Surface.generation, measured }
        }).pipe(Effect.provide(session))
        assert.strictEqual((yield* Effect.flip(look))._tag, "SessionLocked")
        yield* child.kill
        assert.strictEqual(JSON.stringify(yield* look), JSON.stringify(child.said))
        // and the other way round: this process holds it, another one is told
        const locked = yield* Effect.provide(otherProcess(directory), session)
        assert.strictEqual(locked.said, "SessionLocked")
      }),
    60_000
  )
})
