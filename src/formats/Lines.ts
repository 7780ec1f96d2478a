/**
 * Lines out of bytes that come in pieces, as files and pipes give them.
 *
 * @since 0.1.0
 */
import { joinedBytes } from "../session/joinedBytes.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Splitter {
  /**
   * The lines that are whole with these bytes, without their line breaks. Each is decoded when it is asked for, so that of all of
   * them one is in memory: they have to be gone through to the last before the next bytes are given.
   */
  readonly push: (bytes: Uint8Array) => Iterable<string>
  /** what stands behind the last line break, if anything does */
  readonly end: () => string | undefined
}

const lineBreak = 0x0a
const mark = "\ufeff"

/**
 * UTF-8, whatever way it is cut into pieces; a mark at its beginning is left out, and bytes that are no UTF-8 become
 * U+FFFD. A carriage return before the line break stays with the line. A line may be as long as a string may be.
 *
 * @since 0.1.0
 * @category constructors
 */
export const splitter = (): Splitter => {
  // each line is decoded by itself: whole texts take an engine's fast way, and a line of ASCII half the memory
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let open: Array<Uint8Array> = []
  let openSize = 0
  let first = true

  const decoded = (bytes: Uint8Array): string => {
    const line = decoder.decode(open.length === 0 ? bytes : joinedBytes([...open, bytes], openSize + bytes.length))
    open = []
    openSize = 0
    const marked = first && line.startsWith(mark)
    first = false
    return marked ? line.slice(mark.length) : line
  }

  return {
    *push(bytes) {
      let start = 0
      for (let end = bytes.indexOf(lineBreak); end !== -1; end = bytes.indexOf(lineBreak, start)) {
        yield decoded(bytes.subarray(start, end))
        start = end + 1
      }
      if (start === bytes.length) return
      // a copy, since who gives the bytes may write over them
      open.push(new Uint8Array(bytes.subarray(start)))
      openSize += bytes.length - start
    },
    end: () => {
      const rest = decoded(new Uint8Array(0))
      return rest === "" ? undefined : rest
    }
  }
}
