/**
 * Which counters a unit raises, given what stands before it.
 *
 * @since 0.1.0
 */
import type { CounterName } from "./counters.ts"
import {
  again,
  blanks,
  capitalLetters,
  digits,
  isPunctuation,
  type Punctuation,
  punctuationBehind,
  type Script,
  scripts,
  smallLetters,
  type Steps
} from "./runSteps.ts"
import type { UnitClass } from "./unitClasses.ts"

/** What the run is that a unit belongs to. */
type Run =
  | "begin"
  | "small"
  | "accentedWord"
  | "capitals"
  | "escaped"
  | "digits"
  | "spaces"
  | "indentation"
  | "tabs"
  | "lineBreaks"
  | Punctuation
  | Script

/**
 * A place in a text, as far as it matters for the units behind it: there are fewer than 256.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly run: Run
  /** Letters of the part, digits, units of the run, or changes in a run of punctuation; up to where it matters no more. */
  readonly length: number
  /** How many short parts the run of letters and digits has had of late: 0, 1, or 2 in a blob. */
  readonly shortParts: number
  /** What the last unit raises. */
  readonly raises: ReadonlyArray<CounterName>
}

const state = (run: Run, length: number, raises: ReadonlyArray<CounterName>, shortParts = 0): State => ({
  run,
  length,
  shortParts,
  raises
})

/**
 * Before the first unit.
 *
 * @since 0.1.0
 * @category constants
 */
export const begin: State = state("begin", 0, ["text"])

/**
 * Whether it is another matter that a unit of this class is the same as the one before.
 *
 * @since 0.1.0
 * @category predicates
 */
export const repeatsMatter = (unit: UnitClass): boolean => isPunctuation(unit) || Object.hasOwn(again, unit)

const isWord = (run: Run): boolean => run === "small" || run === "capitals" || run === "accentedWord"

const stepOf = (steps: Steps, length: number): CounterName => steps[Math.min(length, steps.length) - 1]!

/** The longest part that is short. */
const short = 2
/** A part of this many letters is a word again, whatever stood before it. */
const wordAgain = 5

/** Another part, or a number, begins without a gap: how many short parts there were of late. */
const shortPartsAt = (before: State): number =>
  before.length <= short ? Math.min(2, before.shortParts + 1) : Math.max(0, before.shortParts - 1)

const inBlob = 2

const firstLetter = (before: State): CounterName => {
  if (before.run === "spaces" || before.run === "indentation") return "wordBehindSpace"
  if (before.run === "joint") return "wordBehindJoint"
  return isPunctuation(before.run) ? "wordBehindPunctuation" : "wordElsewhere"
}

const behindShortPart = (before: State, shortParts: number): ReadonlyArray<CounterName> =>
  before.length <= short ? (shortParts === inBlob ? ["blobPart"] : ["shortPart"]) : []

/** A part, a word or a number begins behind letters or digits. */
const nextPart = (before: State, run: Run, raises: ReadonlyArray<CounterName>, blob: CounterName): State => {
  const shortParts = shortPartsAt(before)
  const own = shortParts === inBlob ? [blob] : raises
  return state(run, 1, [...own, ...behindShortPart(before, shortParts)], shortParts)
}

const smallLetter = (before: State): State => {
  if (before.run === "accentedWord") return state("accentedWord", 3, ["letterBehindAccent"])
  if (isWord(before.run)) {
    const capitals = before.run === "capitals" ? before.length : 0
    // the last of several capitals is the first letter of what follows
    const length = Math.min(capitals > 0 ? 2 : before.length + 1, smallLetters.length)
    const shortParts = length < wordAgain ? before.shortParts : 0
    if (shortParts === inBlob) return state("small", length, ["blobSmall"], shortParts)
    return state("small", length, [capitals > 1 ? "smallBehindCapitals" : stepOf(smallLetters, length)], shortParts)
  }
  if (before.run === "digits") return nextPart(before, "small", ["wordBehindDigit"], "blobSmall")
  if (before.run === "backslash") return state("escaped", 1, ["escapedLetter"])
  return state("small", 1, [firstLetter(before)])
}

