/**
 * What a request is made of.
 *
 * @since 0.1.0
 */
import type * as Message from "../../session/Message.ts"

/**
 * In the order in which a request carries them. `hidden` is what the provider counted and the file does not hold: the
 * system prompt and tools of formats that leave them out. `checkpoint` is what a compaction put in the place of messages.
 *
 * @since 0.1.0
 * @category constants
 */
export const parts = [
  "system",
  "tools",
  "hidden",
  "checkpoint",
  "user",
  "assistant",
  "reasoning",
  "calls",
  "results"
] as const

/**
 * @since 0.1.0
 * @category models
 */
export type Part = (typeof parts)[number]

/**
 * Tokens of each part.
 *
 * @since 0.1.0
 * @category models
 */
export type Parts = Readonly<Record<Part, number>>

/**
 * @since 0.1.0
 * @category constants
 */
export const partNames: Readonly<Record<Part, string>> = {
  system: "system prompt",
  tools: "tool schemas",
  hidden: "not in the file",
  checkpoint: "checkpoints",
  user: "user",
  assistant: "assistant",
  reasoning: "reasoning",
  calls: "tool calls",
  results: "tool results"
}

/**
 * A value for each part; `value` is asked with the part's place in `parts`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const each = <A>(value: (place: number) => A): Readonly<Record<Part, A>> =>
  Object.fromEntries(parts.map((part, place) => [part, value(place)])) as Record<Part, A>

/**
 * Parts by their places in `parts`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromList = (tokens: ArrayLike<number>): Parts => each((place) => tokens[place] ?? 0)

/**
 * What a message of this role is when it says something.
 *
 * @since 0.1.0
 * @category getters
 */
export const ofRole = (role: Message.Message["role"]): Part => (role === "tool" ? "results" : role)

/**
 * @since 0.1.0
 * @category getters
 */
export const ofBlock = (block: Message.Block, role: Message.Message["role"]): Part => {
  switch (block.type) {
    case "reasoning":
      return "reasoning"
    case "tool-call":
      return "calls"
    case "tool-result":
      return "results"
    default:
      return ofRole(role)
  }
}
