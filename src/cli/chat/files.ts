/**
 * What the chat's tools do with files: read, list, search and edit, each bounded.
 *
 * @since 0.1.0
 */
import { structuredPatch } from "diff"
import * as Effect from "effect/Effect"
import { extname, join } from "node:path"
import * as CodePoints from "../../compaction/CodePoints.ts"
import * as Folder from "./folder.ts"
import * as Say from "../say.ts"

/** Bytes of a file that a tool looks at, code points that it answers, and how many entries or hits. */
const limits = { bytes: 8 * 1024 * 1024, answer: 24_000, line: 400, entries: 400, hits: 100, lines: 600 } as const

interface Text {
  readonly text: string
  readonly version: Folder.Version
  /** bytes of the file beyond those that were read */
  readonly beyond: number
}

const refuse = (message: string) => Effect.fail(new Folder.PathRefused({ message }))

const decode = (bytes: Uint8Array, isWhole: boolean): string | undefined => {
  if (bytes.subarray(0, 8192).includes(0)) return undefined
  try {
    // a character that the limit cut in two is no sign of anything
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isWhole })
  } catch {
    return undefined
  }
}

/** A file's text; a file that is no text is told as what it is. */
const readText = (folder: Folder.Folder, path: string, given: string): Effect.Effect<Text, Folder.PathRefused> =>
  Effect.gen(function* () {
    const { handle, version } = yield* Folder.open(folder, path, given)
    const size = Number(version.size)
    const buffer = new Uint8Array(Math.min(size, limits.bytes))
    let filled = 0
    while (filled < buffer.length) {
      const { bytesRead } = yield* Effect.tryPromise({
        try: () => handle.read(buffer, filled, buffer.length - filled, filled),
        catch: (error) => new Folder.PathRefused({ message: `${given}: ${String(error)}` })
      })
      if (bytesRead === 0) break
      filled += bytesRead
    }
    const bytes = buffer.subarray(0, filled)
    const text = decode(bytes, size <= limits.bytes)
    if (text === undefined) {
      const kind = extname(path) === "" ? "" : ` (${extname(path)})`
      return yield* refuse(`${given} is a binary file${kind} of ${Say.whole(size)} bytes, and holds no text to show`)
    }
    return { text, version, beyond: Math.max(0, size - limits.bytes) }
  }).pipe(Effect.scoped)

const clipLine = (line: string) =>
  CodePoints.exceeds(line, limits.line) ? `${CodePoints.clip(line, limits.line)} […]` : line

/**
 * Lines of a file, with their numbers. `from` is the first, 1 by default; `lines` how many, 600 at most.
 *
 * @since 0.1.0
 * @category combinators
 */
export const read = Effect.fnUntraced(function* (
  folder: Folder.Folder,
  { from = 1, lines: most = limits.lines, path: given }: ReadArguments
) {
  const { beyond, text } = yield* readText(folder, yield* Folder.existing(folder, given), given)
  if (text === "") return `${given} is empty`
  const all = text.endsWith("\n") ? text.slice(0, -1).split("\n") : text.split("\n")
  if (from > all.length) return yield* refuse(`${given} has ${all.length} lines, and none with the number ${from}`)
  const shown: Array<string> = []
  let size = 0
  for (const line of all.slice(from - 1, from - 1 + Math.min(most, limits.lines))) {
    const next = `${from + shown.length}\t${clipLine(line)}`
    size += next.length
    if (size > limits.answer && shown.length > 0) break
    shown.push(next)
  }
  const last = from - 1 + shown.length
  const rest = all.length - last
  return [
    ...shown,
    ...(rest > 0 ? [`[${Say.whole(rest)} more lines: read on from ${last + 1}]`] : []),
    ...(beyond > 0 ? [`[only the first ${Say.whole(limits.bytes)} bytes of the file are looked at]`] : [])
  ].join("\n")
})

/**
 * @since 0.1.0
 * @category models
 */
export interface ReadArguments {
  readonly path: string
  readonly from?: number
  readonly lines?: number
}

const kindOf = (entry: { isDirectory(): boolean; isSymbolicLink(): boolean }) =>
  entry.isDirectory() ? "/" : entry.isSymbolicLink() ? " (link)" : ""

/** What nobody means who asks for everything. */
const heavy: ReadonlyArray<string> = [".git", "node_modules"]

/** Walks a folder from the top, names in order, without following links; stops when `visit` says so. */
const walk = Effect.fnUntraced(function* (
  folder: Folder.Folder,
  top: string,
  given: string,
  visit: (
    path: string,
    entry: { readonly kind: "file" | "folder" | "other"; readonly shown: string }
  ) => Effect.Effect<boolean>
) {
  const waiting = [top]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const name = path === top ? given : Folder.shortName(folder, path)
    const found =
      path === top
        ? yield* Folder.entries(folder, path, name)
        : yield* Effect.orElseSucceed(Folder.entries(folder, path, name), () => [])
    const folders: Array<string> = []
    for (const entry of found) {
      const child = join(path, entry.name)
      const kind = entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other"
      const goOn = yield* visit(child, { kind, shown: `${Folder.shortName(folder, child)}${kindOf(entry)}` })
      if (!goOn) return
      if (kind === "folder" && !heavy.includes(entry.name)) folders.push(child)
    }
    waiting.push(...folders.toReversed())
  }
})

