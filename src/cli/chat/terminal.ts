/**
 * Where the chat reads its lines and writes: what the model says goes to stdout, everything else to stderr. Without a
 * terminal nothing is asked, and each line of the input is one that could have been typed.
 *
 * @since 0.1.0
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import wrapAnsi from "wrap-ansi"
import { names } from "./commands.ts"
import { hasColours } from "../plainConsole.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Terminal {
  readonly isInteractive: boolean
  readonly columns: () => number
  /** The next line; none: there are no more. `fresh`: not one that was typed before it was asked for. */
  readonly line: (prompt: string, fresh?: "fresh") => Effect.Effect<Option.Option<string>>
  /** Ends with the next Ctrl-C. */
  readonly interrupted: Effect.Effect<void>
  /** How often Ctrl-C was pressed since a line was entered. */
  readonly presses: () => number
  /** A piece of what the model says. */
  readonly say: (piece: string) => void
  /** Ends the line that the model is in, if it is in one. */
  readonly endLine: () => void
  /** A line that is not the model's. */
  readonly tell: (line: string, tone?: Tone) => void
}

/**
 * @since 0.1.0
 * @category models
 */
export type Tone = "quiet" | "plain" | "added" | "removed" | "wrong"

const codes: Readonly<Record<Tone, string>> = { quiet: "2", plain: "0", added: "32", removed: "31", wrong: "33" }

/** What a model or a file says must not move the cursor, clear the screen or change the window's title. */
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu

/**
 * A text without control characters but line ends and tabs.
 *
 * @since 0.1.0
 * @category conversions
 */
export const harmless = (text: string): string => text.replace(controls, "")

/** The screen as readline sees it: while nobody is asked, what is typed does not show in the model's words. */
const quietScreen = (screen: NodeJS.WriteStream) => {
  let isQuiet = true
  const output = new Writable({
    write: (piece, _, done) => {
      if (!isQuiet) screen.write(piece)
      done()
    }
  })
  Object.defineProperty(output, "columns", { get: () => screen.columns })
  const resized = () => void output.emit("resize")
  screen.on("resize", resized)
  return {
    output,
    quiet: (quiet: boolean) => void (isQuiet = quiet),
    close: () => void screen.off("resize", resized)
  }
}

/** Of a line that is to be a command, the commands that it may become. */
const completed = (line: string): [Array<string>, string] => [
  line.startsWith("/") ? names.filter((name) => name.startsWith(line)) : [],
  line
]

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.acquireRelease(
  Effect.sync(() => {
    const isInteractive = process.stdin.isTTY === true && process.stderr.isTTY
    const colours = hasColours(process.stderr)
    const screen = quietScreen(process.stderr)
    const reader = createInterface({
      input: process.stdin,
      ...(isInteractive ? { output: screen.output, terminal: true, completer: completed } : { terminal: false })
    })
    // a terminal that knows it marks what is pasted, so that several lines can be one
    if (isInteractive) process.stderr.write("\u001b[?2004h")
    const pasted: Array<string> = []
    let isPasting = false
    const keyPressed = (_: unknown, key: { readonly name?: string } | undefined) => {
      if (key?.name === "paste-start") isPasting = true
      if (key?.name === "paste-end") isPasting = false
    }
    process.stdin.on("keypress", keyPressed)
    const typed: Array<string> = []
    let waiting: ((line: Option.Option<string>) => void) | undefined
    let isOver = false
    let isMidLine = false
    let presses = 0
    let pressed = Deferred.unsafeMake<void>(Effect.runSync(Effect.fiberId))

    reader.on("line", (entered) => {
      if (isPasting) return void pasted.push(entered)
      const line = [...pasted, entered].join("\n")
      pasted.length = 0
      presses = 0
      screen.quiet(true)
      const take = waiting
      waiting = undefined
      if (take === undefined) typed.push(line)
      else take(Option.some(line))
    })
    reader.on("close", () => {
      isOver = true
      const take = waiting
      waiting = undefined
      take?.(Option.none())
    })
    reader.on("SIGINT", () => {
      presses++
      // who stops something does not mean what was typed while it ran
      typed.length = 0
      const last = pressed
      pressed = Deferred.unsafeMake<void>(Effect.runSync(Effect.fiberId))
      Deferred.unsafeDone(last, Effect.void)
    })

    const endLine = () => {
      if (isMidLine) process.stdout.write("\n")
      isMidLine = false
    }
    /** Forgets what was typed of a line that was not entered. */
    const clear = () => {
      if (!isInteractive) return
      pasted.length = 0
      reader.write(null, { ctrl: true, name: "e" })
      reader.write(null, { ctrl: true, name: "u" })
    }
    // some terminals say that they are nothing wide
    const columns = () => process.stderr.columns || 80
    const terminal: Terminal = {
      isInteractive,
      columns,
      line: (prompt, fresh) =>
        Effect.async((resume) => {
          endLine()
          if (fresh !== undefined) clear()
          const before = fresh === undefined ? typed.shift() : undefined
          if (before !== undefined) return resume(Effect.succeed(Option.some(before)))
          if (isOver) return resume(Effect.succeed(Option.none()))
          waiting = (line) => resume(Effect.succeed(line))
          if (isInteractive) {
            screen.quiet(false)
            reader.setPrompt(prompt)
            reader.prompt(true)
          }
          return Effect.sync(() => {
            waiting = undefined
            if (!isInteractive) return
            clear()
            screen.quiet(true)
            process.stderr.write("\n")
          })
        }),
      interrupted: Effect.suspend(() => Deferred.await(pressed)),
      presses: () => presses,
      say: (piece) => {
        const text = process.stdout.isTTY ? harmless(piece) : piece
        if (text === "") return
        process.stdout.write(text)
        isMidLine = !text.endsWith("\n")
      },
      endLine,
      tell: (line, tone = "quiet") => {
        endLine()
        const text = isInteractive ? wrapAnsi(harmless(line), columns(), { trim: false }) : harmless(line)
        process.stderr.write(colours ? `\u001b[${codes[tone]}m${text}\u001b[0m\n` : `${text}\n`)
      }
    }
    const close = () => {
      if (isInteractive) process.stderr.write("\u001b[?2004l")
      process.stdin.off("keypress", keyPressed)
      reader.close()
      screen.close()
      // a pipe that nobody reads any more would keep the process
      process.stdin.unref?.()
    }
    return { terminal, close }
  }),
  ({ close }) => Effect.sync(close)
).pipe(Effect.map(({ terminal }) => terminal))
