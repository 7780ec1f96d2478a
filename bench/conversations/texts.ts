// The texts of the simulated conversations: pieces that the estimator's weights were not fitted to, and their exact counts.
import { corpus } from "../estimator/corpus.mjs"
import { fetchTexts } from "../estimator/sources.mjs"
import { exactCounts, installed, tokenizers } from "../estimator/tokenizers.mjs"

export interface Texts {
  /** by class, in the order of the corpus */
  readonly classes: ReadonlyMap<string, ReadonlyArray<string>>
  /** by tokenizer: tokens of any text of the classes, and of the words that were asked for */
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>
}

const said = (error: unknown) => (error instanceof Error ? error.message.split("\n")[0] : String(error))

/** Without npm, apt-get or a network there are fewer texts, and perhaps none. */
const pieces = () => {
  try {
    fetchTexts()
  } catch (error) {
    console.log(`not all texts could be downloaded: ${said(error)}`)
  }
  try {
    return corpus()
  } catch (error) {
    console.log(`there is no corpus: ${said(error)}`)
    return []
  }
}

/** Texts and counts; `words` are counted too. */
export const load = async (words: ReadonlyArray<string>): Promise<Texts> => {
  const classes = new Map<string, Array<string>>()
  for (const { name, part, text } of pieces()) {
    if (part === "training") continue
    const known = classes.get(name)
    if (known === undefined) classes.set(name, [text])
    else known.push(text)
  }
  const names = installed()
  const missing = Object.keys(tokenizers).filter((name) => !names.includes(name))
  if (missing.length > 0) {
    console.log(`skipped: ${missing.join(", ")}, whose tokenizers \`npm run fit -- --check\` downloads`)
  }
  const texts = [...words, ...[...classes.values()].flat()]
  const exact = await exactCounts(texts, names)
  const counts = new Map(
    Object.entries(exact).map(([name, values]) => [name, new Map(texts.map((text, i) => [text, values[i] ?? 0]))])
  )
  return { classes, counts }
}
