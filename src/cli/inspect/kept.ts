/**
 * What inspecting keeps of a transcript: the price of each block, and of its text nothing. Blocks are priced as they are
 * read, and stand-ins of a few characters take their place, so that a file of any length needs memory for its number of
 * messages only.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import { families } from "../../compaction/estimator/families.ts"
import { type PruneBudget, pruneResult } from "../../compaction/prune.ts"
import { framing } from "../../compaction/requestPrice.ts"
import type { TokenEstimator } from "../../compaction/TokenEstimator.ts"
import * as Message from "../../session/Message.ts"
import * as Heaviest from "./heaviest.ts"
import { firstWords } from "./words.ts"

/** The place of a block's counts. A symbol, so that it travels where a block is copied with another id. */
const slot: unique symbol = Symbol("slot")

type Slotted = Message.Block & { readonly [slot]?: number }

const slotOf = (block: Message.Block): number | undefined => (block as Slotted)[slot]

const slotted = <B extends Message.Block>(block: B, at: number): B => ({ ...block, [slot]: at })

/**
 * A call of a tool with the same arguments, or a reading of the same file, as others: `key` tells which.
 *
 * @since 0.1.0
 * @category models
 */
export interface Call {
  readonly key: string
  /** what was called with, for people; known from the second call on */
  readonly label: string | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Kept {
  /** what stands for a block of the file; called once for each, in the file's order */
  readonly keep: (block: Message.Block, role: Message.Message["role"]) => Message.Block
  /** prices messages by what was kept of their blocks */
  readonly estimator: TokenEstimator
  /** counts of one block, without the framing of its message */
  readonly counts: (block: Message.Block) => ReadonlyArray<number>
  /** counts of a tool's result after a prune by the policy's budget; undefined where it is not over it */
  readonly pruned: (block: Message.ToolResultBlock) => ReadonlyArray<number> | undefined
  /** the first words of one of the heaviest blocks */
  readonly words: (block: Message.Block) => string | undefined
  /** the line of the file that a block stood on, where it was read line by line */
  readonly line: (block: Message.Block) => number | undefined
  readonly call: (block: Message.ToolCallBlock) => Call | undefined
}

const dimensions = families.length
const generic = families.indexOf("generic")

/** A block's counts, and its line. */
const width = dimensions + 1

/** All numbers in one array: an object for each block would take ten times the room. */
const makeRows = () => {
  let values = new Float64Array(width * 1024)
  let length = 0
  return {
    add: (counts: ReadonlyArray<number>, line: number): number => {
      if ((length + 1) * width > values.length) {
        const larger = new Float64Array(values.length * 2)
        larger.set(values)
        values = larger
      }
      values.set(counts, length * width)
      values[length * width + dimensions] = line
      return length++
    },
    counts: (index: number): ReadonlyArray<number> =>
      Array.from(values.subarray(index * width, index * width + dimensions)),
    line: (index: number): number => values[index * width + dimensions]!
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
  const found = pathNames.map((each) => (given as Readonly<Record<string, unknown>>)[each])
  return found.find((value): value is string => typeof value === "string" && value !== "")
}

/** A reading is known by its file, whichever part of it is read; any other call by all of its arguments. */
const calledWith = (call: Message.ToolCallBlock): string => pathIn(call) ?? JSON.stringify(call.arguments) ?? ""

const keyOf = (name: string, called: string): string =>
  createHash("sha1").update(`${name}\n${called}`).digest("base64").slice(0, 16)

/** Enough for every block of most sessions; of a longer one these are the heaviest. */
const wordsKept = 4096

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  estimator: TokenEstimator,
  options: { readonly prune: false | PruneBudget; readonly line?: () => number }
): Kept => {
  const rows = makeRows()
  const words = Heaviest.make<string>(wordsKept)
  const prunes = new Map<number, ReadonlyArray<number>>()
  const calls = new Map<number, string>()
  const labels = new Map<string, string | undefined>()

  /** Without what a message costs by itself. */
  const price = (block: Message.Block): ReadonlyArray<number> =>
    estimator.message({ role: "user", content: [block] }).map((tokens) => tokens - framing.message)

  const enter = (block: Message.Block, text: () => string): number => {
    const priced = price(block)
    const at = rows.add(priced, options.line?.() ?? 0)
    words.add(at, priced[generic]!, () => firstWords(text()))
    return at
  }

  const keepResult = (result: Message.ToolResultBlock): Message.Block => {
    const said = () => result.content.find((part) => part.type === "text")?.text ?? ""
    const at = enter(result, said)
    const cut = options.prune === false ? undefined : pruneResult(result.content, options.prune)
    if (cut !== undefined) prunes.set(at, price({ ...result, content: cut }))
    // whether two results are the same is asked of what is kept of them
    const kept = rows.counts(at).join(" ")
    return slotted({ ...result, content: result.content.length === 0 ? [] : [Message.textBlock(kept)] }, at)
  }

  const keepCall = (call: Message.ToolCallBlock): Message.Block => {
    const called = calledWith(call)
    const at = enter(call, () => called)
    const key = keyOf(call.name, called)
    calls.set(at, key)
    labels.set(key, labels.has(key) ? (labels.get(key) ?? firstWords(called)) : undefined)
    return slotted({ ...call, arguments: {} }, at)
  }

  const keepOther = (block: Message.Block): Message.Block => {
    switch (block.type) {
      case "text":
        return block.text === ""
          ? block
          : slotted(
              Message.textBlock("…"),
              enter(block, () => block.text)
            )
      case "reasoning":
        return slotted(
          { type: "reasoning", text: "…" },
          enter(block, () => block.text)
        )
      case "image":
      case "file":
        return slotted(
          { type: block.type, source: { type: "blob", blob: "…" } },
          enter(block, () => `[${block.type}]`)
        )
      default:
        return slotted(
          { type: "unknown", value: null },
          enter(block, () => "[unknown]")
        )
    }
  }

  const keep: Kept["keep"] = (block) =>
    block.type === "tool-result" ? keepResult(block) : block.type === "tool-call" ? keepCall(block) : keepOther(block)

  /** What a decoder made itself was never kept. */
  const countsOf = (block: Message.Block): ReadonlyArray<number> => {
    const at = slotOf(block)
    return at === undefined ? price(block) : rows.counts(at)
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
        for (const block of message.content) add(all, countsOf(block))
        return all
      }
    },
    counts: countsOf,
    pruned: from((at) => prunes.get(at)),
    words: from((at) => words.get(at)),
    line: from((at) => (rows.line(at) === 0 ? undefined : rows.line(at))),
    call: from((at) => {
      const key = calls.get(at)
      return key === undefined ? undefined : { key, label: labels.get(key) }
    })
  }
}
