// Runs and random strings, which no message is made of and any may hold.
import { randomFrom } from "./files.mjs"

export const oddities = (scale) => {
  const random = randomFrom(scale)
  const range = (from, to) => () => String.fromCodePoint(from + Math.floor(random() * (to - from)))
  const filled = (length, next) => {
    let text = ""
    while (text.length < length) text += next()
    return text
  }
  const same = (unit) => () => unit
  const makers = [
    ...[
      " ",
      "\t",
      "\n",
      "=",
      "-",
      "*",
      "0",
      "a",
      "中",
      "😀",
      "👩‍👩‍👧‍👦",
      "░",
      "█",
      "─",
      "│ ok │ 12 │\n├────┼────┤\n",
      "ＡＰＩ設計，"
    ].map(same),
    ...[
      [48, 58],
      [97, 123],
      [33, 127],
      [33, 48],
      [0x4e00, 0x9fff],
      [0x3400, 0x4dbf],
      [0x20000, 0x2a000],
      [0xac00, 0xd7a3],
      [0x3041, 0x30f6],
      [0x1f300, 0x1faff],
      [0x1d400, 0x1d7ff],
      [0xff21, 0xff5a],
      [0x1200, 0x135a],
      [0x13a0, 0x13f5],
      [0xe000, 0xf8ff],
      [0x2800, 0x28ff],
      [0x80, 0x9f],
      [1, 8],
      [0x2190, 0x21ff],
      [0x2200, 0x22ff],
      [0x3b1, 0x3c9],
      [0x250, 0x2af],
      [0x100, 0x17f],
      [0x1ea0, 0x1ef9],
      [0xa1, 0xbf]
    ].map(([from, to]) => range(from, to)),
    () => `e${range(0x300, 0x36f)()}${range(0x300, 0x36f)()}`
  ]
  return makers.flatMap((next, i) =>
    [600, 2400, 9000].map((length) => {
      const size = Math.round(length * (1 + scale / 10))
      return {
        file: `oddity${scale}.${i}.${length}`,
        text: () => `Result of the last command, see below:\n${filled(size, next)}`
      }
    })
  )
}
