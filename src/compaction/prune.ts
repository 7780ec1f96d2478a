/**
 * Shortens a text to its start, a marker that says how much is gone, and its end. No model involved.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import type { ResultBlock } from "../session/Message.ts"
import * as CodePoints from "./CodePoints.ts"

/**
 * In code points. Text of more than `over` is cut to its first `head` and its last `tail`. A policy sees to it that head,
 * marker and tail fit into `over`; where a caller of these functions does not, nothing is cut that would not get shorter.
 *
 * @since 0.1.0
 * @category models
 */
export interface PruneBudget {
  readonly over: number
  readonly head: number
  readonly tail: number
}

const markerStart = "\n[… "
const markerText = " characters were removed here to save room"
const handleText = "; the whole is seq "
const markerEnd = " …]\n"

/** Digits of the largest count: a JavaScript string has fewer than 2^53 characters on any engine. */
const maximumDigits = 16

/**
 * The most code points that a marker can have.
 *
 * @since 0.1.0
 * @category constants
 */
export const markerLength =
  markerStart.length + maximumDigits + markerText.length + handleText.length + maximumDigits + markerEnd.length

const marker = (removed: number, original: Seq | undefined): string =>
  `${markerStart}${removed}${markerText}${original === undefined ? "" : `${handleText}${original}`}${markerEnd}`

interface Marker {
  readonly start: number
  readonly end: number
  readonly removed: number
  readonly original: Seq | undefined
}

const markerForm = new RegExp(
  `${markerStart.replace("[", "\\[")}(\\d{1,${maximumDigits}})${markerText}(?:${handleText}(\\d{1,${maximumDigits}}))?${markerEnd.replace("]", "\\]")}`,
  "y"
)

/** The first marker at or after `from`. What only looks like the start of one is passed over. */
const findMarker = (text: string, from: number): Marker | undefined => {
  for (let start = text.indexOf(markerStart, from); start >= 0; start = text.indexOf(markerStart, start + 1)) {
    markerForm.lastIndex = start
    const found = markerForm.exec(text)
    if (found === null) continue
    const [whole, removed, original] = found
    return {
      start,
      end: start + whole.length,
      removed: Number(removed),
      original: original === undefined ? undefined : Number(original)
    }
  }
  return undefined
}

/**
 * V8 keeps the whole of a long string alive for a slice of it. A cut that leaves much behind is copied, so that the rest
 * can be collected; going through JSON keeps lone surrogates.
 */
const detach = (text: string, left: number): string =>
  left < 1 << 16 ? text : (JSON.parse(JSON.stringify(text)) as string)

interface Removed {
  readonly points: number
  /** where the first marker in it says that the whole is */
  readonly original: Seq | undefined
}

/**
 * What a stretch that is about to go stands for: its own characters, and in place of a marker what it says was removed. So a
 * second pass with the same budget finds the same count, would come to the same text, and is nothing to do.
 */
const weigh = (text: string, from: number, to: number): Removed => {
  let points = CodePoints.count(text, from, to)
  let original: Seq | undefined
  for (
    let found = findMarker(text, from);
    found !== undefined && found.end <= to;
    found = findMarker(text, found.end)
  ) {
    points += found.removed - CodePoints.count(text, found.start, found.end)
    original ??= found.original
  }
  return { points, original }
}

/** Texts of one result, counted together. The same number of texts comes back; those that are all gone are empty. */
const pruneTexts = (
  texts: ReadonlyArray<string>,
  budget: PruneBudget,
  seq: Seq | undefined
): ReadonlyArray<string> | undefined => {
  if (texts.length === 1 && !CodePoints.exceeds(texts[0] as string, budget.over)) return undefined
  const counts = texts.map((text) => CodePoints.count(text))
  const total = counts.reduce((sum, points) => sum + points, 0)
  if (total <= budget.over || budget.head + budget.tail >= total) return undefined

  const cuts: Array<{ readonly from: number; readonly to: number }> = []
  let before = 0
  let removed = 0
  let original: Seq | undefined
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i] as string
    const points = counts[i] as number
    const head = Math.min(points, Math.max(0, budget.head - before))
    const tail = Math.min(points, Math.max(0, before + points - (total - budget.tail)))
    const from = CodePoints.indexAfter(text, head)
    const to = Math.max(from, CodePoints.indexBefore(text, tail))
    if (to > from) {
      const gone = weigh(text, from, to)
      removed += gone.points
      original ??= gone.original
    }
    cuts.push({ from, to })
    before += points
  }
  const note = marker(removed, original ?? seq)
  if (budget.head + budget.tail + note.length >= total) return undefined
  const first = cuts.findIndex((cut) => cut.to > cut.from)
  return texts.map((text, i) => {
    const { from, to } = cuts[i] as { readonly from: number; readonly to: number }
    if (to === from) return text
    return detach(text.slice(0, from) + (i === first ? note : "") + text.slice(to), to - from)
  })
}

/**
 * The text cut to the budget, or `undefined` where there is nothing to do: it is not over the budget, it was cut to this
 * budget before, or the cut would not be shorter. Never cuts inside a surrogate pair. The marker names `seq`, the event of
 * the log that holds the whole; in what was cut before, the event that it named then.
 *
 * Takes time linear in the text and memory for head and tail only.
 *
 * @since 0.1.0
 * @category combinators
 */
export const pruneText = (text: string, budget: PruneBudget, seq?: Seq): string | undefined =>
  pruneTexts([text], budget, seq)?.[0]

/**
 * The content of one tool result cut to the budget, or `undefined` where there is nothing to do. The text of all blocks
 * counts together and gets one marker; images, files and unknown blocks count nothing and stay in place. Text blocks of
 * which nothing is left are dropped.
 *
 * @since 0.1.0
 * @category combinators
 */
export const pruneResult = (
  content: ReadonlyArray<ResultBlock>,
  budget: PruneBudget,
  seq?: Seq
): ReadonlyArray<ResultBlock> | undefined => {
  const texts: Array<string> = []
  for (const block of content) if (block.type === "text") texts.push(block.text)
  const pruned = pruneTexts(texts, budget, seq)
  if (pruned === undefined) return undefined
  const blocks: Array<ResultBlock> = []
  let next = 0
  for (const block of content) {
    if (block.type !== "text") {
      blocks.push(block)
      continue
    }
    const text = pruned[next++] as string
    if (text === block.text) blocks.push(block)
    else if (text !== "") blocks.push({ ...block, text })
  }
  return blocks
}

/**
 * The budget divided, for a rescue that needs more than the policy's.
 *
 * @since 0.1.0
 * @category getters
 */
export const tighter = (budget: PruneBudget, divisor: number): PruneBudget => ({
  over: Math.floor(budget.over / divisor),
  head: Math.floor(budget.head / divisor),
  tail: Math.floor(budget.tail / divisor)
})

/**
 * How far a rescue divides it: halved up to five times. At the default, 160 code points of a result are still kept.
 *
 * @since 0.1.0
 * @category constants
 */
export const pruneDivisors: ReadonlyArray<number> = [2, 4, 8, 16, 32]