const capital = (before: State): State => {
  if (before.run === "small" || before.run === "accentedWord")
    return nextPart(before, "capitals", ["part"], "blobCapital")
  if (before.run === "digits") return nextPart(before, "capitals", ["wordBehindDigit", "capitalFirst"], "blobCapital")
  if (before.run !== "capitals") return state("capitals", 1, [firstLetter(before), "capitalFirst"])
  const length = Math.min(before.length + 1, capitalLetters.length)
  return state(
    "capitals",
    length,
    [before.shortParts === inBlob ? "blobCapital" : stepOf(capitalLetters, length)],
    before.shortParts
  )
}

/** A letter with an accent. Those behind it count apart. */
const accentedLetter = (before: State, name: CounterName): State =>
  state("accentedWord", 3, isWord(before.run) ? [name] : [firstLetter(before), name])

const digit = (before: State): State => {
  if (before.run === "digits") {
    const length = before.length < digits.length ? before.length + 1 : digits.length - 2
    const blob = before.shortParts === inBlob && length <= short + 1
    return state("digits", length, [blob ? "blobDigit" : stepOf(digits, length)], before.shortParts)
  }
  if (isWord(before.run)) return nextPart(before, "digits", ["numberBehindLetter"], "blobDigit")
  if (before.run === "spaces" || before.run === "indentation") return state("digits", 1, ["numberBehindSpace"])
  return state("digits", 1, [isPunctuation(before.run) ? "numberBehindPunctuation" : "numberElsewhere"])
}

const blank = (before: State, run: keyof typeof blanks): State => {
  const length = before.run === run ? Math.min(before.length + 1, 3) : 1
  const behindPunctuation = run === "lineBreaks" && isPunctuation(before.run)
  return state(run, length, [behindPunctuation ? "lineBreakBehindPunctuation" : stepOf(blanks[run], length)])
}

const space = (before: State): State => {
  const beginsLine = before.run === "lineBreaks" || before.run === "tabs" || before.run === "begin"
  return blank(before, beginsLine || before.run === "indentation" ? "indentation" : "spaces")
}

const punctuation = (before: State, run: Punctuation, repeated: boolean): State => {
  if (isPunctuation(before.run)) {
    if (repeated) {
      const further = before.raises[0] === "punctuationAgain" || before.raises[0] === "punctuationAgain3on"
      return state(run, 1, [further ? "punctuationAgain3on" : "punctuationAgain"])
    }
    const changes = Math.min(before.length + 1, 2)
    return state(run, changes, changes > 1 ? [punctuationBehind[run], "change3on"] : [punctuationBehind[run]])
  }
  if (before.run === "spaces" || before.run === "indentation") return state(run, 0, [run, "punctuationBehindSpace"])
  return state(run, 0, isWord(before.run) || before.run === "digits" ? [run, "punctuationBehindWord"] : [run])
}

const isHan = (run: Run): boolean => run === "commonHan" || run === "rareHan"

const scriptUnit = (before: State, run: Script, repeated: boolean): State => {
  const [steps, spaceAlone] = scripts[run]
  if (run === "cyrillic" && before.run === "cyrillicFurther") return state(run, 3, ["cyrillic3to5"])
  const goesOn = before.run === run
  const length = goesOn ? Math.min(before.length + 1, steps.length) : 1
  if (goesOn && repeated && again[run] !== undefined) return state(run, length, [again[run]])
  const behindSpace = before.run === "spaces" || before.run === "indentation"
  const also: Array<CounterName> = []
  if (behindSpace && spaceAlone) also.push("spaceAlone")
  if (isHan(run) && !isHan(before.run)) also.push("hanFirst")
  return state(run, length, [stepOf(steps, length), ...also])
}

/**
 * The state behind a unit. `repeated`: it is the same unit as the one before.
 *
 * @since 0.1.0
 * @category folds
 */
export const step = (before: State, unit: UnitClass, repeated: boolean): State => {
  switch (unit) {
    case "lower":
      return smallLetter(before)
    case "upper":
      return capital(before)
    case "accented":
    case "accentedFurther":
    case "accentedOfThreeBytes":
      return accentedLetter(before, unit)
    case "mark":
      // a mark does not end the word that it stands in
      return isWord(before.run) ? state("accentedWord", 3, ["mark"]) : scriptUnit(before, unit, repeated)
    case "digit":
      return digit(before)
    case "space":
      return space(before)
    case "tab":
      return blank(before, "tabs")
    case "lineBreak":
      return blank(before, "lineBreaks")
    case "stop":
    case "quote":
    case "bracket":
    case "joint":
    case "backslash":
    case "sign":
      return punctuation(before, unit, repeated)
    default:
      return scriptUnit(before, unit, repeated)
  }
}
