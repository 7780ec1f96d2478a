/**
 * How a batch is written down: one line of JSON whose keys stand in a fixed order, so that it is checked without being
 * parsed, and still read with any JSON tool:
 *
 * `{"v":1,"seq":12,"count":3,"events":[...],"sum":"1a2b3c4d"}`
 *
 * `seq` is that of the first event, `count` the number of events (at least one), and `sum` the CRC-32, in eight
 * lower-case hexadecimal digits, of the line's UTF-8 bytes before `,"sum":"`. Logs outlive programs: this format is
 * permanent, a change of it is a new `v`.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Crc32 from "./Crc32.ts"
import type { Seq } from "./Ids.ts"
import { matches } from "./JsonBytes.ts"
import { closeBrace, newline, quote } from "./jsonCharacters.ts"
import * as Upcasters from "./upcasters.ts"

/**
 * The version that is written. Older ones are read through their upcasters, newer ones are refused.
 *
 * @since 0.1.0
 * @category constants
 */
export const version = 1

/**
 * What a line says before its events. `version` is that of the format it is written in, `eventsAt` is where the array of
 * events begins in the line.
 *
 * @since 0.1.0
 * @category models
 */
export interface Header {
  readonly version: number
  readonly seq: Seq
  readonly count: number
  readonly eventsAt: number
}

/**
 * A batch as it is written: `json` is the array of its `count` events, in UTF-8.
 *
 * @since 0.1.0
 * @category models
 */
