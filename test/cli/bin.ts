import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundleCommand } from "../../scripts/bundle.mjs"

export const root = join(import.meta.dirname, "../..")

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The command as it is shipped, in a folder of its own: `dist` may not be there, or be old. */
export const bundle = async () => {
  const folder = mkdtempSync(join(tmpdir(), "effect-compaction-test-"))
  const file = join(folder, "bin/effect-compaction.mjs")
  await bundleCommand(file)
  const run = (
    args: ReadonlyArray<string>,
    options: {
      readonly onStderr?: (text: string, kill: () => void) => void
      readonly stdin?: string
      readonly cwd?: string
      readonly env?: Readonly<Record<string, string>>
    } = {}
  ): Promise<Ended> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [file, ...args], {
        cwd: options.cwd ?? folder,
        env: { ...process.env, ...options.env },
        stdio: ["pipe", "pipe", "pipe"]
      })
      child.stdin.end(options.stdin ?? "")
      let stdout = ""
      let stderr = ""
      child.stdout.on("data", (piece) => (stdout += piece))
      child.stderr.on("data", (piece) => {
        stderr += piece
        options.onStderr?.(stderr, () => child.kill("SIGINT"))
      })
      child.on("close", (code) => resolve({ code, stdout, stderr }))
    })
  return { file, folder, run, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
