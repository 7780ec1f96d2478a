// The relative errors of weights, by class, by part of the corpus and by family.

const estimate = (counters, weights) => counters.reduce((sum, { at, count }) => sum + count * weights[at], 0)

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
const percent = (value) => (value === undefined || Number.isNaN(value) ? "" : (100 * value).toFixed(1))

/** Signed relative errors by class. */
const errorsBy = ({ counters, pieces, truths }, part, vocabulary, weights) => {
  const errors = new Map()
  pieces.forEach(({ name, part: own, text }, i) => {
    if (own !== part) return
    const tokens = Math.min(Math.max(1, Math.round(estimate(counters[i], weights))), Buffer.byteLength(text))
    const list = errors.get(name) ?? []
    list.push(tokens / truths[vocabulary][i] - 1)
    errors.set(name, list)
  })
  return errors
}

const meanAbsolute = (errors) => mean(errors.map(Math.abs))

/** The mean over classes of the mean absolute error in each; what no message is made of is left out. */
export const classMean = (errors) =>
  mean([...errors].filter(([name]) => name !== "oddities").map(([, list]) => meanAbsolute(list)))

/** Prints a table of classes for each family, and the means that the project promises. */
export const printErrors = (data) => {
  const vocabularies = Object.keys(data.truths)
  const parts = ["training", "check", "holdOut"]
  const table = new Map()
  const summary = []
  for (const vocabulary of vocabularies) {
    const own = parts.map((part) => errorsBy(data, part, vocabulary, data.weights[vocabulary]))
    const unknown = errorsBy(data, "holdOut", vocabulary, data.leftOut[vocabulary])
    for (const name of own[0].keys()) {
      const row = table.get(name) ?? {}
      row[vocabulary] = own
        .map((errors) => percent(errors.has(name) ? meanAbsolute(errors.get(name)) : undefined))
        .join(" ")
      table.set(name, row)
    }
    const all = [...own[2].values()].flat().sort((a, b) => a - b)
    summary.push({
      family: vocabulary,
      training: percent(classMean(own[0])),
      check: percent(classMean(own[1])),
      "hold-out": percent(classMean(own[2])),
      "1 in 100 below": percent(all[Math.floor(all.length / 100)]),
      "family unknown, hold-out": percent(classMean(unknown))
    })
  }
  console.log("\nmean absolute error in %, of training, check and hold-out")
  console.table(Object.fromEntries(table))
  console.log("means over the classes in %; unknown: the weights that the seven other families make up")
  console.table(summary)
}
