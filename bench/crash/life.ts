// One life of the process that is killed, as the one that looks after it sees it.
import { build } from "esbuild"
import { spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import type { Orders } from "./child.ts"
import { pipe, type Told } from "./pipe.ts"

/** Bundles the program of the child, put where the package that is left out is found from. */
export const bundleChild = async () => {
  const outfile = `node_modules/.cache/effect-compaction/crash-${process.pid}.mjs`
  await build({
    entryPoints: ["bench/crash/child.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    // it starts hundreds of times, and one file is loaded in half the time; the driver of SQLite cannot be bundled
    external: ["better-sqlite3"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error"
  })
  return { path: outfile, remove: () => rmSync(outfile, { force: true }) }
}

/** A process that takes longer is stuck. */
const longest = 60_000

export interface Life {
  readonly killed: boolean
  readonly stuck: boolean
  readonly told: ReadonlyArray<Told>
}

/** Ends when the process has. `killAfter`: once it told so many things it is killed from outside. */
export const live = async (program: string, orders: Orders, killAfter = Infinity): Promise<Life> => {
  const child = spawn(process.execPath, [program, JSON.stringify(orders)], {
    stdio: ["ignore", "ignore", "inherit", "pipe"]
  })
  const told: Array<Told> = []
  let stuck = false
  const timer = setTimeout(() => (stuck = child.kill("SIGKILL")), longest)
  const closed = new Promise<NodeJS.Signals | null>((resolve) => child.on("close", (_code, signal) => resolve(signal)))
  if (killAfter === 0) child.kill("SIGKILL")
  for await (const line of createInterface(child.stdio[pipe] as Readable)) {
    told.push(JSON.parse(line) as Told)
    if (told.length === killAfter) child.kill("SIGKILL")
  }
  const signal = await closed
  clearTimeout(timer)
  return { killed: signal === "SIGKILL", stuck, told }
}
