/**
 * What is counted in a text.
 *
 * @since 0.1.0
 */

/**
 * The counters, and what each unit must be to raise it. A unit raises one or two.
 *
 * A *word* is a run of Latin letters; its *parts* begin where a capital follows a small letter, as in `getName`. A part
 * of a word or a number is *short* if another one follows without a gap after at most two letters or digits; from the
 * second short one on, the run is taken for a hash, a key or encoded bytes: a *blob*. "Behind" means directly behind.
 *
 * @since 0.1.0
 * @category constants
 */
export const counters = {
  text: "raised once, by every text that is not empty",

  wordBehindSpace: "the first letter of a word, behind a space, with which most tokenizers merge it",
  wordBehindJoint: "… behind - / _",
  wordBehindPunctuation: "… behind other punctuation",
  wordBehindDigit: "… behind a digit",
  wordElsewhere: "… anywhere else",
  capitalFirst: "also raised where the first letter is a capital",
  escapedLetter: "a small letter behind a backslash, as in the \\n of JSON; what follows is a word of its own",
  letter2: "a small letter that is the second of its part",
  letters3to4: "… the third or fourth",
  letters5to6: "… the fifth or sixth",
  letters7to9: "… the seventh to ninth",
  letters10to13: "… the tenth to thirteenth",
  letters14on: "… any further one",
  part: "a capital that begins another part of a word",
  capitals2to3: "the second or third of several capitals",
  capitals4to6: "the fourth to sixth",
  capitals7on: "any further one",
  smallBehindCapitals: "a small letter behind two capitals or more",
  accented: "a Latin letter of Western Europe outside of ASCII",
  accentedFurther: "… of the rest of Europe",
  accentedOfThreeBytes: "… that UTF-8 writes with three bytes",
  letterBehindAccent:
    "a small letter of ASCII behind one of these in the same word: such words are cut into shorter pieces",
  mark: "a combining mark",
  shortPart: "also raised by what follows a first short part",
  blobPart: "… a further short part",
  blobSmall: "a small letter in a blob",
  blobCapital: "a capital in a blob",
  blobDigit: "a digit in a blob",

  numberBehindSpace: "the first digit of a number, behind a space",
  numberBehindLetter: "… behind a letter",
  numberBehindPunctuation: "… behind punctuation",
  numberElsewhere: "… anywhere else",
  digit2: "the second digit",
  digit3: "the third digit",
  digitOfGroup1: "the fourth digit, the seventh, …: the first of a further group of three",
  digitOfGroup2: "the second of a further group of three",
  digitOfGroup3: "the third of a further group of three",

  space: "a space that is the first inside of a line",
  space2: "the second in a row",
  spaces3on: "any further one",
  indentation: "the first space of a line, or behind a tab",
  indentation2: "the second in a row",
  indentation3on: "any further one",
  spaceAlone: "also raised by what begins behind a space that no tokenizer merges it with: CJK, emoji, symbols",
  tab: "the first tab in a row",
  tab2: "the second",
  tabs3on: "any further one",
  lineBreakBehindPunctuation: "the first line break in a row, behind punctuation, with which some tokenizers merge it",
  lineBreak: "the first line break behind anything else",
  lineBreak2: "the second in a row",
  lineBreaks3on: "any further one",

  stop: ". , : ; ! or ? as the first of a run of punctuation",
  quote: "a quote as the first of a run",
  bracket: "a bracket as the first of a run",
  joint: "- / or _ as the first of a run",
  backslash: "a backslash as the first of a run",
  sign: "other punctuation of ASCII as the first of a run",
  punctuationBehindSpace: "also raised by the first of a run behind a space",
  punctuationBehindWord: "also raised by the first of a run behind a letter or a digit",
  stopBehind: ". , : ; ! or ? behind other punctuation",
  quoteBehind: "a quote behind other punctuation",
  bracketBehind: "a bracket behind other punctuation",
  jointBehind: "- / or _ behind other punctuation",
  backslashBehind: "a backslash behind other punctuation",
  signBehind: "other punctuation of ASCII behind other punctuation",
  change3on: "also raised by every change in a run of punctuation behind the first",
  punctuationAgain: "the same punctuation once more",
  punctuationAgain3on: "… and any further time",

  cyrillic1: "the first letter of a Cyrillic word",
  cyrillic2: "the second letter",
  cyrillic3to5: "the third to fifth",
  cyrillic6to9: "the sixth to ninth",
  cyrillic10on: "any further one",
  cyrillicFurther: "a Cyrillic letter that Russian does not have; those behind it count from the third on",
  greek1: "the first letter of a Greek word",
  greek2to4: "the second to fourth",
  greek5on: "any further one",
  arabic1: "the first letter of an Arabic word",
  arabic2to4: "the second to fourth",
  arabic5on: "any further one",
  hebrew1: "the first letter of a Hebrew word",
  hebrew2on: "any further one",
  devanagari1: "the first letter or vowel sign of a word in Devanagari",
  devanagari2on: "any further one",
  armenian: "a letter or sign of Armenian",
  bengali: "a letter or sign of Bengali",
  gurmukhi: "a letter or sign of Gurmukhi",
  gujarati: "a letter or sign of Gujarati",
  tamil: "a letter or sign of Tamil",
  telugu: "a letter or sign of Telugu",
  kannada: "a letter or sign of Kannada",
  malayalam: "a letter or sign of Malayalam",
  thai: "a letter or sign of Thai",
  burmese: "a letter or sign of Burmese",
  georgian: "a letter or sign of Georgian",
  khmer: "a letter or sign of Khmer",

  hiragana1: "the first hiragana in a row",
  hiragana2on: "any further one",
  katakana1: "the first katakana in a row",
  katakana2on: "any further one",
  hangul1: "the first syllable of a Korean word",
  hangul2: "the second",
  hangul3on: "any further one",
  hanFirst: "also raised by the first of several Han characters",
  commonHan: "a common Han character",
  rareHan: "any other one",
  cjkPunctuation: "CJK punctuation",
  fullWidth: "a full-width form",

  emojiHalf: "the first half of a surrogate pair in the blocks of emoji",
  firstHalf: "the first half of any other pair",
  secondHalf: "the second half of a pair",
  joiner: "a joiner or selector between the parts of an emoji",
  box: "the first of a run of box drawing",
  boxChange: "a further one that differs from the one before",
  boxAgain: "the same once more",
  block: "a block element or Braille pattern",
  fullBlockAgain: "the full block once more",
  blockAgain: "any other of them once more",
  symbol: "a dash, quote, arrow or other symbol outside of ASCII",
  symbolAgain: "the same once more",
  latinSymbol: "a sign of Latin-1",
  escape: "the escape character",
  control: "any other control character",
  otherOfTwoBytes: "any other character of two bytes in UTF-8",
  otherOfThreeBytes: "any other character of three bytes in UTF-8"
} as const

/**
 * @since 0.1.0
 * @category models
 */
export type CounterName = keyof typeof counters

/**
 * @since 0.1.0
 * @category constants
 */
export const counterNames = Object.keys(counters) as ReadonlyArray<CounterName>
