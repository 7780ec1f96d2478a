/**
 * Which images and files a request that has too many bytes would lose, and what stands in their place.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import * as Message from "../session/Message.ts"
import * as Route from "../session/Route.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as CodePoints from "./CodePoints.ts"
import { resultDraft, type SurfaceDraft } from "./drafts.ts"
import * as Meter from "./Meter.ts"
import { type Carries, inlineBytes, jsonBytes, target } from "./requestBytes.ts"
import * as SessionState from "./SessionState.ts"
import { newestUnit, type Situation } from "./Situation.ts"

/**
 * One pass over the messages that lose something. `price` is what they weigh now, in tokens; `bytes` are of the whole
 * request.
 *
 * @since 0.1.0
 * @category models
 */
export interface MediaProposal {
  readonly first: Seq
  readonly last: Seq
  readonly price: number
  readonly why: string
  readonly bytes: { readonly before: number; readonly after: number }
  readonly replaced: ReadonlyArray<{ readonly seq: Seq; readonly by: SurfaceDraft }>
}

type Media = Message.ImageBlock | Message.FileBlock

/** A name is the user's own text, and may be of any length. */
const longestName = 120

/** Base64 writes three bytes as four characters. */
const decodedSize = (source: Message.Source): number => {
  const data = source.type === "base64" ? source.base64 : source.type === "url" ? source.url.replace(/^[^,]*,/, "") : ""
  return Math.floor((data.replace(/=+$/, "").length * 3) / 4)
}

/**
 * What stands for an image or a file that was dropped: its name, media type and size in bytes, and where the original is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const placeholder = (media: Media, seq: Seq): Message.TextBlock => {
  const name = media.type === "file" ? media.name?.replace(/\s+/g, " ").trim() : undefined
  const what = [
    media.type,
    ...(name === undefined || name === "" ? [] : [`"${CodePoints.clip(name, longestName)}"`]),
    `(${media.mediaType === undefined ? "" : `${media.mediaType}, `}${decodedSize(media.source)} bytes)`
  ].join(" ")
  return Message.textBlock(
    `[${what} was taken out, because the request had too many bytes; the original is seq ${seq} of this session's log]`
  )
}

/**
 * A message that lost media: how many bytes and how many of them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Dropped {
  readonly message: Message.Message
  readonly bytes: number
  readonly count: number
}

/**
 * The message without its oldest media, as many as it takes to lose `most` bytes. Undefined: it has none to lose. The
 * placeholders name `seq` as the event that holds the originals.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withoutMedia = (
  { message, seq }: Pick<SurfaceState.Node, "message" | "seq">,
  most: number,
  carries: Carries
): Dropped | undefined => {
  let bytes = 0
  let count = 0
  const one = <B extends Message.Block>(block: B, role: Message.Message["role"]): B | Message.TextBlock => {
    if ((block.type !== "image" && block.type !== "file") || bytes >= most) return block
    if (inlineBytes(block.source) === 0 || !carries(block, role)) return block
    const text = placeholder(block, seq)
    const gain = jsonBytes(block) - jsonBytes(text)
    if (gain <= 0) return block
    bytes += gain
    count++
    return text
  }
  const content = message.content.map((block) =>
    block.type === "tool-result"
      ? { ...block, content: block.content.map((inner) => one(inner, "tool")) }
      : one(block, message.role)
  )
  return count === 0 ? undefined : { message: { ...message, content }, bytes, count }
}

const draftOf = ({ source }: SurfaceState.Node, message: Message.Message): SurfaceDraft | undefined => {
  if (source === "assistant") return { type: "message/assistant", data: { message } }
  if (source !== "tool") return { type: "message/user", data: { message, source } }
  const [result] = Message.toolResults(message)
  return result === undefined ? undefined : resultDraft(result, message.metadata)
}

/**
 * After a refusal for bytes: inline images and files become placeholders, oldest first, until half of the request's bytes
 * are gone or none is left. Those of the newest unit stay, since they are what is asked about. Undefined: there is nothing
 * to drop. Takes time linear in the surface.
 *
 * @since 0.1.0
 * @category constructors
 */
export const propose = (situation: Situation): MediaProposal | undefined => {
  const { bytes, carries, envelope, estimator, state } = situation
  if (bytes === undefined) return undefined
  const most = bytes.request - target(bytes)
  const weights = SessionState.weights(state, estimator)
  const routeKey = Route.key(envelope.route)
  const replaced: Array<MediaProposal["replaced"][number]> = []
  let gone = 0
  let count = 0
  let price = 0
  for (const node of SurfaceState.nodes(state.surface, 0, newestUnit(state.surface))) {
    if (gone >= most) break
    const dropped = withoutMedia(node, most - gone, carries)
    const by = dropped === undefined ? undefined : draftOf(node, dropped.message)
    if (dropped === undefined || by === undefined) continue
    const after = { ...node, seq: state.revision, counts: estimator.message(dropped.message, envelope.route) }
    const priced = Meter.shrinks(state.meter, [node], after, weights, routeKey)
    // an image may be so small that its placeholder weighs more tokens: the surface would refuse it (I2)
    if (!priced.smaller) continue
    replaced.push({ seq: node.seq, by })
    gone += dropped.bytes
    count += dropped.count
    price += priced.before
  }
  const [first] = replaced
  const last = replaced.at(-1)
  if (first === undefined || last === undefined) return undefined
  const media = count === 1 ? "1 image or file holds" : `${count} images and files hold`
  return {
    first: first.seq,
    last: last.seq,
    price: Math.round(price),
    why: `${media} ${gone} of the request's ${bytes.request} bytes`,
    bytes: { before: bytes.request, after: bytes.request - gone },
    replaced
  }
}
