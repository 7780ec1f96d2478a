/**
 * The data of a file part: bytes, a `URL`, or a text that each provider package reads in its own way.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import type { Source } from "../session/Message.ts"

/** The bytes of a source, so that they are not decoded for every request, nor kept twice. */
const bytesOf = new WeakMap<Source, Uint8Array>()

/** How data came, where its source does not show it: base64 as a text, or a text that is the data or its URL. */
export type Came = "bytes" | "base64" | "text"

/** Where the data is, and how it came. */
export const decodeData = (
  data: string | Uint8Array | URL,
  mediaType: string
): { readonly source: Source; readonly data?: Came } => {
  if (data instanceof URL) return { source: { type: "url", url: data.href } }
  if (typeof data !== "string") {
    const source: Source = { type: "base64", base64: Encoding.encodeBase64(data) }
    bytesOf.set(source, data)
    return { source, data: "bytes" }
  }
  if (/^(?:https?|data):/i.test(data)) return { source: { type: "url", url: data }, data: "text" }
  if (mediaType.startsWith("text/")) {
    return { source: { type: "base64", base64: Encoding.encodeBase64(data) }, data: "text" }
  }
  // anything else is a name: of a file that was uploaded, of a blob
  return data === "" || /^[A-Za-z0-9+/\s]+=*\s*$/.test(data)
    ? { source: { type: "base64", base64: data }, data: "base64" }
    : { source: { type: "blob", blob: data } }
}

const decoded = (source: Source & { readonly type: "base64" }): Uint8Array | string => {
  const known = bytesOf.get(source)
  if (known !== undefined) return known
  const bytes = Encoding.decodeBase64(source.base64)
  if (Either.isLeft(bytes)) return source.base64
  bytesOf.set(source, bytes.right)
  return bytes.right
}

/**
 * The data as it came. What no prompt brought is given as bytes or a `URL`, which every provider package takes: of a text
 * one of them makes nothing at all.
 */
export const encodeData = (source: Source, came: Came | undefined): string | Uint8Array | URL => {
  switch (source.type) {
    case "blob":
      return source.blob
    case "url":
      return came === "text" || !URL.canParse(source.url) ? source.url : new URL(source.url)
    case "base64":
      if (came === "base64") return source.base64
      if (came === "text") return Either.getOrElse(Encoding.decodeBase64String(source.base64), () => source.base64)
      return decoded(source)
  }
}
