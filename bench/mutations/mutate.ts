// What may happen to the bytes of a log: by bad disks and memory, by tools, by people.
import type * as Random from "../random.ts"

const newline = 10
const encoder = new TextEncoder()

interface Span {
  readonly from: number
  /** behind the line break */
  readonly to: number
}

const linesOf = (bytes: Uint8Array): ReadonlyArray<Span> => {
  const lines: Array<Span> = []
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(newline, from)
    const to = end === -1 ? bytes.length : end + 1
    lines.push({ from, to })
    from = to
  }
  return lines
}

const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(parts))

type Mutation = (random: Random.Random, bytes: Uint8Array, other: Uint8Array) => Uint8Array

const flippedBits: Mutation = (random, bytes) => {
  const changed = bytes.slice()
  const flips = 1 + random.integer(random.next() < 0.5 ? 1 : 16)
  for (let i = 0; i < flips; i++) changed[random.integer(bytes.length)]! ^= 1 << random.integer(8)
  return changed
}

/** A part of one line is gone: to its end, with or without the line break, or somewhere in it. */
const cutLine: Mutation = (random, bytes) => {
  const lines = linesOf(bytes)
  const { from, to } = lines[random.integer(lines.length)]!
  const start = from + random.integer(to - from)
  const end = random.next() < 0.3 ? start + random.integer(to - start + 1) : random.next() < 0.5 ? to : to - 1
  return joined(bytes.subarray(0, start), bytes.subarray(Math.max(start, end)))
}

/** The file ends earlier, often between two lines. */
const cutFile: Mutation = (random, bytes) => {
  const lines = linesOf(bytes)
  return bytes.slice(0, random.next() < 0.3 ? lines[random.integer(lines.length)]!.from : random.integer(bytes.length))
}

const lostLine: Mutation = (random, bytes) => {
  const lines = linesOf(bytes)
  const { from, to } = lines[random.integer(lines.length)]!
  return joined(bytes.subarray(0, from), bytes.subarray(to))
}

const swappedLines: Mutation = (random, bytes) => {
  const lines = linesOf(bytes)
  if (lines.length < 2) return bytes
  const one = random.integer(lines.length - 1)
  const next = random.next() < 0.5 ? one + 1 : one + 1 + random.integer(lines.length - one - 1)
  const [a, b] = [lines[one]!, lines[next]!]
  return joined(
    bytes.subarray(0, a.from),
    bytes.subarray(b.from, b.to),
    bytes.subarray(a.to, b.from),
    bytes.subarray(a.from, a.to),
    bytes.subarray(b.to)
  )
}

const repeatedLine: Mutation = (random, bytes) => {
  const lines = linesOf(bytes)
  const one = random.integer(lines.length)
  const at = random.next() < 0.5 ? lines[one]!.to : lines[random.integer(lines.length)]!.to
  return joined(bytes.subarray(0, at), bytes.subarray(lines[one]!.from, lines[one]!.to), bytes.subarray(at))
}

const notes = [
  "\n",
  "a note by somebody\n",
  "{}\n",
  "[]\n",
  "null\n",
  '{"v":1}\n',
  '{"v":2,"seq":0,"count":1,"events":[]}\n'
]

/** Text of somebody's, bytes of anything, or a line of another session's log. */
const foreignLine: Mutation = (random, bytes, other) => {
  const lines = linesOf(bytes)
  const others = linesOf(other)
  const another = others[random.integer(others.length)]!
  const at = random.next() < 0.8 ? lines[random.integer(lines.length)]!.from : random.integer(bytes.length + 1)
  const kind = random.integer(3)
  const line =
    kind === 0
      ? encoder.encode(notes[random.integer(notes.length)])
      : kind === 1
        ? Uint8Array.from({ length: 1 + random.integer(300) }, () => random.integer(256))
        : other.subarray(another.from, another.to)
  return joined(bytes.subarray(0, at), line, bytes.subarray(at))
}

/** A power loss may keep the length of what was written and lose its bytes. */
const zeroedBytes: Mutation = (random, bytes) => {
  const changed = bytes.slice()
  const from = random.next() < 0.5 ? random.integer(bytes.length) : linesOf(bytes).at(-1)!.from
  return changed.fill(0, from, random.next() < 0.5 ? bytes.length : from + 1 + random.integer(4096))
}

const single: Readonly<Record<string, Mutation>> = {
  "flipped bits": flippedBits,
  "cut line": cutLine,
  "cut file": cutFile,
  "lost line": lostLine,
  "swapped lines": swappedLines,
  "repeated line": repeatedLine,
  "foreign line": foreignLine,
  "zeroed bytes": zeroedBytes
}

const singles = Object.values(single)

const twoAtOnce: Mutation = (random, bytes, other) => {
  const once = singles[random.integer(singles.length)]!(random, bytes, other)
  return once.length === 0 ? once : singles[random.integer(singles.length)]!(random, once, other)
}

/** By kind: what becomes of a log of `bytes`. `other` is the log of another session. */
export const mutations: Readonly<Record<string, Mutation>> = { ...single, "two at once": twoAtOnce }
