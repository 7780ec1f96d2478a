// Text of many kinds, 1 Mi units of each, made from a seed: prose, code, scripts, and runs of one thing, which is where a
// tokenizer that looks back becomes slow.
import * as Random from "./random.ts"

const size = 1 << 20

/** 1 Mi units, made of what `next` gives. */
const filled = (next: (random: () => number) => string): string => {
  const random = Random.make(7).next
  const parts: Array<string> = []
  for (let length = 0; length < size;) {
    const part = next(random)
    parts.push(part)
    length += part.length
  }
  return parts.join("").slice(0, size)
}

const among = (text: string) => {
  const values = text.split(" ")
  return (random: () => number) => values[Math.floor(random() * values.length)]!
}
const between = (first: number, last: number) => (random: () => number) =>
  String.fromCodePoint(first + Math.floor(random() * (last - first + 1)))
const base64 = between(0, 255)

const english = among(
  "the of context window and a request that compaction summarises session, before tokens. In it grows"
)
const code = among(
  'const return await if(x) function getName( {\n\t\t this.state[i] => === "use" // import 0x1f; 42 }\n )'
)

/** Kinds of text, by name. */
export const kinds: { readonly [kind: string]: string } = {
  english: filled((random) => `${english(random)} `),
  code: filled((random) => `${code(random)} `),
  json: filled((random) => `{"id":${Math.floor(random() * 1e6)},"name":"${english(random)}","ok":true},`),
  log: filled(
    (random) => `2026-10-12T13:55:${Math.floor(random() * 60)}Z INFO ${english(random)} took ${random().toFixed(3)}s\n`
  ),
  hex: filled((random) => Math.floor(random() * 0xffffffff).toString(16)),
  base64: filled((random) =>
    Buffer.from(Array.from({ length: 57 }, () => base64(random).charCodeAt(0))).toString("base64")
  ),
  chinese: filled(between(0x4e00, 0x7fff)),
  japanese: filled(
    (random) => between(0x4e00, 0x5fff)(random) + between(0x3041, 0x3090)(random) + between(0x30a1, 0x30f0)(random)
  ),
  korean: filled((random) => `${between(0xac00, 0xd7a3)(random)}${between(0xac00, 0xd7a3)(random)} `),
  russian: filled((random) => `${between(0x430, 0x44f)(random).repeat(5)} `),
  arabic: filled((random) => `${between(0x627, 0x64a)(random).repeat(4)} `),
  emoji: filled(between(0x1f300, 0x1f6ff)),
  mixed: filled((random) =>
    [english, code, between(0x4e00, 0x7fff), between(0x20, 0x2fff)][Math.floor(random() * 4)]!(random)
  ),
  ...Object.fromEntries(
    [
      "a",
      "A",
      "aB",
      "é",
      "0",
      "a0",
      " ",
      "\t",
      "\n",
      " \n",
      "=",
      "=-",
      "😀",
      "👩‍👩‍👧‍👦",
      "\ud83d",
      "─",
      "░",
      "…",
      "中",
      "㐀",
      "e\u0301",
      "\u001b[0m"
    ].map((unit) => [`run of ${JSON.stringify(unit)}`, unit.repeat(Math.ceil(size / unit.length))])
  )
}
