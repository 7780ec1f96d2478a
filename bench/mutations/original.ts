// Logs to be damaged: the golden one, which has every type of event, and a longer one that the library writes now.
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Session from "../../src/layers/Session.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as ToolRunner from "../../src/layers/ToolRunner.ts"
import * as LogFrame from "../../src/session/LogFrame.ts"
import * as LogScan from "../../src/session/LogScan.ts"
import * as Testing from "../../src/testing/index.ts"

/** `batches` are the events of each line, as JSON; `ends` are where the lines end. */
export interface Original {
  readonly name: string
  readonly bytes: Uint8Array
  readonly batches: ReadonlyArray<string>
  readonly ends: ReadonlyArray<number>
}

export const make = (name: string, bytes: Uint8Array): Original => {
  const lines = Either.getOrThrowWith(LogScan.make().push(bytes), ({ reason }) => new Error(reason))
  let end = 0
  return {
    name,
    bytes,
    batches: lines.map(({ bytes: line, header }) => {
      const json = Either.getOrThrow(LogFrame.eventsOf(line, header))
      return JSON.stringify(Either.getOrThrow(LogFrame.decodeEvents(json, header.count)))
    }),
    ends: lines.map((line) => (end += line.bytes.length + 1))
  }
}

export const golden = (root: string): Original =>
  make("golden", new Uint8Array(readFileSync(`${root}/test/session/golden/version1.jsonl`)))

/** Prompts, calls, long results, prunes, summaries, and a rescue. */
const conversation = (turns: number) =>
  Effect.gen(function* () {
    const script = yield* Testing.Script
    for (let turn = 0; turn < turns; turn++) {
      if (turn === turns - 2) yield* script.next(Testing.overflow({ limit: 3_000 }))
      yield* script.next(
        Testing.call({ id: `call_${turn}`, name: "read", arguments: { path: `${turn}.ts` } }),
        Testing.say(`done with ${turn}, 完了`)
      )
      yield* Effect.either(AgentLoop.run(`Prompt ${turn}: ${"word ".repeat(20 + turn)}`))
    }
  })

/** A session as its store left it. */
export const session = (turns = 8): Effect.Effect<Original> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* fs.makeTempDirectoryScoped()
    yield* conversation(turns).pipe(
      Effect.provide(
        Session.layerOne("s").pipe(
          Layer.provideMerge(Testing.layerScript({ window: 3_000 })),
          Layer.provide([
            LogStore.layerFile({ directory, sync: "none" }),
            ToolRunner.layer({
              read: { schema: { parameters: {} }, run: () => Effect.succeed("const value = 1; ".repeat(40)) }
            }),
            Summarizer.layerWith(() => Effect.succeed("## Task\nwhat was said"))
          ])
        )
      )
    )
    // not a Buffer, whose slices share its memory
    return make("session", new Uint8Array(yield* fs.readFile(`${directory}/s.jsonl`)))
  }).pipe(Effect.scoped, Effect.orDie, Effect.provide(NodeFileSystem.layer))