/**
 * The entries of a folder, or of all folders in it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const list = Effect.fnUntraced(function* (
  folder: Folder.Folder,
  { path: given = ".", recursive = false }: { readonly path?: string; readonly recursive?: boolean }
) {
  const top = yield* Folder.existing(folder, given)
  const shown: Array<string> = []
  let more = false
  if (recursive) {
    yield* walk(folder, top, given, (_, entry) =>
      Effect.sync(() => {
        more = shown.length >= limits.entries
        if (!more) shown.push(entry.shown)
        return !more
      })
    )
  } else {
    const found = yield* Folder.entries(folder, top, given)
    more = found.length > limits.entries
    shown.push(...found.slice(0, limits.entries).map((entry) => `${entry.name}${kindOf(entry)}`))
  }
  if (shown.length === 0) return `${given} is empty`
  return [...shown, ...(more ? [`[and more: only ${limits.entries} are shown; list a folder of them]`] : [])].join("\n")
})

/**
 * The lines that hold a text, as `file:line: text`. Binary files, links, `.git` and `node_modules` are left out.
 *
 * @since 0.1.0
 * @category combinators
 */
export const search = Effect.fnUntraced(function* (
  folder: Folder.Folder,
  {
    ignoreCase = false,
    path: given = ".",
    text
  }: { readonly text: string; readonly path?: string; readonly ignoreCase?: boolean }
) {
  if (text === "") return yield* refuse("search needs a text to look for")
  const folded = (line: string) => (ignoreCase ? line.toLowerCase() : line)
  const wanted = folded(text)
  const top = yield* Folder.existing(folder, given)
  const hits: Array<string> = []
  const inFile = Effect.fnUntraced(function* (path: string, name: string) {
    const read = yield* Effect.option(readText(folder, path, name))
    if (read._tag === "None" || !folded(read.value.text).includes(wanted)) return true
    for (const [index, line] of read.value.text.split("\n").entries()) {
      if (!folded(line).includes(wanted)) continue
      if (hits.length >= limits.hits) return false
      hits.push(`${name}:${index + 1}: ${clipLine(line.trim())}`)
    }
    return true
  })
  const isWhole = yield* Effect.option(Folder.open(folder, top, given)).pipe(
    Effect.scoped,
    Effect.flatMap((file) => (file._tag === "Some" ? inFile(top, given) : Effect.succeed(undefined)))
  )
  let whole = isWhole ?? true
  if (isWhole === undefined) {
    yield* walk(folder, top, given, (path, { kind }) =>
      kind === "file"
        ? Effect.tap(inFile(path, Folder.shortName(folder, path)), (goOn) => Effect.sync(() => void (whole = goOn)))
        : Effect.succeed(true)
    )
  }
  if (hits.length === 0) return `no line holds ${JSON.stringify(text)}`
  return CodePoints.clip(
    [...hits, ...(whole ? [] : [`[and more: only ${limits.hits} are shown]`])].join("\n"),
    limits.answer
  )
})

/**
 * What changed in a file: for the model how much, for a person which lines.
 *
 * @since 0.1.0
 * @category models
 */
export interface Change {
  readonly told: string
  /** lines that begin with `+`, `-`, a blank or `@@` */
  readonly lines: ReadonlyArray<string>
}

const shownLines = 60

const changeOf = (name: string, before: string | undefined, after: string): Change => {
  // what takes long to compare is told by its size alone
  const patch = structuredPatch(name, name, before ?? "", after, "", "", { context: 2, timeout: 500 })
  const lines = (patch?.hunks ?? []).flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines.map(clipLine)
  ])
  const number = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  const what = before === undefined ? "made" : "changed"
  return {
    told: patch === undefined ? `${what} ${name}` : `${what} ${name} (+${number("+")} -${number("-")} lines)`,
    lines: lines.length > shownLines ? [...lines.slice(0, shownLines), `… ${lines.length - shownLines} more`] : lines
  }
}

/**
 * Puts a text in the place of another, which must stand in the file exactly once.
 *
 * @since 0.1.0
 * @category combinators
 */
export const edit = Effect.fnUntraced(function* (
  folder: Folder.Folder,
  { path: given, put, replace }: { readonly path: string; readonly replace: string; readonly put: string }
) {
  const { beyond, text, version } = yield* readText(folder, yield* Folder.existing(folder, given), given)
  if (beyond > 0) return yield* refuse(`${given} is too large to be edited`)
  const at = text.indexOf(replace)
  if (replace === "" || at === -1) {
    return yield* refuse(`${given} does not hold the text to replace; read it, and give the text exactly as it stands`)
  }
  if (text.indexOf(replace, at + 1) !== -1) {
    return yield* refuse(`${given} holds the text to replace more than once; give more of what stands around it`)
  }
  const after = text.slice(0, at) + put + text.slice(at + replace.length)
  yield* Folder.write(folder, given, after, version)
  return changeOf(given, text, after)
})

/**
 * Writes a file whole, a new one or one that is there.
 *
 * @since 0.1.0
 * @category combinators
 */
export const write = Effect.fnUntraced(function* (
  folder: Folder.Folder,
  { path: given, text }: { readonly path: string; readonly text: string }
) {
  const there = yield* Effect.either(Folder.existing(folder, given))
  if (there._tag === "Left") {
    yield* Folder.write(folder, given, text, undefined)
    return changeOf(given, undefined, text)
  }
  const before = yield* readText(folder, there.right, given)
  yield* Folder.write(folder, given, text, before.version)
  return changeOf(given, before.beyond > 0 ? undefined : before.text, text)
})
