/**
 * Reads an object out of a text that is not quite JSON: a Python repr, what a console prints, JSON that was cut off.
 *
 * @since 0.1.0
 */

/**
 * `end` is where the text goes on behind the value; for a value that breaks off, or cannot be read further, it is the
 * text's end, since nobody can tell whose words the rest is.
 *
 * @since 0.1.0
 * @category models
 */
export interface Loose {
  readonly value: unknown
  readonly end: number
}

/** Deeper than any error, and far from the end of the stack. */
const maxDepth = 40

const space = /(?:\s|\\[nrt])*/y
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const name = /[A-Za-z_$@][\w$.@-]*/y
/** What may follow a brace for it to begin an object: a key, or nothing. */
const objectStart = /\{(?:\s|\\[nrt])*(?:\\?["'`]|\}|[A-Za-z_$][\w$]{0,60}\s*:\s)/y
const listStart = /\[(?:\s|\\[nrt])*\{/y

const constants: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
  undefined: undefined
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" }

const at = (pattern: RegExp, text: string, position: number): string | undefined => {
  pattern.lastIndex = position
  return pattern.exec(text)?.[0]
}

/** Thrown where the text is not what it began as. What was read until then counts. */
class BrokenOff extends Error {}

class Reader {
  readonly text: string
  position: number
  constructor(text: string, position: number) {
    this.text = text
    this.position = position
  }

  private skipSpace() {
    this.position += at(space, this.text, this.position)?.length ?? 0
  }

  private peek(): string | undefined {
    this.skipSpace()
    return this.text[this.position]
  }

  private take(pattern: RegExp): string | undefined {
    const found = at(pattern, this.text, this.position)
    this.position += found?.length ?? 0
    return found
  }

  /** A string may break off: its beginning is as good as the whole, so it is handed to `keep` before the text ends. */
  private string(keep: (text: string) => void): void {
    const quote = this.text[this.position++]
    let value = ""
    let from = this.position
    for (; this.position < this.text.length; this.position++) {
      const character = this.text[this.position]
      if (character === quote) {
        keep(value + this.text.slice(from, this.position++))
        return
      }
      if (character !== "\\") continue
      value += this.text.slice(from, this.position)
      const escape = this.text[++this.position] ?? ""
      const digits = escape === "u" ? 4 : escape === "x" ? 2 : 0
      const code = digits === 0 ? "" : this.text.slice(this.position + 1, this.position + 1 + digits)
      if (code.length === digits && /^[0-9a-f]+$/i.test(code)) {
        value += String.fromCharCode(Number.parseInt(code, 16))
        this.position += digits
      } else value += escapes[escape] ?? escape
      from = this.position + 1
    }
    keep(value + this.text.slice(from))
    throw new BrokenOff()
  }

  private value(depth: number, keep: (value: unknown) => void): void {
    const next = this.peek()
    if (next === undefined || depth > maxDepth) throw new BrokenOff()
    if (next === "{") return this.object(depth, keep)
    if (next === "[" || next === "(") return this.list(depth, next === "[" ? "]" : ")", keep)
    if (next === '"' || next === "'" || next === "`") return this.string(keep)
    const digits = this.take(number)
    if (digits !== undefined) return keep(Number(digits))
    const word = this.take(name)
    if (word === undefined) throw new BrokenOff()
    // Python's b'…', and the name of a class before what it holds
    const following = this.text[this.position]
    if (following === '"' || following === "'" || following === "(" || this.peek() === "{") {
      return this.value(depth + 1, keep)
    }
    keep(Object.hasOwn(constants, word) ? constants[word] : word)
  }

  private list(depth: number, close: string, keep: (value: unknown) => void): void {
    const items: Array<unknown> = []
    keep(items)
    this.position++
    while (this.peek() !== close) {
      this.value(depth + 1, (item) => items.push(item))
      if (this.peek() === ",") this.position++
      else if (this.peek() !== close) throw new BrokenOff()
    }
    this.position++
  }

  object(depth: number, keep: (value: unknown) => void): void {
    // no prototype: the text may name a field as it likes
    const fields: Record<string, unknown> = Object.create(null)
    keep(fields)
    this.position++
    while (this.peek() !== "}") {
      let key: string | undefined
      const next = this.peek()
      if (next === '"' || next === "'" || next === "`") this.string((text) => (key = text))
      else key = this.take(name) ?? this.take(number)
      if (key === undefined || this.peek() !== ":") throw new BrokenOff()
      const field = key
      this.position++
      this.value(depth + 1, (value) => (fields[field] = value))
      if (this.peek() === ",") this.position++
      else if (this.peek() !== "}") throw new BrokenOff()
    }
    this.position++
  }

  read(): Loose {
    let value: unknown
    const keep = (read: unknown) => {
      value = read
    }
    try {
      if (this.text[this.position] === "{") this.object(0, keep)
      else this.list(0, "]", keep)
      return { value, end: this.position }
    } catch (error) {
      if (error instanceof BrokenOff) return { value, end: this.text.length }
      throw error
    }
  }
}

/**
 * Whether an object, or a list of objects, begins here. A bracket in a sentence ("between [1, 8]", "the field {error}")
 * begins none.
 *
 * @since 0.1.0
 * @category predicates
 */
export const begins = (text: string, position: number): boolean =>
  at(text[position] === "{" ? objectStart : listStart, text, position) !== undefined

/**
 * Reads the object or list that begins at `position`, in time linear in its length. JSON inside a JSON string that nobody
 * decoded has a backslash before each quote; it is read as well.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = (text: string, position: number): Loose => {
  if (/^[[{](?:\s|\\[nrt])*\{?(?:\s|\\[nrt])*\\["']/.test(text.slice(position, position + 200))) {
    const plain = text.slice(position).replace(/\\(["'\\])/g, "$1")
    return { value: new Reader(plain, 0).read().value, end: text.length }
  }
  return new Reader(text, position).read()
}
