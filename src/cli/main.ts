#!/usr/bin/env node
/**
 * The entry of the command line.
 *
 * @since 0.1.0
 */
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { cli, commandNames, commandOf, optionsOf } from "./command.ts"
import { exitCode } from "./exitCode.ts"
import { explain, explainFile, type Typed } from "./mistyped.ts"
import { withoutColours, withPlainConsole } from "./plainConsole.ts"

/** One sentence on stderr, and nothing else. */
const complain = (sentence: string, code: number) =>
  Effect.sync(() => {
    process.stderr.write(`effect-compaction: ${sentence.replace(/\s*\n\s*/gu, " ").trim()}\n`)
    return code
  })

const typed = (): Typed => {
  const command = commandOf(process.argv)
  return { words: process.argv.slice(2), command, commands: commandNames, options: optionsOf(command) }
}

const sentenceOf = (error: ValidationError.ValidationError) =>
  explain(withoutColours(HelpDoc.toAnsiText(error.error)).trim(), typed())

/** The parser's questions would wait for ever on an input that nobody types into. */
const asksNobody = process.argv.includes("--wizard") && !process.stdin.isTTY

const codes: Readonly<Record<string, number>> = { BadInput: exitCode.badInput, TargetMissed: exitCode.missed }

const program: Effect.Effect<number> = (asksNobody ? Effect.void : cli(process.argv)).pipe(
  withPlainConsole(commandNames),
  Effect.zipRight(
    asksNobody ? complain("--wizard needs a terminal", exitCode.badInput) : Effect.succeed<number>(exitCode.ran)
  ),
  Effect.catchAll((error) => {
    if (ValidationError.isValidationError(error)) return complain(sentenceOf(error), exitCode.badInput)
    const mistyped = error._tag === "BadInput" ? explainFile(error.message, typed()) : undefined
    return complain(mistyped ?? error.message, codes[error._tag] ?? exitCode.failed)
  }),
  Effect.catchAllDefect((defect) =>
    complain(`this should not have happened: ${defect instanceof Error ? defect.message : String(defect)}`, 1)
  ),
  Effect.provide(NodeContext.layer)
)

// a reader that has seen enough, as `head` has, is no failure
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error
    process.exit(exitCode.ran)
  })
}

NodeRuntime.runMain(program, {
  disableErrorReporting: true,
  // it would write to stdout, which is the report's
  disablePrettyLogger: true,
  teardown: (exit, onExit) => {
    const code: unknown = Exit.isSuccess(exit) ? exit.value : undefined
    onExit(
      typeof code === "number"
        ? code
        : Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause)
          ? exitCode.interrupted
          : exitCode.failed
    )
  }
})
