/**
 * How many bytes a request has, for the refusal of a gateway that counts them. Tokens say nothing of it: an image is cheap
 * in tokens and heavy in bytes.
 *
 * @since 0.1.0
 */
import type { Envelope } from "../session/Envelope.ts"
import type * as Message from "../session/Message.ts"
import * as SurfaceState from "../session/SurfaceState.ts"

/**
 * Whether a request carries the bytes of an image or a file that stands in a message of this role (`tool`: in a tool
 * result). Many providers' requests leave them out, or only name them.
 *
 * @since 0.1.0
 * @category models
 */
export type Carries = (block: Message.ImageBlock | Message.FileBlock, role: Message.Message["role"]) => boolean

/**
 * Where nobody knows what a request carries, it is all of it.
 *
 * @since 0.1.0
 * @category constants
 */
export const carriesAll: Carries = () => true

/**
 * Bytes of a request, by its JSON: of all of it, and of its newest unit.
 *
 * @since 0.1.0
 * @category models
 */
export interface RequestBytes {
  readonly request: number
  readonly newest: number
}

const encoder = new TextEncoder()

/**
 * Of a value as JSON.
 *
 * @since 0.1.0
 * @category getters
 */
export const jsonBytes = (value: unknown): number => encoder.encode(JSON.stringify(value)).length

/**
 * The bytes that a source brings into a request: inline data, also where it comes as a URL. A URL or a blob reference
 * brings none.
 *
 * @since 0.1.0
 * @category getters
 */
export const inlineBytes = (source: Message.Source): number =>
  source.type === "base64"
    ? source.base64.length
    : source.type === "url" && /^data:/i.test(source.url)
      ? source.url.length
      : 0

const notCarried = (content: ReadonlyArray<Message.Block>, role: Message.Message["role"], carries: Carries): number =>
  content.reduce((sum, block) => {
    if (block.type === "tool-result") return sum + notCarried(block.content, "tool", carries)
    if (block.type !== "image" && block.type !== "file") return sum
    return carries(block, role) ? sum : sum + inlineBytes(block.source)
  }, 0)

/**
 * Bytes of messages as they are sent.
 *
 * @since 0.1.0
 * @category getters
 */
export const messagesBytes = (messages: ReadonlyArray<Message.Message>, carries: Carries = carriesAll): number =>
  messages.reduce((sum, { content, role }) => sum + jsonBytes(content) - notCarried(content, role, carries), 0)

/**
 * Takes time linear in the request: only asked after a refusal for bytes.
 *
 * @since 0.1.0
 * @category getters
 */
export const measure = (
  { prefix = [], system = "", tools = [] }: Envelope,
  surface: SurfaceState.SurfaceState,
  carries: Carries
): RequestBytes => {
  const messages = SurfaceState.messages(surface)
  const newest = messages.slice(surface.length === 0 ? 0 : SurfaceState.unitStart(surface, surface.length - 1))
  const envelope = jsonBytes([system, tools]) + messagesBytes(prefix, carries)
  return { request: envelope + messagesBytes(messages, carries), newest: messagesBytes(newest, carries) }
}

/**
 * What a request that was refused for its bytes is to come down to, since nobody says what the limit is: half.
 *
 * @since 0.1.0
 * @category getters
 */
export const target = ({ request }: RequestBytes): number => request / 2

/** Above this share of the bytes the newest unit is too large by itself, and dropping what is older would not help. */
const causeShare = 3 / 4

/**
 * @since 0.1.0
 * @category predicates
 */
export const isNewestTheCause = ({ newest, request }: RequestBytes): boolean => newest > request * causeShare
