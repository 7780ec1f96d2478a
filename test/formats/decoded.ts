// What the tests of single formats ask of a decoded file.
import { assert } from "@effect/vitest"
import * as Either from "effect/Either"
import { Formats, History } from "../../src/formats/index.ts"
import type { File } from "../../src/formats/Format.ts"
import type { Session, Transcript } from "../../src/formats/Transcript.ts"
import type * as Message from "../../src/session/Message.ts"
import { broken } from "./wholePairs.ts"

export const jsonLines = (...values: ReadonlyArray<unknown>): string =>
  values.map((value) => JSON.stringify(value)).join("\n") + "\n"

/** The transcript, after a check that it was found to be of this format and that its pairs are whole. */
export const decoded = (format: string, source: string | ReadonlyArray<File>): Transcript => {
  const transcript = Either.getOrThrow(Formats.decode(source))
  assert.strictEqual(transcript.format, format)
  const seen = Either.getOrThrow(Formats.decode(source, { history: "last-seen" }))
  for (const session of [...transcript.sessions, ...seen.sessions]) {
    assert.deepStrictEqual(broken(session.messages), [])
  }
  return transcript
}

/** The file's first session as the model saw it last. */
export const lastSeen = (source: string | ReadonlyArray<File>): Session =>
  Either.getOrThrow(Formats.decode(source, { history: "last-seen" })).sessions[0]

const word = (block: Message.Block): string => {
  switch (block.type) {
    case "text":
      return block.text
    case "reasoning":
      return `(${block.text})`
    case "tool-call":
      return `${block.name}#${block.id}`
    case "tool-result":
      return `#${block.id}=${block.content.map(word).join("+")}`
    default:
      return `<${block.type}>`
  }
}

/** Messages as one short line each. */
export const talk = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<string> =>
  messages.map((message) => `${message.role}: ${message.content.map(word).join(" ")}`)

/** Requests as place, input tokens, and what the prompt's last message is. */
export const asked = (session: Session): ReadonlyArray<readonly [string, number, string | undefined]> =>
  session.requests.map(
    ({ at, place, usage }) => [place, usage.inputTokens, talk(History.promptBefore(session, at)).at(-1)] as const
  )
