// A conversation, and everything that it depends on, as data.
import type { CompactionPolicy } from "../../src/index.ts"
import type { Lie, SummaryLie } from "../../src/testing/index.ts"

/** A text of that many words; `seed` makes two of them differ. */
export interface Words {
  readonly script: "latin" | "cjk" | "code"
  readonly count: number
  readonly seed: number
}

export interface ToolPlan {
  readonly answers: "text" | "image" | "error" | "nothing" | "dies" | "overflows"
  readonly words: Words
}

export type AnswerPlan =
  | { readonly does: "says" | "stops-at-the-limit"; readonly words: Words }
  | { readonly does: "calls"; readonly words: Words; readonly tools: ReadonlyArray<ToolPlan> }
  | { readonly does: "says-nothing" }

export interface TurnPlan {
  readonly prompt: Words
  readonly image: boolean
  readonly answers: ReadonlyArray<AnswerPlan>
}

export type Backend =
  | {
      readonly is: "a ladder"
      readonly rungs: ReadonlyArray<"reuse" | "prune" | "summarise" | "drop-media" | "prune-tighter" | "extract" | Lie>
      /** what the liars among them say that they make less of */
      readonly reduces?: "bytes"
    }
  | { readonly is: "a liar"; readonly lie: Lie }

/** A conversation, and everything that it depends on. Sizes are tokens of the model's own counter. */
export interface World {
  readonly turns: ReadonlyArray<TurnPlan>
  /** what the model enforces */
  readonly window: number
  /** what its adapter says that the window is */
  readonly told: number | undefined
  /** what a refusal tells */
  readonly states: { readonly limit: boolean; readonly requested: boolean }
  readonly reports: boolean
  readonly policy: CompactionPolicy.Options
  readonly backend: Backend
  readonly summary: "honest" | SummaryLie
  /** milliseconds that each of them takes; of the log: turns of the other fibers */
  readonly takes: { readonly model: number; readonly tool: number; readonly summary: number; readonly log: number }
}

const latin =
  "the file of this session was read twice before its lock could be taken and nobody knew which writer had left it there".split(
    " "
  )
const cjk = [..."我们需要在上下文窗口之内保持对话日志的顺序并且不丢失任何内容的时候才能继续"]

export const textOf = ({ count, script, seed }: Words): string => {
  const word = (i: number) => {
    const at = (i * 7 + seed * 13 + ((i * seed) % 5)) >>> 0
    if (script === "cjk") return cjk[at % cjk.length]!
    return script === "code" ? `${latin[at % latin.length]}_${at % 97}();` : latin[at % latin.length]!
  }
  return Array.from({ length: count }, (_, i) => word(i)).join(script === "cjk" ? "" : " ")
}

export const atOnce = { model: 0, tool: 0, summary: 0, log: 0 }
