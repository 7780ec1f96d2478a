/**
 * The classes of UTF-16 units that the estimator tells apart.
 *
 * @since 0.1.0
 */
import { commonHan } from "./commonHan.ts"

/**
 * What a unit can be. Units of one class cost about the same; what a run of them costs depends on its length as well.
 *
 * @since 0.1.0
 * @category constants
 */
export const unitClasses = [
  "lower",
  "upper",
  /** Latin letters of Western Europe outside of ASCII, of either case */
  "accented",
  /** all further ones, most of them of Central and Eastern Europe */
  "accentedFurther",
  /** those that UTF-8 writes with three bytes: most of Vietnamese */
  "accentedOfThreeBytes",
  /** marks that sit on the letter before them */
  "mark",
  "digit",
  "space",
  "tab",
  "lineBreak",
  "stop",
  "quote",
  "bracket",
  /** what joins the words of identifiers and paths: - / _ */
  "joint",
  "backslash",
  /** all other punctuation of ASCII */
  "sign",
  "cyrillic",
  /** Cyrillic letters that Russian does not have */
  "cyrillicFurther",
  "greek",
  "arabic",
  "hebrew",
  "devanagari",
  "armenian",
  "bengali",
  "gurmukhi",
  "gujarati",
  "tamil",
  "telugu",
  "kannada",
  "malayalam",
  "thai",
  "burmese",
  "georgian",
  "khmer",
  "hiragana",
  "katakana",
  "hangul",
  /** Han characters that o200k has a token for */
  "commonHan",
  /** all other Han characters, their radicals and other CJK letters */
  "rareHan",
  "cjkPunctuation",
  "fullWidth",
  /** first halves of surrogate pairs, of emoji and of all other characters, and second halves */
  "emojiHalf",
  "firstHalf",
  "secondHalf",
  /** the joiner and the selector between the parts of an emoji */
  "joiner",
  "boxDrawing",
  "fullBlock",
  /** block elements and Braille patterns: progress bars and spinners */
  "block",
  /** dashes, quotes, arrows, mathematics and the like */
  "symbol",
  /** signs of Latin-1 */
  "latinSymbol",
  "escape",
  "control",
  /** every other unit of two bytes in UTF-8 */
  "otherOfTwoBytes",
  /** every other unit of three bytes in UTF-8 */
  "otherOfThreeBytes"
] as const

/**
 * @since 0.1.0
 * @category models
 */
export type UnitClass = (typeof unitClasses)[number]

type Range = readonly [first: number, last: number, unitClass: UnitClass]

const each = (characters: string, unitClass: UnitClass): ReadonlyArray<Range> =>
  Array.from(characters, (character) => [character.charCodeAt(0), character.charCodeAt(0), unitClass])

/** First and last unit, and the class; a later row wins over an earlier one. Units in no row are the others. */
const ranges: ReadonlyArray<Range> = [
  [0x00, 0x1f, "control"],
  [0x09, 0x09, "tab"],
  [0x0a, 0x0a, "lineBreak"],
  [0x0d, 0x0d, "lineBreak"],
  [0x1b, 0x1b, "escape"],
  [0x20, 0x20, "space"],
  [0x21, 0x7e, "sign"],
  [0x30, 0x39, "digit"],
  [0x41, 0x5a, "upper"],
  [0x61, 0x7a, "lower"],
  ...each(".,:;!?", "stop"),
  ...each("\"'`", "quote"),
  ...each("()[]{}<>", "bracket"),
  ...each("-/_", "joint"),
  ...each("\\", "backslash"),
  [0x7f, 0x9f, "control"],
  [0xa0, 0xbf, "latinSymbol"],
  [0xc0, 0xff, "accented"],
  [0x100, 0x24f, "accentedFurther"],
  [0xd7, 0xd7, "latinSymbol"],
  [0xf7, 0xf7, "latinSymbol"],
  [0x300, 0x36f, "mark"],
  [0x370, 0x3ff, "greek"],
  [0x400, 0x52f, "cyrillicFurther"],
  [0x401, 0x401, "cyrillic"],
  [0x410, 0x44f, "cyrillic"],
  [0x451, 0x451, "cyrillic"],
  [0x530, 0x58f, "armenian"],
  [0x590, 0x5ff, "hebrew"],
  [0x600, 0x6ff, "arabic"],
  [0x750, 0x77f, "arabic"],
  [0x900, 0x97f, "devanagari"],
  [0x980, 0x9ff, "bengali"],
  [0xa00, 0xa7f, "gurmukhi"],
  [0xa80, 0xaff, "gujarati"],
  [0xb80, 0xbff, "tamil"],
  [0xc00, 0xc7f, "telugu"],
  [0xc80, 0xcff, "kannada"],
  [0xd00, 0xd7f, "malayalam"],
  [0xe00, 0xe7f, "thai"],
  [0x1000, 0x109f, "burmese"],
  [0x10a0, 0x10ff, "georgian"],
  [0x1100, 0x11ff, "hangul"],
  [0x1780, 0x17ff, "khmer"],
  [0x1e00, 0x1eff, "accentedOfThreeBytes"],
  [0x1f00, 0x1fff, "greek"],
  [0x2000, 0x24ff, "symbol"],
  [0x200d, 0x200d, "joiner"],
  [0x2500, 0x257f, "boxDrawing"],
  [0x2580, 0x259f, "block"],
  [0x2588, 0x2588, "fullBlock"],
  [0x25a0, 0x2bff, "symbol"],
  [0x2800, 0x28ff, "block"],
  [0x2e80, 0x2fdf, "rareHan"],
  [0x3000, 0x303f, "cjkPunctuation"],
  [0x3040, 0x309f, "hiragana"],
  [0x30a0, 0x30ff, "katakana"],
  [0x3100, 0x33ff, "rareHan"],
  [0x3130, 0x318f, "hangul"],
  [0x3400, 0x9fff, "rareHan"],
  [0xac00, 0xd7af, "hangul"],
  [0xd800, 0xdbff, "firstHalf"],
  [0xd83c, 0xd83e, "emojiHalf"],
  [0xdc00, 0xdfff, "secondHalf"],
  [0xf900, 0xfaff, "rareHan"],
  [0xfe0f, 0xfe0f, "joiner"],
  [0xff00, 0xffef, "fullWidth"]
]

/**
 * The class of each UTF-16 unit, as its place in `unitClasses`: 64 KiB, so that counting only looks up.
 *
 * @since 0.1.0
 * @category constructors
 */
export const classTable = (): Uint8Array => {
  const placeOf = (unitClass: UnitClass) => unitClasses.indexOf(unitClass)
  const table = new Uint8Array(0x10000).fill(placeOf("otherOfThreeBytes"))
  table.fill(placeOf("otherOfTwoBytes"), 0, 0x800)
  for (const [first, last, unitClass] of ranges) table.fill(placeOf(unitClass), first, last + 1)
  for (const unit of commonHan()) table[unit] = placeOf("commonHan")
  return table
}