export interface EncodedBatch {
  readonly seq: Seq
  readonly count: number
  readonly json: Uint8Array
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const start = encoder.encode('{"v":')
const seqKey = encoder.encode(',"seq":')
const countKey = encoder.encode(',"count":')
const eventsKey = encoder.encode(',"events":[')
const sumKey = encoder.encode('],"sum":"')
const sumDigits = 8
/** From the comma before `"sum"` to the end of the line, without the newline. */
const sumLength = sumKey.length - 1 + sumDigits + 2

const hex = (sum: number): string => sum.toString(16).padStart(sumDigits, "0")

/** Whether the digits of this sum stand at `at`. */
const states = (line: Uint8Array, at: number, sum: number): boolean => {
  for (let i = 0; i < sumDigits; i++) {
    const digit = (sum >>> (28 - 4 * i)) & 15
    if (line[at + i] !== (digit < 10 ? 48 + digit : 87 + digit)) return false
  }
  return true
}

/** Where the digits that begin at `at` end. */
const digitsEnd = (line: Uint8Array, at: number): number => {
  let end = at
  while (end < line.length && line[end]! >= 48 && line[end]! <= 57) end++
  return end
}

const parseDigits = (line: Uint8Array, at: number, end: number): number | undefined => {
  if (end === at || end - at > 16 || (line[at] === 48 && end > at + 1)) return undefined
  let value = 0
  for (let i = at; i < end; i++) value = value * 10 + (line[i]! - 48)
  return Number.isSafeInteger(value) ? value : undefined
}

/**
 * The events as JSON, or why they cannot be written so.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encodeEvents = (events: ReadonlyArray<unknown>): Either.Either<string, string> =>
  Either.try({
    try: () => JSON.stringify(events),
    catch: (error) => `the events cannot be written as JSON: ${error instanceof Error ? error.message : String(error)}`
  })

/**
 * The whole line with its newline, or why these events cannot be written.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encode = (seq: Seq, events: ReadonlyArray<unknown>): Either.Either<Uint8Array, string> =>
  Either.map(encodeEvents(events), (json) => {
    const line = encoder.encode(
      `{"v":${version},"seq":${seq},"count":${events.length},"events":${json},"sum":"00000000"}\n`
    )
    const sum = encoder.encode(hex(Crc32.compute(line, 0, line.length - 1 - sumLength)))
    line.set(sum, line.length - 3 - sumDigits)
    return line
  })

/**
 * Whether these are, so far, the first bytes of a frame of any version, or of one from which a power loss took some and
 * left zeros. What begins otherwise was not written by a log.
 *
 * @since 0.1.0
 * @category predicates
 */
export const begins = (bytes: Uint8Array): boolean => {
  const first = bytes.subarray(0, start.length)
  const zero = first.indexOf(0)
  const head = zero === -1 ? first : first.subarray(0, zero)
  return matches(head, 0, start.subarray(0, head.length))
}

/**
 * Names the version of a line that cannot be read; the rest of such a line is not to be judged.
 *
 * @since 0.1.0
 * @category predicates
 */
export const foreignVersion = (
  line: Uint8Array,
  known: ReadonlyArray<Upcasters.Upcaster> = Upcasters.upcasters
): string | undefined => {
  if (!matches(line, 0, start)) return undefined
  const end = digitsEnd(line, start.length)
  const found = parseDigits(line, start.length, end)
  // without a comma behind it the number may have been cut off in the middle
  if (found === undefined || found === version || line[end] !== seqKey[0]) return undefined
  if (found > version) {
    return `it is written in format version ${found}, newer than version ${version} which this release reads`
  }
  return Upcasters.leads(found, version, known)
    ? undefined
    : `it is written in format version ${found}, which never existed`
}

/**
 * Checks a line (without its newline) against its form and its checksum, or says what is wrong with it.
 *
 * @since 0.1.0
 * @category conversions
 */
export const verify = (
  line: Uint8Array,
  known: ReadonlyArray<Upcasters.Upcaster> = Upcasters.upcasters
): Either.Either<Header, string> => {
  const otherVersion = foreignVersion(line, known)
  if (otherVersion !== undefined) return Either.left(otherVersion)

  const versionEnd = digitsEnd(line, start.length)
  const seqAt = versionEnd + seqKey.length
  const seqEnd = digitsEnd(line, seqAt)
  const countAt = seqEnd + countKey.length
  const countEnd = digitsEnd(line, countAt)
  const eventsAt = countEnd + eventsKey.length - 1
  const sumAt = line.length - sumLength
  const formed =
    matches(line, 0, start) &&
    matches(line, versionEnd, seqKey) &&
    matches(line, seqEnd, countKey) &&
    matches(line, countEnd, eventsKey) &&
    sumAt > eventsAt &&
    matches(line, sumAt - 1, sumKey) &&
    line[line.length - 2] === quote &&
    line[line.length - 1] === closeBrace
  if (!formed) return Either.left("the line is not a batch")

  const sum = Crc32.compute(line, 0, sumAt)
  if (!states(line, line.length - 2 - sumDigits, sum)) {
    const stated = decoder.decode(line.subarray(line.length - 2 - sumDigits, line.length - 2))
    return Either.left(`the checksum is ${hex(sum)} and the line says ${JSON.stringify(stated)}`)
  }

  const seq = parseDigits(line, seqAt, seqEnd)
  const count = parseDigits(line, countAt, countEnd)
  const stated = parseDigits(line, start.length, versionEnd)
  if (stated === undefined || !Upcasters.leads(stated, version, known) || seq === undefined || !count) {
    return Either.left("the line's numbers are not those of a batch")
  }
  return Either.right({ version: stated, seq, count, eventsAt })
}

/**
 * The events of a verified line, one JSON array in UTF-8: the bytes that stand there, or, of an older version, what they
 * are in today's.
 *
 * @since 0.1.0
 * @category getters
 */
export const eventsOf = (
  line: Uint8Array,
  header: Header,
  known: ReadonlyArray<Upcasters.Upcaster> = Upcasters.upcasters
): Either.Either<Uint8Array, string> => {
  const json = line.subarray(header.eventsAt, line.length - sumLength)
  if (header.version === version) return Either.right(json)
  return decodeEvents(json, header.count).pipe(
    Either.flatMap((values) => Upcasters.upcast(values, header.version, version, known)),
    Either.flatMap(encodeEvents),
    Either.map((text) => encoder.encode(text))
  )
}

/**
 * The events of a batch that says it has `count` of them.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parseEvents = (json: string, count: number): Either.Either<ReadonlyArray<unknown>, string> =>
  Either.flatMap(
    Either.try({ try: (): unknown => JSON.parse(json), catch: () => "the line is not JSON" }),
    (events) => {
      if (!Array.isArray(events)) return Either.left("the line has no list of events")
      if (events.length === count) return Either.right(events as ReadonlyArray<unknown>)
      return Either.left(`the line holds ${events.length} events and says ${count}`)
    }
  )

/**
 * The same from the bytes of `eventsOf`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decodeEvents = (json: Uint8Array, count: number): Either.Either<ReadonlyArray<unknown>, string> =>
  parseEvents(decoder.decode(json), count)

/**
 * @since 0.1.0
 * @category constants
 */
export const lineEnd: number = newline
