/**
 * How a span is taken apart for the summariser: into requests that fit its window, cut between units.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import type { Message } from "../session/Message.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Shortened from "./shortened.ts"
import type { Situation } from "./Situation.ts"
import { tokens } from "./TokenEstimator.ts"

/**
 * What one summary request covers: whole units of the surface. `sent` is what the summariser reads of them, a message for
 * each node, and `size` its tokens by estimate alone.
 *
 * @since 0.1.0
 * @category models
 */
export interface Chunk {
  readonly nodes: ReadonlyArray<SurfaceState.Node>
  readonly sent: ReadonlyArray<Message>
  readonly size: number
}

/**
 * The first and the last seq that a chunk covers.
 *
 * @since 0.1.0
 * @category getters
 */
export const spanOf = ({ nodes }: Chunk): { readonly first: Seq; readonly last: Seq } => ({
  first: nodes[0]!.seq,
  last: nodes.at(-1)!.seq
})

/**
 * Estimated tokens of messages that one request can carry. The later ones also carry the summary so far.
 *
 * @since 0.1.0
 * @category models
 */
export interface Room {
  readonly first: number
  readonly later: number
}

/** More requests than this are not made in one go: what is left over is another run's business. */
const mostChunks = 16

interface Part {
  readonly nodes: Array<SurfaceState.Node>
  readonly sent: Array<SurfaceState.Node>
  size: number
}

const nothing = (): Part => ({ nodes: [], sent: [], size: 0 })

const sizeOf = (nodes: ReadonlyArray<SurfaceState.Node>, weights: ReadonlyArray<number>): number =>
  nodes.reduce((sum, node) => sum + tokens(node.counts, weights), 0)

const partOf = (
  nodes: Array<SurfaceState.Node>,
  sent: Array<SurfaceState.Node>,
  weights: ReadonlyArray<number>
): Part => ({ nodes, sent, size: sizeOf(sent, weights) })

/** The unit with its texts cut by as little as makes it fit into `room`; undefined where nothing does. */
const shortened = (
  situation: Situation,
  nodes: Array<SurfaceState.Node>,
  room: number,
  weights: ReadonlyArray<number>
): Part | undefined => {
  for (const budget of Shortened.budgets(situation.policy)) {
    const sent = nodes.map((node) => Shortened.shorten(node, budget, situation, node.seq))
    const part = partOf(nodes, sent, weights)
    if (part.size <= room) return part
  }
  return undefined
}

const chunkOf = ({ nodes, sent, size }: Part): Chunk => ({ nodes, sent: sent.map((node) => node.message), size })

/** Also of none at all. */
const isOnlyCheckpoints = ({ nodes }: Part) => nodes.every((node) => node.source === "checkpoint")

/**
 * Takes a stretch of the surface apart, from place `from` up to place `to`, into as few chunks as the rooms allow. A unit that
 * is too large for a request of its own goes there shortened, and so does one behind a checkpoint, which alone is not worth a
 * request. Where not even that helps the chunks end before it, so that they may cover less than was asked for. O(n).
 *
 * @since 0.1.0
 * @category constructors
 */
export const split = (
  situation: Situation,
  from: number,
  to: number,
  room: Room,
  weights: ReadonlyArray<number>
): ReadonlyArray<Chunk> => {
  const { surface } = situation.state
  const chunks: Array<Chunk> = []
  let open = nothing()
  for (let start = from; start < to && chunks.length < mostChunks;) {
    let end = start + 1
    while (end < to && !SurfaceState.isBetweenUnits(surface, end)) end++
    const nodes = SurfaceState.nodes(surface, start, end).slice()
    const left = (chunks.length === 0 ? room.first : room.later) - open.size
    const whole = partOf(nodes, nodes, weights)
    const unit =
      whole.size <= left ? whole : isOnlyCheckpoints(open) ? shortened(situation, nodes, left, weights) : undefined
    if (unit !== undefined) {
      open.nodes.push(...unit.nodes)
      open.sent.push(...unit.sent)
      open.size += unit.size
      start = end
      continue
    }
    if (open.nodes.length === 0) return chunks
    chunks.push(chunkOf(open))
    open = nothing()
  }
  return open.nodes.length === 0 ? chunks : [...chunks, chunkOf(open)]
}
