// The command `inspect` over a session file of 200 MB, from its start to its end: how fast, and how much memory at most.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Figure } from "./budgets.ts"
import { write } from "./sessionFile.ts"
import { median } from "./timing.ts"

const size = 200e6
const rounds = 3
/** Where agents of today compact. */
const compactAt = 160_000

/** Says at its end how much memory the process had at most, and how long it computed. */
const told = `process.on("exit", () => {
  const { maxRSS, systemCPUTime, userCPUTime } = process.resourceUsage()
  process.stderr.write(JSON.stringify({ kibibytes: maxRSS, microseconds: systemCPUTime + userCPUTime }))
})`

interface Told {
  readonly kibibytes: number
  readonly microseconds: number
}

const bundled = async (folder: string): Promise<string> => {
  const command = join(folder, "effect-compaction.mjs")
  // this file runs bundled, and the bundler's own place is the project's
  const { bundleCommand } = (await import(pathToFileURL(join(process.cwd(), "scripts/bundle.mjs")).href)) as {
    readonly bundleCommand: (outfile: string) => Promise<unknown>
  }
  await bundleCommand(command)
  return command
}

export const inspect = async (): Promise<ReadonlyArray<Figure>> => {
  const folder = mkdtempSync(join(tmpdir(), "effect-compaction-bench-"))
  try {
    const command = await bundled(folder)
    const preload = join(folder, "told.cjs")
    writeFileSync(preload, told)
    const file = join(folder, "session.jsonl")
    const { bytes } = write(file, size, compactAt)
    const runs = Array.from({ length: rounds }, () => {
      const start = process.hrtime.bigint()
      const { status, stderr } = spawnSync(process.execPath, ["--require", preload, command, "inspect", file], {
        encoding: "utf8",
        maxBuffer: 1 << 30
      })
      const clock = Number(process.hrtime.bigint() - start) / 1e9
      if (status !== 0) throw new Error(`inspect ended with ${status}: ${stderr}`)
      const { kibibytes, microseconds } = JSON.parse(stderr) as Told
      // as in timing.ts: the clock counts what other programs take
      return { speed: bytes / 1e6 / Math.min(clock, microseconds / 1e6), memory: (kibibytes * 1024) / 1e6 }
    })
    return [
      { name: "inspect from end to end", value: median(runs.map(({ speed }) => speed)), unit: "MB/s" },
      { name: "inspect memory", value: Math.max(...runs.map(({ memory }) => memory)), unit: "MB at most" }
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
