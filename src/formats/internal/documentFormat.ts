// A format whose file is one JSON document. It is read whole, in memory in proportion to the file.
import * as Either from "effect/Either"
import { TranscriptInvalid } from "../../errors/FormatError.ts"
import type { DecodeOptions, Format } from "../Format.ts"
import { type Recorded, transcript } from "./outcome.ts"

interface Given extends Pick<Format, "name" | "description"> {
  readonly isOwn: (json: unknown) => boolean
  /** tolerant: it may be asked for a document of another form, whose name was forced */
  readonly read: (json: unknown, options: DecodeOptions | undefined) => ReadonlyArray<Recorded>
}

export const documentFormat = ({ description, isOwn, name, read }: Given): Format => ({
  name,
  description,
  recognises: (input) => isOwn(Either.getOrUndefined(input.json())),
  decode: (input, options) =>
    Either.flatMap(input.json(), (json) =>
      Either.mapLeft(transcript(name, read(json, options), options), (error) =>
        isOwn(json) ? error : new TranscriptInvalid({ reason: "unknown-shape", detail: `expected ${description}` })
      )
    )
})
