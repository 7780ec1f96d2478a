/**
 * Reads the session file that is inspected, and keeps of it what inspecting needs.
 *
 * @since 0.1.0
 */
import { setFlagsFromString } from "node:v8"
import * as Effect from "effect/Effect"
import * as Input from "../input.ts"
import type { Kept } from "./kept.ts"

const usual = 0

/** How much more than is in use may pile up before the engine looks for garbage. */
const growing = (percent: number) => Effect.sync(() => setFlagsFromString(`--heap-growing-percent=${percent}`))

/**
 * An engine lets garbage pile up to four times what is in use before it looks. Of a file of hundreds of megabytes nearly all
 * is garbage as soon as it was read, so it is told to look a little sooner while it reads. Sooner than this costs up to a sixth of the
 * time and saves nothing: at the end, when the report is made, more is in use than this leaves lying about.
 */
const inLittleMemory = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    growing(250),
    () => read,
    () => growing(usual)
  )

/**
 * A file line by line, standard input where it is called `-`, or a folder of one session's files.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = (path: string, format: string | undefined, { keep }: Kept) =>
  inLittleMemory(Input.readTranscript(path, { keep, ...(format === undefined ? {} : { format }) }))
