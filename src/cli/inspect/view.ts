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

/** Where those of the session's own messages are that a tool put in front: most sessions have none. */
const placesOf = ({ compactions, messages }: Pick<Session, "messages" | "compactions">): Map<Message, number> => {
  const heads = new Set(compactions.flatMap(({ head }) => head))
  const places = new Map<Message, number>()
  if (heads.size > 0) messages.forEach((message, place) => heads.has(message) && places.set(message, place))
  return places
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
  const places = placesOf(session)
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
    const known = new Set(before.head)
    const heads = new Set(head)
    // a tool may put messages in front that had stood there all along
    const added = head.filter((message) => !known.has(message) && !places.has(message))
    const stays = (message: Message, place: number | undefined): boolean =>
      heads.has(message) || (place !== undefined && place >= keptFrom && place < at)
    const goneHeads = before.head.filter((message) => !stays(message, places.get(message)))
    const shadowed = goneHeads.flatMap((message) => places.get(message) ?? [])
    const gone = goneHeads.map(tokensOf)
    for (let place = before.keptFrom; place < at; place++) {
      if (stays(messages[place]!, place)) continue
      gone.push(sizes.of(messages[place]!))
      shadowed.push(place)
    }
    const headTokens = Sizes.plus(...head.map(tokensOf))
    const next: Surface = { from: at, head, headTokens, keptFrom }
    compactions.push({
      at,
      added,
      shadowed,
      gone: gone.length,
      goneTokens: Sizes.plus(...gone),
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
