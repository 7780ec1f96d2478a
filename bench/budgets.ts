// What each figure may be, as data: issue 3 of the plan says where the numbers come from.

export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
}

export interface Budget {
  readonly least: number
  readonly most: number
  readonly why: string
}

export interface Judged extends Figure {
  readonly budget: Budget | undefined
}

const sizeOf = (name: string) => name.slice(name.lastIndexOf("/") + 1)

/** What the error of the next request may be after so many reports where the tokenizer's family is known, in percent. */
const errors: Readonly<Record<string, number>> = { "1": 1.5, "5": 1, "20": 0.4 }

const conversationBudget = (name: string): Budget | undefined => {
  const reports = /, known: mean error after (\d+)/.exec(name)?.[1]
  const most = reports === undefined ? undefined : errors[reports]
  if (most !== undefined) return { least: 0, most, why: "the error of the next request, family known" }
  if (/coding, known: upper bound missed/.test(name)) return { least: 0, most: 0.2, why: "2 requests in 1,000" }
  return /coding, known: slack/.test(name) ? { least: 0, most: 2, why: "2 % of the context" } : undefined
}

/** Budgets that are ratios are of the same run: absolute times are another machine's. */
const budgetOf = (figure: Figure, figures: ReadonlyArray<Figure>): Budget | undefined => {
  const beside = (name: string) => figures.find((other) => other.name === `${name}/${sizeOf(figure.name)}`)?.value
  if (figure.name.startsWith("append + measure + cut")) {
    const push = beside("array.push + addition") ?? Infinity
    return { least: 0, most: Math.min(1_000, 20 * push), why: "1 microsecond, and 20 times a push and an addition" }
  }
  if (figure.name.startsWith("cold open")) {
    const parse = beside("JSON.parse of the same lines") ?? 0
    return { least: parse / 2, most: Infinity, why: "half the speed of JSON.parse" }
  }
  return conversationBudget(figure.name)
}

export const budgets = (figures: ReadonlyArray<Figure>): ReadonlyArray<Judged> =>
  figures.map((figure) => ({ ...figure, budget: budgetOf(figure, figures) }))
