/**
 * Lines out of bytes that come in pieces, as files and pipes give them.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export interface Splitter {
  /** the lines that are whole with these bytes, without their line breaks */
  readonly push: (bytes: Uint8Array) => ReadonlyArray<string>
  /** what stands behind the last line break, if anything does */
  readonly end: () => string | undefined
}

/**
 * UTF-8, whatever way it is cut into pieces; a mark at its beginning is left out, and bytes that are no UTF-8 become
 * U+FFFD. A carriage return before the line break stays with the line. A line may be as long as a string may be.
 *
 * @since 0.1.0
 * @category constructors
 */
export const splitter = (): Splitter => {
  const decoder = new TextDecoder()
  let open: Array<string> = []

  const split = (text: string): ReadonlyArray<string> => {
    const lines: Array<string> = []
    let start = 0
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      const piece = text.slice(start, end)
      lines.push(open.length === 0 ? piece : open.join("") + piece)
      open = []
      start = end + 1
    }
    if (start < text.length) open.push(text.slice(start))
    return lines
  }

  return {
    push: (bytes) => split(decoder.decode(bytes, { stream: true })),
    end: () => {
      split(decoder.decode())
      return open.length === 0 ? undefined : open.join("")
    }
  }
}
