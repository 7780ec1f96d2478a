/**
 * What inspecting keeps of a transcript: the price of each block, and of its text nothing. Blocks are priced as they are
 * read, and stand-ins of a few characters take their place, so that a file of any length needs memory for its number of
 * messages only.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"
import * as CodePoints from "../../compaction/CodePoints.ts"
import { families } from "../../compaction/estimator/families.ts"
import { markerLength, type PruneBudget, pruneResult, pruneText } from "../../compaction/prune.ts"
import { framing } from "../../compaction/requestPrice.ts"
import { type TokenEstimator, tokens as weigh } from "../../compaction/TokenEstimator.ts"
import type { Keep } from "../../formats/Format.ts"
import * as Message from "../../session/Message.ts"
import * as Heaviest from "./heaviest.ts"
import { beginning, firstWords } from "./words.ts"

/** The place of a block's counts. A symbol, so that it travels where a block is copied with another id. */
const slot: unique symbol = Symbol("slot")

type Slotted = Message.Block & { readonly [slot]?: number }

const slotOf = (block: Message.Block): number | undefined => (block as Slotted)[slot]

/**
 * @since 0.1.0
 * @category models
 */
export interface Kept {
  /** what stands for a block of the file */
  readonly keep: Keep
  /** prices messages by what was kept of their blocks */
  readonly estimator: TokenEstimator
  /** the same in tokens of one tokenizer, one number a message: a ninth of the work where there is but one */
  readonly estimatorFor: (weights: ReadonlyArray<number>) => TokenEstimator
  /** tokens of one block, without the framing of its message */
  readonly tokens: (block: Message.Block, weights: ReadonlyArray<number>) => number
  /** tokens of a tool's result after a prune by the policy's budget; undefined where it is not over it */
  readonly pruned: (block: Message.ToolResultBlock, weights: ReadonlyArray<number>) => number | undefined
  /** the first words of one of the heaviest blocks */
  readonly words: (block: Message.Block) => string | undefined
  /** where in the file a block stood, as its format says it */
  readonly place: (block: Message.Block) => string | undefined
  /**
   * a number that is the same for calls of a tool with the same arguments, and for readings of the same file; undefined
   * where there was but one
   */
  readonly callNumber: (block: Message.ToolCallBlock) => number | undefined
  /** what calls of this number were called with, for people */
  readonly calledWith: (number: number) => string
}

const dimensions = families.length
const generic = families.indexOf("generic")
const nothing: ReadonlyArray<number> = [0]
const one: ReadonlyArray<number> = [1]
const ones = families.map(() => 1)

const rowBits = 12
const rowMask = (1 << rowBits) - 1

/**
 * The counts of all blocks in arrays of numbers: an object for each block would take ten times the room, and one array that
 * grows would stand there twice while it does.
 */
const makeCounts = () => {
  const arrays: Array<Float64Array> = []
  let length = 0
  const arrayOf = (index: number): Float64Array => arrays[index >> rowBits]!
  const offsetOf = (index: number): number => (index & rowMask) * dimensions
  return {
    /** of a message with this one block; the framing is not the block's */
    add: (counts: ReadonlyArray<number>): number => {
      if ((length & rowMask) === 0) arrays.push(new Float64Array(dimensions << rowBits))
      const array = arrayOf(length)
      const offset = offsetOf(length)
      for (let k = 0; k < dimensions; k++) array[offset + k] = counts[k]! - framing.message
      return length++
    },
    /** how often blocks are priced again decides how fast all of it is, so nothing is copied for it */
    tokens: (index: number, weights: ReadonlyArray<number>): number => {
      const array = arrayOf(index)
      const offset = offsetOf(index)
      let sum = 0
      for (let k = 0; k < dimensions; k++) sum += array[offset + k]! * weights[k]!
      return sum
    },
    addTo: (to: Array<number>, index: number): void => {
      const array = arrayOf(index)
      const offset = offsetOf(index)
      for (let k = 0; k < dimensions; k++) to[k] = to[k]! + array[offset + k]!
    }
  }
}

const add = (to: Array<number>, counts: ReadonlyArray<number>): void => {
  for (let k = 0; k < dimensions; k++) to[k] = to[k]! + counts[k]!
}

/** Arguments by which tools name the file that they read. */
const pathNames = [
  "path",
  "file_path",
  "filePath",
  "filepath",
  "filename",
  "file",
  "target_file",
  "notebook_path",
  "uri"
]

const reads = /read|view|open|cat\b|show|fetch|get_file/iu

const pathIn = ({ arguments: given, name }: Message.ToolCallBlock): string | undefined => {
  if (typeof given !== "object" || given === null || !reads.test(name)) return undefined
  for (const each of pathNames) {
    const value = (given as Readonly<Record<string, unknown>>)[each]
    if (typeof value === "string" && value !== "") return value
  }
  return undefined
}

/** A reading is known by its file, whichever part of it is read; any other call by all of its arguments. */
const calledWith = (call: Message.ToolCallBlock): string => pathIn(call) ?? JSON.stringify(call.arguments) ?? ""

/** Most calls are short, and their own names. */
const shortKey = 64

const keyOf = (name: string, called: string): string => {
  const key = `${name}\n${called}`
  return key.length <= shortKey ? key : hash("sha1", key, "base64")
}

const noArguments = {}

/** A marker as a prune leaves it, by itself. */
const marker = pruneText(" ".repeat(2 * markerLength), { over: markerLength, head: 0, tail: 0 }) ?? ""

const endsOf = (text: string, { head, tail }: PruneBudget): string =>
  CodePoints.clip(text, head) + marker + text.slice(CodePoints.indexBefore(text, tail))

