/**
 * Reads the session file that is inspected, and keeps of it what inspecting needs.
 *
 * @since 0.1.0
 */
import * as Input from "../input.ts"
import type { Kept } from "./kept.ts"

/**
 * A file line by line, standard input where it is called `-`, or a folder of one session's files.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = (path: string, format: string | undefined, { keep }: Kept) =>
  Input.readTranscript(path, { keep, ...(format === undefined ? {} : { format }) })
