import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Shell from "../../../src/cli/chat/shell.ts"

const inFolder = async (use: (folder: string) => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), "effect-compaction-shell-"))
  await use(folder).finally(() => rmSync(folder, { recursive: true, force: true }))
}

const run = (folder: string, command: string, seconds = 30) => Shell.run({ command, folder, seconds })

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    // one that is dead and that nobody has asked about yet is a zombie
    return !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

const eventually = async (holds: () => boolean) => {
  for (let waited = 0; waited < 500 && !holds(); waited++) await new Promise((resolve) => setTimeout(resolve, 50))
  assert.isTrue(holds())
}

const pidIn = async (file: string) => {
  await eventually(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"))
  return Number(readFileSync(file, "utf8"))
}

describe("a command", () => {
  it("runs in the folder, without input, and gives its outputs and how it ended", () =>
    inFolder(async (folder) => {
      const result = await Effect.runPromise(run(folder, "pwd; cat; echo wrong >&2; exit 3"))
      assert.deepInclude(result, { code: 3, timedOut: false })
      assert.include(result.output, folder)
      assert.include(result.output, "wrong")
    }))

  it("keeps the beginning and the end of a long output", () =>
    inFolder(async (folder) => {
      const { output } = await Effect.runPromise(
        run(
          folder,
          "echo begins; i=0; while [ $i -lt 3000 ]; do echo 'a line of the middle, long enough'; i=$((i+1)); done; echo ends"
        )
      )
      assert.match(output, /^begins\n[^]*\[… [\d,]+ characters of the output left out …\][^]*\nends\n$/u)
      assert.isBelow(output.length, 30_000)
    }))

  it("is ended when its time is over, even if it does not want to", () =>
    inFolder(async (folder) => {
      const command = "trap '' TERM; echo $$ > pid; while true; do sleep 0.1; done"
      const result = await Effect.runPromise(run(folder, command, 1))
      assert.deepInclude(result, { code: undefined, timedOut: true })
      assert.isFalse(isAlive(await pidIn(join(folder, "pid"))))
    }))

  it("is not waited for by what it left in the background, which is ended with it", () =>
    inFolder(async (folder) => {
      const result = await Effect.runPromise(run(folder, "sleep 600 & echo $! > pid; echo done"))
      assert.deepInclude(result, { code: 0, output: "done\n" })
      const pid = await pidIn(join(folder, "pid"))
      await eventually(() => !isAlive(pid))
    }))

  it("ends with all its children when it is interrupted", () =>
    inFolder(async (folder) => {
      const fiber = Effect.runFork(run(folder, "(sleep 600 & echo $! > pid; wait)"))
      const pid = await pidIn(join(folder, "pid"))
      assert.isTrue(isAlive(pid))
      await Effect.runPromise(Fiber.interrupt(fiber))
      await eventually(() => !isAlive(pid))
    }))

  it("says that a shell cannot be had", async () => {
    const result = await Effect.runPromise(Effect.either(run("/nowhere/at/all", "true")))
    assert.strictEqual(result._tag, "Left")
  })
})
