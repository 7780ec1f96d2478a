/**
 * One session of the chat, from its first prompt to where it is left.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { errorText } from "../../errors/errorRecord.ts"
import * as AgentLoop from "../../layers/AgentLoop.ts"
import * as CompactService from "../../layers/CompactService.ts"
import * as Surface from "../../layers/Surface.ts"
import * as TokenMeter from "../../layers/TokenMeter.ts"
import type { LogStore } from "../../services/LogStore.ts"
import { ModelAdapter } from "../../services/ModelAdapter.ts"
import type { Service as Sessions } from "../../services/Sessions.ts"
import * as Message from "../../session/Message.ts"
import * as Commands from "./commands.ts"
import { show, showProgress } from "./events.ts"
import type { Settings } from "./settings.ts"
import type { Terminal } from "./terminal.ts"
import { failureOf, outcomeOf, planOf, promptOf, usageOf } from "./words.ts"

/**
 * What comes after: another session, or the end. `Failed`: a turn failed, and nobody is there to see it.
 *
 * @since 0.1.0
 * @category models
 */
export type Next =
  | { readonly _tag: "Session"; readonly id: string }
  | { readonly _tag: "Left" }
  | { readonly _tag: "Interrupted" }
  | { readonly _tag: "Failed"; readonly message: string }

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly id: string
  readonly terminal: Terminal
  readonly settings: Settings
  /** the person asked for it by its name */
  readonly isNamed: boolean
  /** all of the input is one prompt */
  readonly once: boolean
  readonly logs: LogStore["Type"]
  readonly sessions: Sessions
}

const words = (cause: Cause.Cause<unknown>): string => errorText(Cause.originalError(Cause.squash(cause)))

/** Runs until its end, or until Ctrl-C; then it is interrupted, and has closed what it opened when this goes on. */
const stoppable = <A, E, R>(terminal: Terminal, effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    Effect.exit(effect),
    Effect.as(terminal.interrupted, Exit.interrupt(Effect.runSync(Effect.fiberId)) as Exit.Exit<A, E>)
  )

/** All lines that there are, as one text. */
const wholeInput = (terminal: Terminal) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    for (;;) {
      const line = yield* terminal.line("")
      if (Option.isNone(line)) return lines.join("\n")
      lines.push(line.value)
    }
  })

const excerpt = (text: string) => (text.length > 300 ? `… ${text.slice(-300)}` : text)

/** Says where a session that is gone on with was. */
const recall = Effect.fnUntraced(function* (terminal: Terminal, isNamed: boolean) {
  const messages = yield* Surface.messages
  const last = messages.findLast((message) => message.role === "assistant" && Message.text(message) !== "")
  if (messages.length === 0) {
    if (isNamed) terminal.tell("begins: there was no session of this name")
    return
  }
  const { generation } = yield* TokenMeter.measure
  terminal.tell(
    `goes on: ${messages.length} ${messages.length === 1 ? "message" : "messages"}, generation ${generation}`
  )
  if (last !== undefined) terminal.tell(`last it said: ${excerpt(Message.text(last).trim())}`)
})

/** An id for a branch that no session has. */
const branchId = Effect.fnUntraced(function* (logs: LogStore["Type"], id: string) {
  const base = id.replace(/-branch-\d+$/u, "")
  for (let number = 1; ; number++) {
    const candidate = `${base}-branch-${number}`
    if (!(yield* logs.exists(candidate))) return candidate
  }
})

/**
 * @since 0.1.0
 * @category constructors
 */
