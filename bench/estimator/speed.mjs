// node bench/estimator/speed.mjs: how fast the default estimator is, in MB/s of UTF-8, on text of each kind and on runs.
//
// Everything is made from a seed: nothing is downloaded.
import { pathToFileURL } from "node:url"
import { loadSource } from "./loadSource.mjs"

const size = 1 << 20

const randomFrom = (seed) => {
  let state = seed
  return () => (state = (state * 48271) % 2147483647) / 2147483647
}

/** 1 Mi units, made of what `next` gives. */
const filled = (next) => {
  const random = randomFrom(7)
  const parts = []
  for (let length = 0; length < size;) {
    const part = next(random)
    parts.push(part)
    length += part.length
  }
  return parts.join("").slice(0, size).toWellFormed()
}

const among = (text) => {
  const values = text.split(" ")
  return (random) => values[Math.floor(random() * values.length)]
}
const between = (first, last) => (random) => String.fromCodePoint(first + Math.floor(random() * (last - first + 1)))
const base64 = between(0, 255)

const english = among(
  "the of context window and a request that compaction summarises session, before tokens. In it grows"
)
const code = among(
  'const return await if(x) function getName( {\n\t\t this.state[i] => === "use" // import 0x1f; 42 }\n )'
)

/** Kinds of text, by name. */
export const kinds = {
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
    [english, code, between(0x4e00, 0x7fff), between(0x20, 0x2fff)][Math.floor(random() * 4)](random)
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

const medianOf = (values) => values.sort((a, b) => a - b)[values.length >> 1]

/**
 * `{ kind, megabytes, milliseconds, megabytesPerSecond }` for each kind: medians of interleaved runs over 1 Mi units, in time
 * of the processor, which a busy machine changes less than the clock.
 */
export const speeds = async ({ runs = 15 } = {}) => {
  const { runEstimator } = await loadSource("src/compaction/RunEstimator.ts")
  const messages = Object.entries(kinds).map(([kind, text]) => ({
    kind,
    bytes: Buffer.byteLength(text),
    message: { role: "user", content: [{ type: "text", text }] },
    times: []
  }))
  for (let run = 0; run < runs + 2; run++) {
    for (const { message, times } of messages) {
      const start = process.cpuUsage()
      runEstimator.message(message)
      const { system, user } = process.cpuUsage(start)
      // the first two rounds compile
      if (run > 1) times.push((system + user) / 1000)
    }
  }
  return messages.map(({ bytes, kind, times }) => {
    const milliseconds = medianOf(times)
    return { kind, megabytes: bytes / 1e6, milliseconds, megabytesPerSecond: bytes / 1000 / milliseconds }
  })
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const rows = await speeds()
  for (const { kind, milliseconds, megabytesPerSecond } of rows) {
    console.log(
      `${kind.padEnd(34)} ${milliseconds.toFixed(1).padStart(6)} ms ${megabytesPerSecond.toFixed(0).padStart(6)} MB/s`
    )
  }
  const worst = Math.min(...rows.map((row) => row.megabytesPerSecond))
  console.log(
    `worst: ${worst.toFixed(0)} MB/s; longest for 1 Mi units: ${Math.max(...rows.map((row) => row.milliseconds)).toFixed(1)} ms`
  )
}
