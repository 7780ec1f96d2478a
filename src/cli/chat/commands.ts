/**
 * The commands of the chat: lines that begin with a slash and are not for the model.
 *
 * @since 0.1.0
 */
import { closest } from "../mistyped.ts"

/**
 * @since 0.1.0
 * @category models
 */
export type Input =
  | { readonly _tag: "Prompt"; readonly text: string }
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Compact" }
  | { readonly _tag: "Plan" }
  | { readonly _tag: "Usage" }
  | { readonly _tag: "Help" }
  | { readonly _tag: "Quit" }
  | { readonly _tag: "Branch"; readonly at: number | undefined }
  | { readonly _tag: "Wrong"; readonly why: string }

/**
 * Each with what it does.
 *
 * @since 0.1.0
 * @category constants
 */
export const commands: ReadonlyArray<readonly [command: string, what: string]> = [
  ["/compact", "make the conversation smaller now"],
  ["/plan", "what pressure or a compaction would do now, without doing it"],
  ["/usage", "what the session has used, and what fills the window"],
  ["/branch [SEQ]", "go on in a copy of the session as it was at event SEQ, or as it is"],
  ["/help", "this"],
  ["/quit", "leave; the session can be gone on with"]
]

/**
 * Their names alone.
 *
 * @since 0.1.0
 * @category constants
 */
export const names: ReadonlyArray<string> = commands.map(([command]) => command.split(" ", 1)[0] ?? "")

/**
 * What a line asks for. A line that begins with two slashes is a prompt that begins with one.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parse = (line: string): Input => {
  const text = line.trim()
  if (text === "") return { _tag: "Nothing" }
  if (text.startsWith("//")) return { _tag: "Prompt", text: text.slice(1) }
  if (!text.startsWith("/")) return { _tag: "Prompt", text }
  const [command = "", ...words] = text.split(/\s+/u)
  if (command !== "/branch" && names.includes(command) && words.length > 0) {
    return { _tag: "Wrong", why: `${command} takes nothing behind it` }
  }
  switch (command) {
    case "/compact":
      return { _tag: "Compact" }
    case "/plan":
      return { _tag: "Plan" }
    case "/usage":
      return { _tag: "Usage" }
    case "/help":
      return { _tag: "Help" }
    case "/quit":
      return { _tag: "Quit" }
    case "/branch": {
      const [at, ...rest] = words
      if (rest.length > 0 || (at !== undefined && !/^\d{1,15}$/u.test(at))) {
        return { _tag: "Wrong", why: "/branch takes the seq of one event, for example /branch 12, or nothing" }
      }
      return { _tag: "Branch", at: at === undefined ? undefined : Number(at) }
    }
    default: {
      const near = closest(command, names)
      const meant = near === undefined ? "/help has them all" : `did you mean ${near}?`
      return {
        _tag: "Wrong",
        why: `there is no command ${command}; ${meant} (a prompt that begins with a slash is written with two)`
      }
    }
  }
}
