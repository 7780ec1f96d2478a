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
  /** of the largest size measured to the smallest, on the figure of the largest */
  readonly growth: number | undefined
}

const sizeOf = (name: string) => Number(name.slice(name.lastIndexOf("/") + 1))
const seriesOf = (name: string) => name.slice(0, Math.max(name.lastIndexOf("/"), 0))

const most = (value: number, why: string): Budget => ({ least: 0, most: value, why })
const least = (value: number, why: string): Budget => ({ least: value, most: Infinity, why })

/** Absolute budgets, by series. */
const absolute: { readonly [series: string]: Budget } = {
  "measure through the services": most(2_000, "2 microseconds"),
  "append through the services": most(8_000, "8 microseconds"),
  "append + measure + messages through the services": most(20_000, "20 microseconds"),
  "heap beside the records": most(120, "120 bytes"),
  "cold open beside JSON.parse": least(0.5, "half the speed of JSON.parse"),
  estimate: least(80, "80 MB/s in any class")
}

/** What the error of the next request may be after so many reports where the tokenizer's family is known, in percent. */
const errors: Readonly<Record<string, number>> = { "1": 1.5, "5": 1, "20": 0.4 }

const conversationBudget = (name: string): Budget | undefined => {
  const reports = /, known: mean error after (\d+)/.exec(name)?.[1]
  const error = reports === undefined ? undefined : errors[reports]
  if (error !== undefined) return most(error, "the error of the next request, family known")
  if (/coding, known: upper bound missed/.test(name)) return most(0.2, "2 requests in 1,000")
  return /coding, known: slack/.test(name) ? most(2, "2 % of the context") : undefined
}

/** Budgets that are ratios are of the same run: absolute times are another machine's. */
const budgetOf = (figure: Figure, figures: ReadonlyArray<Figure>): Budget | undefined => {
  const series = seriesOf(figure.name)
  const beside = (name: string) => figures.find((other) => other.name === `${name}/${sizeOf(figure.name)}`)?.value
  if (series === "append + measure + cut") {
    const push = beside("array.push + addition") ?? Infinity
    return most(Math.min(1_000, 20 * push), "1 microsecond, and 20 times a push and an addition")
  }
  if (figure.name === "inspect from end to end") return least(40, "40 MB/s")
  if (figure.name === "inspect memory") return most(300, "300 MB")
  if (figure.name === "longest estimate of 1 Mi units") return most(25, "25 ms")
  return absolute[series] ?? conversationBudget(figure.name)
}

const growthOf = (figure: Figure, figures: ReadonlyArray<Figure>): number | undefined => {
  const series = seriesOf(figure.name)
  const same = figures.filter(({ name }) => series !== "" && seriesOf(name) === series && sizeOf(name) > 0)
  const sizes = same.map(({ name }) => sizeOf(name))
  if (same.length < 2 || sizeOf(figure.name) !== Math.max(...sizes)) return undefined
  return figure.value / same[sizes.indexOf(Math.min(...sizes))]!.value
}

export const judged = (figures: ReadonlyArray<Figure>): ReadonlyArray<Judged> =>
  figures.map((figure) => ({
    ...figure,
    budget: budgetOf(figure, figures),
    growth: growthOf(figure, figures)
  }))

export const isMissed = ({ budget, value }: Judged): boolean =>
  budget !== undefined && !(value <= budget.most && value >= budget.least)
