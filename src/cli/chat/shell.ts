/**
 * Runs a command of the chat: its output bounded, its time too, and it ends with everything that it started.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { floorIndex } from "../../compaction/CodePoints.ts"
import { whole } from "../say.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Ended {
  /** undefined: it did not end by itself */
  readonly code: number | undefined
  readonly signal: string | undefined
  readonly timedOut: boolean
  /** what it wrote to both of its outputs, as it came; the middle is left out where that is much */
  readonly output: string
}

/** UTF-16 units of an output that are kept, at its beginning and at its end. */
const kept = { head: 8_000, tail: 16_000 } as const

/** Keeps the beginning and the end of a text that comes in pieces, in bounded memory. */
const keeper = () => {
  let head = ""
  let tail = ""
  let dropped = 0
  return {
    add: (piece: string) => {
      const room = kept.head - head.length
      head += piece.slice(0, Math.max(0, room))
      tail += piece.slice(Math.max(0, room))
      if (tail.length <= 2 * kept.tail) return
      const cut = floorIndex(tail, tail.length - kept.tail)
      dropped += cut
      tail = tail.slice(cut)
    },
    text: () => {
      const cut = tail.length > kept.tail ? floorIndex(tail, tail.length - kept.tail) : 0
      const left = dropped + cut
      if (left === 0) return head + tail
      return `${head}\n[… ${whole(left)} characters of the output left out …]\n${tail.slice(cut)}`
    }
  }
}

/** How long a command that was told to end may take to tidy up, and its outputs to close after it has ended. */
const grace = { end: 1_000, outputs: 250 } as const

/**
 * Runs `command` in a shell in `folder`, without input. What it leaves running in its process group is ended with it, and
 * so is it itself when `seconds` are over or the effect is interrupted: asked first, killed a second later.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = (options: {
  readonly command: string
  readonly folder: string
  readonly seconds: number
}): Effect.Effect<Ended, { readonly message: string }> =>
  Effect.async((resume) => {
    const output = keeper()
    let timedOut = false
    let isOver = false
    // a process group of its own, so that what it starts can be ended with it
    const child = spawn(options.command, {
      shell: true,
      cwd: options.folder,
      detached: process.platform !== "win32",
      stdio: ["ignore", "pipe", "pipe"]
    })
    const signal = (name: NodeJS.Signals) => {
      try {
        if (child.pid !== undefined) process.kill(process.platform === "win32" ? child.pid : -child.pid, name)
      } catch {
        // there is nobody left
      }
    }
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", output.add)
    let killing: NodeJS.Timeout | undefined
    const end = () => {
      signal("SIGTERM")
      killing ??= setTimeout(() => signal("SIGKILL"), grace.end)
    }
    const timer = setTimeout(() => {
      timedOut = true
      end()
    }, options.seconds * 1_000)
    const over = new Promise<void>((resolve) => {
      const finish = (result: Effect.Effect<Ended, { readonly message: string }>) => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        clearTimeout(killing)
        // what it left behind
        signal("SIGKILL")
        for (const stream of [child.stdout, child.stderr]) stream.destroy()
        resume(result)
        resolve()
      }
      const done = (code: number | null, name: NodeJS.Signals | null) => {
        finish(
          Effect.succeed({
            code: timedOut ? undefined : (code ?? undefined),
            signal: name ?? undefined,
            timedOut,
            output: output.text()
          })
        )
      }
      child.on("error", (error) => finish(Effect.fail(error)))
      child.on("close", done)
      // a child in the background holds the outputs open, and nobody waits for it
      child.on("exit", (code, name) => void setTimeout(() => done(code, name), grace.outputs))
    })
    return Effect.promise(() => {
      end()
      return over
    })
  })
