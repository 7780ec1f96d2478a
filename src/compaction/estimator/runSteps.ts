/**
 * The counters that the units of a run raise, by how far into it they are.
 *
 * @since 0.1.0
 */
import type { CounterName } from "./counters.ts"

/**
 * Punctuation of ASCII.
 *
 * @since 0.1.0
 * @category models
 */
export type Punctuation = "stop" | "quote" | "bracket" | "joint" | "backslash" | "sign"

/**
 * Everything that is neither a Latin letter, a digit, white space nor punctuation of ASCII.
 *
 * @since 0.1.0
 * @category models
 */
export type Script = keyof typeof scripts

/**
 * The counters of a run by how far into it a unit is: the last one is for all that follow.
 *
 * @since 0.1.0
 * @category models
 */
export type Steps = ReadonlyArray<CounterName>

const times = (count: number, name: CounterName): Steps => Array.from({ length: count }, () => name)

/**
 * Small letters of a part. What its first letter raises depends on what stands before it.
 *
 * @since 0.1.0
 * @category constants
 */
export const smallLetters: Steps = [
  "wordElsewhere",
  "letter2",
  ...times(2, "letters3to4"),
  ...times(2, "letters5to6"),
  ...times(3, "letters7to9"),
  ...times(4, "letters10to13"),
  "letters14on"
]

/**
 * Several capitals in a row; the first one as for small letters.
 *
 * @since 0.1.0
 * @category constants
 */
export const capitalLetters: Steps = ["part", ...times(2, "capitals2to3"), ...times(3, "capitals4to6"), "capitals7on"]

/**
 * White space.
 *
 * @since 0.1.0
 * @category constants
 */
export const blanks = {
  spaces: ["space", "space2", "spaces3on"],
  indentation: ["indentation", "indentation2", "indentation3on"],
  tabs: ["tab", "tab2", "tabs3on"],
  lineBreaks: ["lineBreak", "lineBreak2", "lineBreaks3on"]
} as const satisfies Record<string, Steps>

/**
 * Behind the third digit, groups of three go round.
 *
 * @since 0.1.0
 * @category constants
 */
export const digits: Steps = ["numberElsewhere", "digit2", "digit3", "digitOfGroup1", "digitOfGroup2", "digitOfGroup3"]

/**
 * Scripts, whose units count by their place in a run of the script; true: a space before the run stands alone.
 *
 * @since 0.1.0
 * @category constants
 */
export const scripts = {
  cyrillic: [
    ["cyrillic1", "cyrillic2", ...times(3, "cyrillic3to5"), ...times(4, "cyrillic6to9"), "cyrillic10on"],
    false
  ],
  cyrillicFurther: [["cyrillicFurther"], false],
  greek: [["greek1", ...times(3, "greek2to4"), "greek5on"], false],
  arabic: [["arabic1", ...times(3, "arabic2to4"), "arabic5on"], false],
  hebrew: [["hebrew1", "hebrew2on"], false],
  devanagari: [["devanagari1", "devanagari2on"], false],
  armenian: [["armenian"], false],
  bengali: [["bengali"], false],
  gurmukhi: [["gurmukhi"], false],
  gujarati: [["gujarati"], false],
  tamil: [["tamil"], false],
  telugu: [["telugu"], false],
  kannada: [["kannada"], false],
  malayalam: [["malayalam"], false],
  thai: [["thai"], false],
  burmese: [["burmese"], false],
  georgian: [["georgian"], false],
  khmer: [["khmer"], false],
  hiragana: [["hiragana1", "hiragana2on"], true],
  katakana: [["katakana1", "katakana2on"], true],
  hangul: [["hangul1", "hangul2", "hangul3on"], false],
  commonHan: [["commonHan"], true],
  rareHan: [["rareHan"], true],
  cjkPunctuation: [["cjkPunctuation"], true],
  fullWidth: [["fullWidth"], true],
  emojiHalf: [["emojiHalf"], true],
  firstHalf: [["firstHalf"], true],
  secondHalf: [["secondHalf"], false],
  joiner: [["joiner"], false],
  mark: [["mark"], false],
  boxDrawing: [["box", "boxChange"], true],
  fullBlock: [["block"], true],
  block: [["block"], true],
  symbol: [["symbol"], true],
  latinSymbol: [["latinSymbol"], true],
  escape: [["escape"], false],
  control: [["control"], false],
  otherOfTwoBytes: [["otherOfTwoBytes"], true],
  otherOfThreeBytes: [["otherOfThreeBytes"], true]
} as const satisfies Record<string, readonly [steps: Steps, spaceAlone: boolean]>

/**
 * What a unit raises that is the same as the one before, where that is another matter.
 *
 * @since 0.1.0
 * @category constants
 */
export const again: Partial<Record<Script, CounterName>> = {
  boxDrawing: "boxAgain",
  fullBlock: "fullBlockAgain",
  block: "blockAgain",
  symbol: "symbolAgain"
}

/**
 * What punctuation raises behind other punctuation.
 *
 * @since 0.1.0
 * @category constants
 */
export const punctuationBehind: Readonly<Record<Punctuation, CounterName>> = {
  stop: "stopBehind",
  quote: "quoteBehind",
  bracket: "bracketBehind",
  joint: "jointBehind",
  backslash: "backslashBehind",
  sign: "signBehind"
}

/**
 * @since 0.1.0
 * @category predicates
 */
export const isPunctuation = (run: string): run is Punctuation => Object.hasOwn(punctuationBehind, run)
