// What the investigations are written with: calls of the tools, places in files that are looked up when the recorder runs
// (since the repository grows), and what can be said about a result.
import { basename } from "node:path"
import { lines } from "./tools.mjs"

const sources = lines("git ls-files 'src/*.ts'")
export const find = (name) => sources.find((path) => basename(path) === name) ?? `src/${name}`
export const design = "docs/design.md"
const headings = lines(`grep -n '^## ' ${design}`)
export const section = (title) => {
  const index = headings.findIndex((line) => line.toLowerCase().includes(title))
  const at = (line) => Number((line ?? "1:").split(":")[0])
  const from = index === -1 ? 1 : at(headings[index])
  return {
    path: design,
    from,
    to: index === -1 || index + 1 >= headings.length ? from + 60 : at(headings[index + 1]) - 1
  }
}
const lineOf = (path, pattern) => Number((lines(`grep -nE '${pattern}' ${path}`)[0] ?? "1:").split(":")[0]) || 1
export const around = (path, pattern, before, after) => {
  const line = lineOf(path, pattern)
  return { path, from: Math.max(1, line - before), to: line + after }
}
export const count = (text) => text.split("\n").filter((line) => line !== "").length
export const last = (results) => results.at(-1) ?? ""
export const failed = (text) => /\[exit code/u.test(text)
export const run = (command) => ["run", { command }]
export const read = (place) => ["read_file", place]
export const search = (pattern, path) => ["search", { pattern, path }]
export const list = (path) => ["list_files", { path }]
