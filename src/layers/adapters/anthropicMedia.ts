/**
 * Images and files as Anthropic's messages hold them.
 *
 * @since 0.1.0
 */
import type * as Message from "../../session/Message.ts"
import type { Fields } from "./looseJson.ts"

type Media = Message.ImageBlock | Message.FileBlock

/** How the formats begin that the API takes, in base64. */
const imageStarts: ReadonlyArray<readonly [start: string, mediaType: string]> = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"]
]

const imageTypes = new Set(imageStarts.map(([, mediaType]) => mediaType))

/** An image under another type than its bytes have is refused, so the bytes say it where they can. */
const imageType = (base64: string, stated: string | undefined): string | undefined => {
  const known = imageStarts.find(([start]) => base64.startsWith(start))?.[1]
  const type = known ?? (stated === "image/jpg" ? "image/jpeg" : stated)
  return type !== undefined && imageTypes.has(type) ? type : undefined
}

const dataUrl = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i

interface Inline {
  readonly base64: string
  readonly mediaType: string | undefined
}

/** The bytes of a block that holds them, as they are or in a URL. */
const inlineOf = ({ mediaType, source }: Media): Inline | undefined => {
  if (source.type === "base64") return { base64: source.base64, mediaType }
  if (source.type !== "url") return undefined
  const found = dataUrl.exec(source.url)
  return found === null
    ? undefined
    : { base64: source.url.slice(found[0].length), mediaType: found[1] === "" ? mediaType : found[1] }
}

const urlOf = ({ source }: Media): string | undefined =>
  source.type === "url" && /^https?:/i.test(source.url) ? source.url : undefined

const image = (block: Message.ImageBlock): Fields | undefined => {
  const url = urlOf(block)
  if (url !== undefined) return { type: "image", source: { type: "url", url } }
  const inline = inlineOf(block)
  const type = inline === undefined ? undefined : imageType(inline.base64, inline.mediaType)
  return inline === undefined || type === undefined || inline.base64 === ""
    ? undefined
    : { type: "image", source: { type: "base64", media_type: type, data: inline.base64 } }
}

const pdf = "application/pdf"

const isPdf = ({ base64, mediaType }: Inline) => base64.startsWith("JVBERi") || mediaType === pdf

const textOf = (base64: string): string | undefined => {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const isText = (mediaType: string | undefined) => /^(text\/|application\/(json|xml|yaml)\b)/i.test(mediaType ?? "")

const fileSource = (block: Message.FileBlock): Fields | undefined => {
  const url = urlOf(block)
  if (url !== undefined) {
    return block.mediaType === pdf || /\.pdf($|[?#])/i.test(url) ? { type: "url", url } : undefined
  }
  const inline = inlineOf(block)
  if (inline === undefined || inline.base64 === "") return undefined
  if (isPdf(inline)) return { type: "base64", media_type: pdf, data: inline.base64 }
  const text = isText(inline.mediaType) ? textOf(inline.base64) : undefined
  return text === undefined || text.trim() === "" ? undefined : { type: "text", media_type: "text/plain", data: text }
}

/**
 * An image of a kind that the API takes, a PDF, or a text; undefined for all else, which a request can only name.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encode = (block: Media): Fields | undefined => {
  if (block.type === "image") return image(block)
  const source = fileSource(block)
  return source === undefined
    ? undefined
    : { type: "document", source, ...(block.name === undefined || block.name === "" ? {} : { title: block.name }) }
}
