/**
 * The heaviest messages of a session.
 *
 * @since 0.1.0
 */
import type * as Message from "../../session/Message.ts"
import type { Kept } from "./kept.ts"
import type { Heavy } from "./report.ts"
import * as Sizes from "./sizes.ts"

/**
 * Where a message stands in the file, or its number in the session where its format does not say.
 *
 * @since 0.1.0
 * @category getters
 */
export const placeOf = (messages: ReadonlyArray<Message.Message>, index: number, kept: Kept): string => {
  const place = messages[index]?.content.map(kept.place).find((found) => found !== undefined)
  return place ?? `message ${index + 1}`
}

/**
 * The first words of a message, where they were kept.
 *
 * @since 0.1.0
 * @category getters
 */
export const wordsOf = (message: Message.Message, kept: Kept): string =>
  message.content.map(kept.words).find((words) => words !== undefined && words !== "") ?? ""

const toolOf = (message: Message.Message): string | null => {
  for (const block of message.content) {
    if (block.type === "tool-result" || block.type === "tool-call") return block.name
  }
  return null
}

/** The block that weighs most says what a message is about. */
const heaviestBlock = (message: Message.Message, sizes: Sizes.Sizes): Message.Message => {
  const [first] = message.content
    .map((block) => ({ block, tokens: sizes.block(block) }))
    .sort((a, b) => b.tokens - a.tokens)
  return first === undefined ? message : { ...message, content: [first.block] }
}

/**
 * The heaviest `most` of the messages at these places, the heaviest first.
 *
 * @since 0.1.0
 * @category getters
 */
export const heaviest = (
  messages: ReadonlyArray<Message.Message>,
  places: ReadonlyArray<number>,
  sizes: Sizes.Sizes,
  kept: Kept,
  most: number
): ReadonlyArray<Heavy> => {
  const tokensAt = (index: number): number => sizes.total(index, index + 1)
  // numbers are sorted many times as fast as places
  const least = new Float64Array(places.map(tokensAt)).sort().at(-most) ?? 0
  return places
    .filter((index) => tokensAt(index) >= least)
    .map((index) => ({ index, tokens: tokensAt(index) }))
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, most)
    .map(({ index, tokens }): Heavy => {
      const message = messages[index]!
      return {
        place: placeOf(messages, index, kept),
        message: index + 1,
        part: Sizes.largest(sizes.between(index, index + 1)),
        tool: toolOf(message),
        tokens: Math.round(tokens),
        words: wordsOf(heaviestBlock(message, sizes), kept)
      }
    })
}
