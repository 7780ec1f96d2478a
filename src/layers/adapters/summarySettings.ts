/**
 * The settings of a conversation, as a summary request can have them: it has a cap of its own, calls no tools, and
 * answers with plain text.
 *
 * @since 0.1.0
 */
import { type Fields, fieldsOf } from "./looseJson.ts"

/** The least that providers take. */
const leastBudget = 1024

/** Settings that say how the conversation's answers end, or what form they have. */
const ofItsAnswers = new Set([
  "tool_choice",
  "parallel_tool_calls",
  "stop",
  "stop_sequences",
  "response_format",
  "output_format"
])

const isAtLeast = (budget: unknown, cap: number): boolean => typeof budget === "number" && budget >= cap

/** Half of the cap is for reasoning, where that is enough for any. */
const budgetWithin = (cap: number): number | undefined => {
  const budget = Math.floor(cap / 2)
  return budget < leastBudget ? undefined : budget
}

const thinkingWithin = (thinking: Fields, cap: number): Fields => {
  if (!isAtLeast(thinking["budget_tokens"], cap)) return thinking
  const budget = budgetWithin(cap)
  return budget === undefined ? { type: "disabled" } : { ...thinking, budget_tokens: budget }
}

const reasoningWithin = (reasoning: Fields, cap: number): Fields => {
  if (!isAtLeast(reasoning["max_tokens"], cap)) return reasoning
  const budget = budgetWithin(cap)
  return budget === undefined ? { enabled: false } : { ...reasoning, max_tokens: budget }
}

const withoutFormat = ({ format: _format, ...rest }: Fields): Fields => rest

const fitting = (name: string, value: unknown, cap: number): unknown => {
  const fields = fieldsOf(value)
  if (fields === undefined) return value
  if (name === "thinking") return thinkingWithin(fields, cap)
  if (name === "reasoning") return reasoningWithin(fields, cap)
  return name === "output_config" ? withoutFormat(fields) : value
}

/**
 * A budget for reasoning stays below the cap, or reasoning is off; what a provider would refuse, or what would make
 * something else than a summary of the answer, is left out. All else stays: the provider's cache is kept by it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const summarySettings = (settings: Fields, cap: number = Infinity): Fields =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      ofItsAnswers.has(name) ? [] : [[name, fitting(name, value, cap)] as const]
    )
  )
