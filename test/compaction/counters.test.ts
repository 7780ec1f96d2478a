import { assert, describe, it } from "@effect/vitest"
import * as Automaton from "../../src/compaction/estimator/automaton.ts"
import { type CounterName, counterNames, counters } from "../../src/compaction/estimator/counters.ts"
import { runWeights } from "../../src/compaction/estimator/runWeights.ts"
import { anyText, runUnits } from "./texts.ts"

const automaton = Automaton.make()

const counted = (text: string): Partial<Record<CounterName, number>> => {
  const counts: Partial<Record<CounterName, number>> = {}
  automaton.visits(text).forEach((times, state) => {
    if (times === 0) return
    for (const name of automaton.states[state]!.raises) counts[name] = (counts[name] ?? 0) + times
  })
  return counts
}

describe("counters", () => {
  const examples: ReadonlyArray<readonly [text: string, counts: Partial<Record<CounterName, number>>]> = [
    ["", {}],
    ["a", { text: 1, wordElsewhere: 1 }],
    [
      "a context",
      {
        text: 1,
        wordElsewhere: 1,
        space: 1,
        wordBehindSpace: 1,
        letter2: 1,
        letters3to4: 2,
        letters5to6: 2,
        letters7to9: 1
      }
    ],
    ["get", { text: 1, wordElsewhere: 1, letter2: 1, letters3to4: 1 }],
    ["getId", { text: 1, wordElsewhere: 1, letter2: 2, letters3to4: 1, part: 1 }],
    ["HTTPs", { text: 1, wordElsewhere: 1, capitalFirst: 1, capitals2to3: 2, capitals4to6: 1, smallBehindCapitals: 1 }],
    ["x_y", { text: 1, wordElsewhere: 1, joint: 1, punctuationBehindWord: 1, wordBehindJoint: 1 }],
    ["\\nab", { text: 1, backslash: 1, escapedLetter: 1, wordElsewhere: 1, letter2: 1 }],
    ["é", { text: 1, wordElsewhere: 1, accented: 1 }],
    ["naïve", { text: 1, wordElsewhere: 1, letter2: 1, accented: 1, letterBehindAccent: 2 }],
    ["e\u0301e", { text: 1, wordElsewhere: 1, mark: 1, letterBehindAccent: 1 }],
    [
      "12345678",
      { text: 1, numberElsewhere: 1, digit2: 1, digit3: 1, digitOfGroup1: 2, digitOfGroup2: 2, digitOfGroup3: 1 }
    ],
    ["v2", { text: 1, wordElsewhere: 1, numberBehindLetter: 1, shortPart: 1 }],
    [
      "a1b2",
      { text: 1, wordElsewhere: 1, numberBehindLetter: 1, shortPart: 1, blobPart: 2, blobSmall: 1, blobDigit: 1 }
    ],
    ["   x", { text: 1, indentation: 1, indentation2: 1, indentation3on: 1, wordBehindSpace: 1 }],
    ["x   ", { text: 1, wordElsewhere: 1, space: 1, space2: 1, spaces3on: 1 }],
    [";\n\n\n\n", { text: 1, stop: 1, lineBreakBehindPunctuation: 1, lineBreak2: 1, lineBreaks3on: 2 }],
    ["({", { text: 1, bracket: 1, bracketBehind: 1 }],
    ['":"', { text: 1, quote: 1, stopBehind: 1, quoteBehind: 1, change3on: 1 }],
    ["====", { text: 1, sign: 1, punctuationAgain: 1, punctuationAgain3on: 2 }],
    ["привет", { text: 1, cyrillic1: 1, cyrillic2: 1, cyrillic3to5: 3, cyrillic6to9: 1 }],
    ["中文 㐀", { text: 1, hanFirst: 2, commonHan: 2, space: 1, rareHan: 1, spaceAlone: 1 }],
    ["かな", { text: 1, hiragana1: 1, hiragana2on: 1 }],
    ["한국어", { text: 1, hangul1: 1, hangul2: 1, hangul3on: 1 }],
    ["😀𝒜", { text: 1, emojiHalf: 1, firstHalf: 1, secondHalf: 2 }],
    ["──┼", { text: 1, box: 1, boxAgain: 1, boxChange: 1 }],
    ["██░", { text: 1, block: 2, fullBlockAgain: 1 }],
    ["…→→", { text: 1, symbol: 2, symbolAgain: 1 }],
    ["\u001b[0m", { text: 1, escape: 1, bracket: 1, numberBehindPunctuation: 1, wordBehindDigit: 1, shortPart: 1 }]
  ]
  for (const [text, counts] of examples) {
    it(`of ${JSON.stringify(text)}`, () => assert.deepStrictEqual(counted(text), counts))
  }

  it("are all raised by some state, and raise no other", () => {
    const raised = new Set(automaton.states.flatMap((state) => state.raises))
    assert.deepStrictEqual([...raised].sort(), [...counterNames].sort())
  })

  it("have weights that are not negative, and say what they mean", () => {
    for (const name of counterNames) {
      for (const weight of runWeights[name]) assert.isAtLeast(weight, 0)
      assert.isAbove(counters[name].length, 3)
    }
  })
})

describe("the automaton", () => {
  it("has states that fit into a byte", () => {
    assert.isAtMost(automaton.states.length, 256)
  })

  it.prop("visits one state a unit, and the first one for the text", [anyText], ([text]) => {
    const steps = automaton.visits(text).reduce((sum, times) => sum + times, 0)
    assert.strictEqual(steps, text === "" ? 0 : text.length + 1)
  })

  for (const unit of runUnits) {
    it(`takes as many steps as there are units in a run of ${JSON.stringify(unit)}, and settles in a few states`, () => {
      const stateOf = (count: number) => [...automaton.visits(unit.repeat(count))]
      const [once, twice, thrice] = [stateOf(600), stateOf(1200), stateOf(1800)]
      // a further 600 add what the 600 before added: the text before does not matter any more
      assert.deepStrictEqual(
        thrice.map((times, k) => times - twice[k]!),
        twice.map((times, k) => times - once[k]!)
      )
    })
  }
})
