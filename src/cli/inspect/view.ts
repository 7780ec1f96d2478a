/**
 * What the model saw at each place of a session that its own tool compacted.
 *
 * @since 0.1.0
 */
import type { Session } from "../../formats/Transcript.ts"
import type { Message } from "../../session/Message.ts"
import * as Sizes from "./sizes.ts"

/**
 * One compaction: the messages that it put in; those that it took off, how many, what they were, and the places of those that
 * are the session's own; and what the surface was before and after it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Compacted {
  readonly at: number
  readonly added: ReadonlyArray<Message>
  readonly shadowed: ReadonlyArray<number>
  readonly gone: number
  readonly goneTokens: Sizes.Tokens
  readonly before: Sizes.Tokens
  readonly after: Sizes.Tokens
}

/**
 * @since 0.1.0
 * @category models
 */
export interface View {
  /** tokens by part of the surface before the message at this place */
  readonly at: (place: number) => Sizes.Tokens
  /** how many compactions came before it */
  readonly generationAt: (place: number) => number
  readonly compactions: ReadonlyArray<Compacted>
  /** the places of the messages that stand on the surface at the end */
  readonly numbers: ReadonlyArray<number>
}

interface Surface {
  readonly from: number
  readonly head: ReadonlyArray<Message>
  readonly headTokens: Sizes.Tokens
  readonly keptFrom: number
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (session: Pick<Session, "messages" | "compactions">, sizes: Sizes.Sizes): View => {
  const { messages } = session
  const places = new Map(messages.map((message, i) => [message, i]))
  const surfaces: Array<Surface> = [{ from: 0, head: [], headTokens: Sizes.none(), keptFrom: 0 }]
  const compactions: Array<Compacted> = []

  // a result that was cut short is still one, and any other message that was never said stands for others
  const tokensOf = (message: Message): Sizes.Tokens =>
    places.has(message) || message.role === "tool"
      ? sizes.of(message)
      : Sizes.as("checkpoint", Sizes.sum(sizes.of(message)))

  const tokensAt = ({ headTokens, keptFrom }: Surface, place: number): Sizes.Tokens =>
    Sizes.plus(headTokens, sizes.between(Math.min(keptFrom, place), place))

  for (const { at, head, keptFrom } of session.compactions) {
    const before = surfaces.at(-1)!
    const stood = [...before.head, ...messages.slice(before.keptFrom, at)]
    const stays = new Set([...head, ...messages.slice(keptFrom, at)])
    const known = new Set(stood)
    // a tool may put messages in front that had stood there all along
    const added = head.filter((message) => !known.has(message) && !places.has(message))
    const gone = stood.filter((message) => !stays.has(message))
    const headTokens = Sizes.plus(...head.map(tokensOf))
    const next: Surface = { from: at, head, headTokens, keptFrom }
    compactions.push({
      at,
      added,
      shadowed: gone.flatMap((message) => places.get(message) ?? []),
      gone: gone.length,
      goneTokens: Sizes.plus(...gone.map(tokensOf)),
      before: tokensAt(before, at),
      after: tokensAt(next, at)
    })
    surfaces.push(next)
  }

  /** Of many compactions and many places to ask for each, no search may be linear. */
  const indexAt = (place: number): number => {
    let low = 0
    let high = surfaces.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (surfaces[middle]!.from <= place) low = middle
      else high = middle - 1
    }
    return low
  }
  const last = surfaces.at(-1)!
  return {
    at: (place) => tokensAt(surfaces[indexAt(place)]!, place),
    generationAt: (place) => indexAt(place),
    compactions,
    numbers: [
      ...last.head.flatMap((message) => places.get(message) ?? []),
      ...Array.from({ length: Math.max(0, messages.length - last.keptFrom) }, (_, i) => last.keptFrom + i)
    ]
  }
}