/** Enough for every block of most sessions; of a longer one these are the heaviest. */
const wordsKept = 2048

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (estimator: TokenEstimator, options: { readonly prune: false | PruneBudget }): Kept => {
  const counts = makeCounts()
  const places: Array<string | undefined> = []
  const words = Heaviest.make<string>(wordsKept)
  const prunes = new Map<number, ReadonlyArray<number>>()
  const callNumbers: Array<number | undefined> = []
  const numbers = new Map<string, number>()
  /** by number; absent where there was but one call of it */
  const labels: Array<string | undefined> = []

  const wordsOf = (text: string | undefined): string | undefined => (text === undefined ? undefined : firstWords(text))

  /** Without what a message costs by itself. */
  const price = (block: Message.Block): ReadonlyArray<number> =>
    estimator.message({ role: "user", content: [block] }).map((tokens) => tokens - framing.message)

  const enter = (block: Message.Block, text: () => string): number => {
    const priced = estimator.message({ role: "user", content: [block] })
    const at = counts.add(priced)
    words.add(at, priced[generic]!, () => beginning(text()))
    return at
  }

  /** What a prune leaves of a result; undefined where it is not over the budget. */
  const cutOf = ({ content }: Message.ToolResultBlock): ReadonlyArray<Message.ResultBlock> | undefined => {
    const budget = options.prune
    if (budget === false) return undefined
    const [only, ...others] = content
    // a text of so many units is over the budget whatever its characters are: nothing between its ends has to be looked at
    return others.length === 0 && only?.type === "text" && only.text.length > 2 * budget.over
      ? [Message.textBlock(endsOf(only.text, budget))]
      : pruneResult(content, budget)
  }

  const keepResult = (result: Message.ToolResultBlock): Slotted => {
    const said = () => result.content.find((part) => part.type === "text")?.text ?? ""
    const at = enter(result, said)
    const cut = cutOf(result)
    if (cut !== undefined) prunes.set(at, price({ ...result, content: cut }))
    // whether two results are the same is asked of what is kept of them
    const kept = `${said().length} ${counts.tokens(at, ones)}`
    const content = result.content.length === 0 ? [] : [Message.textBlock(kept)]
    const { id, isError, name, type } = result
    return isError === undefined
      ? { type, id, name, content, [slot]: at }
      : { type, id, name, content, isError, [slot]: at }
  }

  const keepCall = (call: Message.ToolCallBlock): Slotted => {
    const called = calledWith(call)
    const at = enter(call, () => called)
    const key = keyOf(call.name, called)
    const known = numbers.get(key)
    if (known === undefined) numbers.set(key, numbers.size)
    else labels[known] ??= beginning(called)
    callNumbers[at] = known ?? numbers.size - 1
    return { type: call.type, id: call.id, name: call.name, arguments: noArguments, [slot]: at }
  }

  const keepOther = (block: Message.Block): Slotted => {
    switch (block.type) {
      case "text":
        return block.text === "" ? block : { type: "text", text: "…", [slot]: enter(block, () => block.text) }
      case "reasoning":
        return { type: "reasoning", text: "…", [slot]: enter(block, () => block.text) }
      case "image":
      case "file": {
        const source = { type: "blob", blob: "…" } as const
        return { type: block.type, source, [slot]: enter(block, () => `[${block.type}]`) }
      }
      default:
        return { type: "unknown", value: null, [slot]: enter(block, () => "[unknown]") }
    }
  }

  const keep: Keep = (block, _, place) => {
    const kept =
      block.type === "tool-result" ? keepResult(block) : block.type === "tool-call" ? keepCall(block) : keepOther(block)
    const at = slotOf(kept)
    if (at !== undefined) places[at] = place
    return kept
  }

  /** What a decoder made itself was never kept. */
  const addCounts = (to: Array<number>, block: Message.Block): void => {
    const at = slotOf(block)
    if (at === undefined) add(to, price(block))
    else counts.addTo(to, at)
  }

  const tokens: Kept["tokens"] = (block, weights) => {
    const at = slotOf(block)
    return at === undefined ? weigh(price(block), weights) : counts.tokens(at, weights)
  }

  const from =
    <A>(found: (at: number) => A | undefined) =>
    (block: Message.Block): A | undefined => {
      const at = slotOf(block)
      return at === undefined ? undefined : found(at)
    }

  return {
    keep,
    estimator: {
      ...estimator,
      message: (message) => {
        const all = families.map(() => 0)
        if (message.role === "assistant" && Message.isEmpty(message)) return all
        for (let k = 0; k < dimensions; k++) all[k] = framing.message
        for (const block of message.content) addCounts(all, block)
        return all
      }
    },
    estimatorFor: (weights) => {
      const framed = weigh(ones, weights) * framing.message
      return {
        id: `${estimator.id} weighed`,
        dimensions: 1,
        message: (message) => {
          if (message.role === "assistant" && Message.isEmpty(message)) return nothing
          let sum = framed
          for (const block of message.content) sum += tokens(block, weights)
          return [sum]
        },
        envelope: (envelope) => [weigh(estimator.envelope(envelope), weights)],
        weights: () => one
      }
    },
    tokens,
    pruned: (block, weights) => {
      const at = slotOf(block)
      const found = at === undefined ? undefined : prunes.get(at)
      return found === undefined ? undefined : weigh(found, weights)
    },
    words: from((at) => wordsOf(words.get(at))),
    place: from((at) => places[at]),
    callNumber: from((at) => {
      const number = callNumbers[at]
      return number === undefined || labels[number] === undefined ? undefined : number
    }),
    calledWith: (number) => wordsOf(labels[number]) ?? ""
  }
}
