/**
 * Where the breakpoints of Anthropic's prompt cache stand. Whoever reads the cache needs one at most 20 blocks behind an
 * earlier request's, and a request has four at most.
 *
 * @since 0.1.0
 */
import type { Turn } from "./anthropicTurns.ts"
import type { Fields } from "./looseJson.ts"

/**
 * How long what was written stays readable since it was last read: five minutes, or an hour, which costs more to write.
 *
 * @since 0.1.0
 * @category models
 */
export interface CacheOptions {
  readonly ttl: "5m" | "1h"
}

/** The kinds of block that may carry one; on reasoning it is refused. */
const cacheable = new Set<unknown>(["text", "image", "document", "tool_use", "tool_result"])

const markerOf = ({ ttl }: CacheOptions): Fields => ({ type: "ephemeral", ...(ttl === "1h" ? { ttl } : {}) })

const marked = (blocks: ReadonlyArray<Fields>, place: number, cache: CacheOptions): ReadonlyArray<Fields> =>
  blocks.map((block, i) => (i === place ? { ...block, cache_control: markerOf(cache) } : block))

/**
 * On the last of the tools, or of the blocks of the system prompt.
 *
 * @since 0.1.0
 * @category combinators
 */
export const markLast = (blocks: ReadonlyArray<Fields>, cache: CacheOptions): ReadonlyArray<Fields> =>
  marked(blocks, blocks.length - 1, cache)

interface Place {
  readonly turn: number
  readonly block: number
}

const lastIn = (turns: ReadonlyArray<Turn>, turn: number): Place | undefined => {
  const block = turns[turn]?.content.findLastIndex(({ type }) => cacheable.has(type)) ?? -1
  return block === -1 ? undefined : { turn, block }
}

/**
 * On the newest block, and on the last of the user's message before the newest answer: there the request before this one
 * had its newest, however many blocks the step in between added. `closing`: the last block is an instruction that no
 * other request will have, so the newest is the one before it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const markTurns = (
  turns: ReadonlyArray<Turn>,
  cache: CacheOptions,
  { closing = false }: { readonly closing?: boolean } = {}
): ReadonlyArray<Turn> => {
  const visible = closing
    ? turns.map((turn, i) => (i < turns.length - 1 ? turn : { ...turn, content: turn.content.slice(0, -1) }))
    : turns
  const placed = visible.flatMap((_, turn) => lastIn(visible, turn) ?? [])
  const newest = placed.at(-1)
  const before = placed.findLast(({ turn }) => turn < (newest?.turn ?? 0) && turns[turn]?.role === "user")
  return turns.map((turn, i) => {
    const place = [newest, before].find((one) => one?.turn === i)
    return place === undefined ? turn : { role: turn.role, content: marked(turn.content, place.block, cache) }
  })
}
