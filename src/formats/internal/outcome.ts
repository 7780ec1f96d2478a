// The end of every decoder: recordings become the sessions of a transcript.
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import type { TranscriptInvalid } from "../../errors/FormatError.ts"
import { type DecodeOptions, noMessages } from "../Format.ts"
import { type Transcript, uniqueIds, type Visible } from "../Transcript.ts"
import * as Recording from "./Recording.ts"

export interface Recorded {
  readonly recording: Recording.Recording
  readonly id: string
  readonly visible: Visible
}

export const transcript = (
  format: string,
  recorded: ReadonlyArray<Recorded>,
  options: DecodeOptions = {}
): Either.Either<Transcript, TranscriptInvalid> => {
  const ids = uniqueIds(recorded.map(({ id }) => id))
  const sessions = recorded.map(({ id, recording, visible }, index) => {
    const seen = options.history === "last-seen" ? Recording.lastSeen(recording) : recording
    return Recording.session(seen, ids[index] ?? id, visible)
  })
  return Arr.isNonEmptyReadonlyArray(sessions) && sessions.some(({ messages }) => messages.length > 0)
    ? Either.right({ format, sessions })
    : Either.left(noMessages())
}
