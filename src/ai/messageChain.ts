/**
 * Names the beginnings of a conversation, so that one that was seen before is known again: each name covers a message and all
 * before it.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"

/**
 * Makes the names of one memory unlike those of every other, so that nobody outside can make two conversations meet.
 *
 * @since 0.1.0
 * @category models
 */
export type Seed = readonly [number, number, number, number]

/**
 * @since 0.1.0
 * @category constructors
 */
export const makeSeed = (): Seed => {
  const [a = 1, b = 2, c = 3, d = 4] = globalThis.crypto.getRandomValues(new Uint32Array(4))
  return [a, b, c, d]
}

const spread = (h: number): number => {
  let x = h ^ (h >>> 16)
  x = Math.imul(x, 0x85ebca6b)
  x ^= x >>> 13
  x = Math.imul(x, 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}

/**
 * Four lanes of 32 bits, each with a multiplier of its own, over the units of a text or the bytes of a file. All messages of
 * a prompt pass here on each call, so the loops are plain: a function for each unit made them ten times as slow.
 */
const digest = (seed: Seed, from: string | Uint8Array): Seed => {
  let a = seed[0]
  let b = seed[1]
  let c = seed[2]
  let d = seed[3]
  const { length } = from
  if (typeof from === "string") {
    for (let i = 0; i < length; i++) {
      const unit = from.charCodeAt(i)
      a = Math.imul(a ^ unit, 0x9e3779b1)
      b = Math.imul(b ^ unit, 0x85ebca77)
      c = Math.imul(c ^ unit, 0xc2b2ae3d) ^ (a >>> 15)
      d = Math.imul(d ^ unit, 0x27d4eb2f) ^ (b >>> 13)
    }
  } else {
    for (let i = 0; i < length; i++) {
      const unit = from[i]!
      a = Math.imul(a ^ unit, 0x9e3779b1)
      b = Math.imul(b ^ unit, 0x85ebca77)
      c = Math.imul(c ^ unit, 0xc2b2ae3d) ^ (a >>> 15)
      d = Math.imul(d ^ unit, 0x27d4eb2f) ^ (b >>> 13)
    }
  }
  return [spread(a ^ length), spread(b ^ a), spread(c ^ b), spread(d ^ c)]
}

const hex = (lanes: Seed) => lanes.map((lane) => lane.toString(16).padStart(8, "0")).join("")

const dataOf = (seed: Seed, data: string | Uint8Array | URL): string => {
  if (typeof data === "string") return data
  return data instanceof URL ? data.href : hex(digest(seed, data))
}

/**
 * What a part says. A provider's options are left out: a cache mark that an application moves on, an id that somebody's
 * storage writes into a message after it was sent make no other conversation of it.
 */
const partOf =
  (seed: Seed) =>
  (part: Prompt.Part): ReadonlyArray<unknown> => {
    switch (part.type) {
      case "text":
      case "reasoning":
        return [part.type, part.text]
      case "file":
        return [part.type, part.mediaType, part.fileName, dataOf(seed, part.data)]
      case "tool-call":
        return [part.type, part.id, part.name, part.params]
      case "tool-result":
        return [part.type, part.id, part.name, part.isFailure, part.result]
    }
  }

const withoutJson = new WeakMap<object, string>()

/** What has no JSON cannot be told from another one of its kind: the message is the same again only as the same object. */
const textOf = (seed: Seed, message: Exclude<Prompt.Message, Prompt.SystemMessage>): string => {
  try {
    return JSON.stringify([message.role, message.content.map(partOf(seed))])
  } catch {
    const name = withoutJson.get(message) ?? globalThis.crypto.randomUUID()
    withoutJson.set(message, name)
    return name
  }
}

/**
 * The names of all beginnings, the one without a message first. System messages are not to be among them: they belong to
 * the envelope.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  seed: Seed,
  messages: ReadonlyArray<Exclude<Prompt.Message, Prompt.SystemMessage>>
): ReadonlyArray<string> => {
  let lanes = seed
  const names = [hex(lanes)]
  for (const message of messages) {
    const text = textOf(seed, message)
    lanes = digest(lanes, text)
    names.push(hex(lanes))
  }
  return names
}
