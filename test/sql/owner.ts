import { afterAll } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { build } from "esbuild"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { createInterface } from "node:readline"
import type { SqlLogStore } from "../../src/sql/index.ts"
import type { Place } from "./databases.ts"

/** Where packages are found from, since the driver of SQLite cannot be bundled. */
const outfile = `node_modules/.cache/effect-compaction/owner-${process.pid}.mjs`
let built: Promise<unknown> | undefined
afterAll(() => rmSync(outfile, { force: true }))

const fixture = Effect.promise(
  () =>
    (built ??= build({
      entryPoints: [`${import.meta.dirname}/fixtures/owner.ts`],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      logLevel: "error"
    }))
)

export interface Said {
  readonly done?: true
  readonly tag?: string
  readonly message?: string
}

/** Another process that opens session "s", killed with the scope. `said` is its next line. */
export const owner = Effect.fnUntraced(function* (place: Place, options: SqlLogStore.Options = {}) {
  yield* fixture
  const { address, tablePrefix } = place
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [outfile, JSON.stringify({ address, tablePrefix, ...options })], {
        stdio: ["pipe", "pipe", "inherit"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const said = Effect.promise(async (): Promise<Said> => JSON.parse((await lines.next()).value ?? '{"tag":"ended"}'))
  const signal = (name: "SIGSTOP" | "SIGCONT") => Effect.sync(() => child.kill(name))
  const kill = Effect.promise(async () => {
    const exit = once(child, "exit")
    child.kill("SIGKILL")
    await exit
  })
  const append = (event: string) =>
    Effect.zipRight(
      Effect.sync(() => child.stdin.write(`${event}\n`)),
      said
    )
  return { said, append, signal, kill }
})
