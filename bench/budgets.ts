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
  return undefined
}

export const budgets = (figures: ReadonlyArray<Figure>): ReadonlyArray<Judged> =>
  figures.map((figure) => ({ ...figure, budget: budgetOf(figure, figures) }))