export const converse = Effect.fnUntraced(function* ({
  id,
  isNamed,
  logs,
  once,
  sessions,
  settings,
  terminal
}: Options) {
  const adapter = yield* ModelAdapter
  const windowOf = Effect.map(adapter.modelInfo(settings.route), (info) =>
    Option.match(info, { onNone: () => undefined, onSome: ({ window }) => window })
  )
  yield* recall(terminal, isNamed)
  if ((yield* windowOf) === undefined) {
    terminal.tell(
      `nobody knows the window of ${settings.route.model}: there is no pressure before --window says it`,
      "wrong"
    )
  }
  yield* Effect.forkScoped(
    Stream.runForEach(CompactService.progress, (progress) => Effect.sync(() => showProgress(terminal)(progress)))
  )

  const turn = (text: string) =>
    Effect.gen(function* () {
      const shown = show(terminal)
      const exit = yield* stoppable(
        terminal,
        Stream.runForEach(AgentLoop.prompt(text), (event) => Effect.sync(() => shown(event)))
      )
      terminal.endLine()
      if (Exit.isSuccess(exit)) return undefined
      if (Cause.isInterruptedOnly(exit.cause)) {
        terminal.tell("(stopped; what was done is kept)", "wrong")
        return undefined
      }
      terminal.tell(`the turn failed: ${words(exit.cause)}`, "wrong")
      return words(exit.cause)
    })

  const compact = Effect.gen(function* () {
    const exit = yield* stoppable(terminal, CompactService.compactNow)
    if (Exit.isSuccess(exit)) return terminal.tell(outcomeOf(exit.value), "plain")
    if (Cause.isInterruptedOnly(exit.cause)) return terminal.tell("(stopped; nothing was replaced)", "wrong")
    const failure = Cause.failureOption(exit.cause)
    terminal.tell(Option.isSome(failure) ? failureOf(failure.value) : `not compacted: ${words(exit.cause)}`, "wrong")
  })

  const plan = Effect.gen(function* () {
    const plans = yield* Effect.forEach(["pressure", "manual"] as const, CompactService.plan)
    for (const line of planOf(plans, yield* TokenMeter.measure, yield* windowOf)) terminal.tell(line, "plain")
  })

  const usage = Effect.gen(function* () {
    const events = Chunk.toReadonlyArray(yield* Stream.runCollect(Surface.history(0)))
    for (const line of usageOf(events, yield* TokenMeter.measure, yield* windowOf)) terminal.tell(line, "plain")
  })

  const branch = (at: number | undefined) =>
    Effect.gen(function* () {
      const { revision } = yield* TokenMeter.measure
      const as = yield* branchId(logs, id)
      const exit = yield* Effect.exit(sessions.branch(id, { at: at ?? revision - 1, as }))
      if (Exit.isSuccess(exit)) {
        terminal.tell(`branched at event ${at ?? revision - 1}: session ${as}`, "plain")
        return as
      }
      terminal.tell(words(exit.cause), "wrong")
      return undefined
    })

  if (once) {
    const text = yield* wholeInput(terminal)
    if (text.trim() === "") return { _tag: "Failed", message: "--once found no question on standard input" } as Next
    const failed = yield* turn(text)
    return (failed === undefined ? { _tag: "Left" } : { _tag: "Failed", message: failed }) satisfies Next as Next
  }

  for (;;) {
    if (terminal.presses() > 1) return { _tag: "Interrupted" } as Next
    const prompt = promptOf(yield* TokenMeter.measure, yield* windowOf, terminal.columns())
    const line = yield* Effect.raceFirst(
      Effect.map(terminal.line(prompt), (line) => Option.getOrElse(line, () => "/quit")),
      Effect.as(terminal.interrupted, undefined)
    )
    if (line === undefined) {
      if (terminal.presses() < 2) terminal.tell("(Ctrl-C again leaves; so does /quit)")
      continue
    }
    const input = Commands.parse(line)
    switch (input._tag) {
      case "Nothing":
        break
      case "Prompt": {
        const failed = yield* turn(input.text)
        if (failed !== undefined && !terminal.isInteractive) return { _tag: "Failed", message: failed } as Next
        break
      }
      case "Compact":
        yield* compact
        break
      case "Plan":
        yield* plan
        break
      case "Usage":
        yield* usage
        break
      case "Help":
        for (const [command, what] of Commands.commands) terminal.tell(`${command.padEnd(15)}${what}`, "plain")
        terminal.tell(`${"Ctrl-C".padEnd(15)}stop what runs; twice: leave`, "plain")
        break
      case "Branch": {
        const as = yield* branch(input.at)
        if (as !== undefined) return { _tag: "Session", id: as } as Next
        break
      }
      case "Wrong":
        terminal.tell(input.why, "wrong")
        break
      case "Quit":
        return { _tag: "Left" } as Next
    }
  }
}, Effect.scoped)
