/**
 * Reads the session file that is inspected, and keeps of it what inspecting needs.
 *
 * @since 0.1.0
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as Formats from "../../formats/Formats.ts"
import type { Message } from "../../session/Message.ts"
import type { Session, Transcript } from "../../formats/Transcript.ts"
import { BadInput } from "../exitCode.ts"
import * as MeterInput from "../meterInput.ts"
import type { Kept } from "./kept.ts"

const keepSession = (kept: Kept, session: Session): Session => {
  const known = new Map<Message, Message>()
  const keep = (message: Message): Message => {
    const found = known.get(message) ?? {
      ...message,
      content: message.content.map((block) => kept.keep(block, message.role))
    }
    known.set(message, found)
    return found
  }
  return {
    ...session,
    messages: session.messages.map(keep),
    compactions: session.compactions.map((each) => ({ ...each, head: each.head.map(keep) }))
  }
}

export const read = Effect.fnUntraced(function* (path: string, format: string | undefined, kept: Kept) {
  const transcript = yield* path === "-"
    ? Effect.flatMap(
        Effect.orDie(NodeStream.stdin.pipe(Stream.decodeText(), Stream.mkString)),
        (text): Either.Either<Transcript, BadInput> =>
          Either.mapLeft(
            Formats.decode(text, format === undefined ? {} : { format }),
            ({ message }) => new BadInput({ message: `standard input: ${message}` })
          )
      )
    : Effect.flatMap(MeterInput.read(path, format), (found): Either.Either<Transcript, BadInput> => {
        const [only, ...others] = found
        return only === undefined || others.length > 0
          ? Either.left(new BadInput({ message: `${path} holds several sessions: name one of its files` }))
          : Either.right(only.transcript)
      })
  return { format: transcript.format, sessions: transcript.sessions.map((session) => keepSession(kept, session)) }
})
