// Files of the downloaded packages as plain text, and random numbers that are the same in every run.
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as zlib from "node:zlib"
import { cache } from "./sources.mjs"

export const hash = (text) => createHash("md5").update(text).digest().readUInt32LE(0)

/** Numbers in [0, 1), by the generator of Park and Miller. */
export const randomFrom = (seed) => {
  let state = (seed % 2147483646) + 1
  return () => (state = (state * 48271) % 2147483647) / 2147483647
}

function* walk(folder) {
  const entries = fs.existsSync(folder) ? fs.readdirSync(folder, { withFileTypes: true }) : []
  for (const entry of entries) {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) yield* walk(file)
    else if (entry.isFile()) yield file
  }
}

/** Some of a package's files whose path below the package's folder matches: the same ones in every run. */
export const filesOf = (kind, name, pattern, limit) => {
  const folder = path.join(cache, kind, name)
  return [...walk(folder)]
    .filter((file) => pattern.test(file.slice(folder.length)))
    .map((file) => ({ file, order: hash(file.slice(cache.length)) }))
    .sort((a, b) => a.order - b.order)
    .slice(0, limit)
    .map(({ file }) => file)
}

export const read = (file) => {
  const bytes = fs.readFileSync(file)
  return (file.endsWith(".gz") ? zlib.gunzipSync(bytes) : bytes).toString("utf8")
}

const entities = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " }

/** The text of a page, without its markup. */
export const pageText = (html) =>
  html
    .replace(/<(script|style|head)[\s\S]*?<\/\1>/gi, "")
    .replace(/<\/(p|div|li|h\d|tr|dt|dd|title|section)>/gi, "\n")
    .replace(/<[^>]+>/g, "")
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name) => entities[name])
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/[ \t]*\n[ \t]*/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/[ \t]{2,}/g, " ")
    .trim()

/** The text of a manual page, without its macros. */
export const manualText = (roff) =>
  roff
    .split("\n")
    .filter((line) => !/^[.']/.test(line) || /^\.(SH|SS|B|I|BR|IP|TP)\b/.test(line))
    .map((line) => line.replace(/^\.(SH|SS|B|I|BR|IP|TP)\s*/, "").replace(/\\f[BIRP]|\\&|\\\|/g, ""))
    .map((line) => line.replace(/\\-/g, "-").replace(/\\\(em/g, "—"))
    .join("\n")

/** The lines that are mostly of one script: an untranslated paragraph says nothing about the language. */
export const mostly = (script) => (text) =>
  text
    .split("\n")
    .filter((line) => {
      const own = line.match(script)?.length ?? 0
      const latin = line.match(/[A-Za-z]/g)?.length ?? 0
      return own > 4 && own > 0.6 * (own + latin)
    })
    .join("\n")

/** The translations in a compiled message catalogue. */
export const catalogueText = (file) => {
  const bytes = fs.readFileSync(file)
  if (bytes.readUInt32LE(0) !== 0x950412de) return ""
  const texts = []
  for (let i = 1; i < bytes.readUInt32LE(8); i++) {
    const row = bytes.readUInt32LE(16) + 8 * i
    const start = bytes.readUInt32LE(row + 4)
    texts.push(bytes.toString("utf8", start, start + bytes.readUInt32LE(row)).replaceAll("\0", "\n"))
  }
  return texts.join("\n")
}
