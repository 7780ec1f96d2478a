/**
 * Maps a session id to the name of its file.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { SessionId } from "../session/Ids.ts"

const encoder = new TextEncoder()
const longest = 150
const kept = 110

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0")

/** `%` and two digits for each UTF-8 byte; half of a surrogate pair has no UTF-8 and becomes `%u` and four digits. */
const escape = (character: string): string => {
  const code = character.codePointAt(0)!
  if (code >= 0xd800 && code <= 0xdfff) return `%u${hex(code, 4)}`
  return Array.from(encoder.encode(character), (byte) => `%${hex(byte, 2)}`).join("")
}

/** Windows keeps these for devices, whatever extension follows. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/**
 * Every character but a-z, 0-9, `_` and `-` is escaped: no id can leave the folder, and ids that differ in case are
 * different files on every file system. A long id is cut and gets the hash of the whole behind a `~`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const fromSessionId = (id: SessionId): Effect.Effect<string> =>
  Effect.suspend(() => {
    const name = id.replace(/[^a-z0-9_-]/gu, escape)
    if (device.test(name)) return Effect.succeed(escape(name[0]!) + name.slice(1))
    if (name.length <= longest) return Effect.succeed(name)
    return Effect.map(
      Effect.promise(() => globalThis.crypto.subtle.digest("SHA-256", encoder.encode(name))),
      (digest) =>
        `${name.slice(0, kept).replace(/%[^%]{0,4}$/, "")}~${Array.from(new Uint8Array(digest, 0, 16), (byte) => hex(byte, 2)).join("")}`
    )
  })
