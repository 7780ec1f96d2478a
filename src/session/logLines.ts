/**
 * Cuts the bytes of a file into lines, whatever they hold, and says where each stands. Unlike `LogScan` it does not stop at
 * what is wrong: it is for looking at logs that are.
 *
 * @since 0.1.0
 */
import { joinedBytes } from "./joinedBytes.ts"
import * as LogFrame from "./LogFrame.ts"

/**
 * `from` is the offset of the first byte, `to` that behind the line break, or behind the last byte where none ends it
 * (`ended: false`). `bytes` is without the line break; undefined where the line does not begin as a log's do, since such a
 * line may be of any length and is not held.
 *
 * @since 0.1.0
 * @category models
 */
export interface RawLine {
  readonly number: number
  readonly from: number
  readonly to: number
  readonly bytes: Uint8Array | undefined
  readonly ended: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export interface LogLines {
  /** The lines that this chunk completes. Their bytes are only good until the next chunk is pushed. */
  readonly push: (chunk: Uint8Array) => ReadonlyArray<RawLine>
  /** What stands behind the last line break. */
  readonly end: () => RawLine | undefined
}

/** So many bytes tell whether a line begins as a log's does. */
const told = 5

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (): LogLines => {
  let number = 1
  let from = 0
  let size = 0
  let held: Array<Uint8Array> = []

  const take = (part: Uint8Array) => {
    const unsure = size < told
    // copied: a caller may fill the same buffer again
    if (size === 0 || held.length > 0) held.push(part.slice())
    size += part.length
    if (!unsure) return
    const head = held.map((piece) => piece.subarray(0, told))
    const known = head.reduce((sum, piece) => sum + piece.length, 0)
    if (!LogFrame.begins(joinedBytes(head, known))) held = []
  }

  const finish = (ended: boolean): RawLine => {
    const bytes = size === 0 ? new Uint8Array() : held.length === 0 ? undefined : joinedBytes(held, size)
    const to = from + size + (ended ? 1 : 0)
    const line = { number, from, to, bytes, ended }
    number++
    from = to
    size = 0
    held = []
    return line
  }

  return {
    push: (chunk) => {
      const lines: Array<RawLine> = []
      for (let at = 0; at < chunk.length;) {
        const end = chunk.indexOf(LogFrame.lineEnd, at)
        if (end === -1) {
          take(chunk.subarray(at))
          break
        }
        if (end > at) take(chunk.subarray(at, end))
        lines.push(finish(true))
        at = end + 1
      }
      return lines
    },
    end: () => (size === 0 ? undefined : finish(false))
  }
}
