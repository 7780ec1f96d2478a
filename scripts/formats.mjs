// Reads each file of ../shared/transcripts with the decoders, and sets the messages, calls and results found beside what the
// format's description says and what jq or awk counts. Exits 1 where they do not agree; skips where there are no files.
import Table from "cli-table3"
import { buildSync } from "esbuild"
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { counting } from "./formats/counted.mjs"
import { described } from "./formats/described.mjs"

const root = ["../../shared/transcripts/", "../../../shared/transcripts/"]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path))
if (root === undefined) {
  console.log("npm run formats: skipped, since shared/transcripts is not beside this checkout")
  process.exit(0)
}

const { text } = buildSync({ entryPoints: ["src/formats/index.ts"], bundle: true, format: "esm", write: false })
  .outputFiles[0]
const { Formats, Pairs } = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`)

const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .toSorted()

const sources = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name: format }) =>
    readdirSync(root + format).map((name) => {
      const path = `${root}${format}/${name}`
      const paths = statSync(path).isDirectory() ? filesIn(path) : [path]
      const files = paths.map((file) => ({ name: file.slice(path.length + 1), text: readFileSync(file, "utf8") }))
      return {
        format,
        name: `${format}/${name}`,
        paths,
        source: statSync(path).isDirectory() ? files : files[0].text,
        files
      }
    })
  )

// where each request holds the conversation so far, what the model saw last is what the newest one says
const wholeRequests = new Set(["openhands-llm-log", "swe-agent-llm-log"])

const foundIn = (format, source) => {
  const decoded = Formats.decode(source, wholeRequests.has(format) ? { history: "last-seen" } : {})
  if (decoded._tag === "Left") return { problem: decoded.left.message }
  const { format: name, sessions } = decoded.right
  const messages = sessions.flatMap((session) => session.messages)
  const blocks = (type) => messages.flatMap(({ content }) => content.filter((block) => block.type === type))
  const invented = ({ content }) => content.length === 1 && content[0].text === Pairs.missingResult
  return {
    ...(name === format ? {} : { problem: `it was read as ${name}` }),
    messages: messages.filter(({ role }) => role !== "tool").length,
    calls: blocks("tool-call").length,
    results: blocks("tool-result").filter((block) => !invented(block)).length
  }
}

const otherwise = (format, paths) => {
  const [command, given] = counting(format, paths)
  const { error, status, stderr, stdout } = spawnSync(command, given, { encoding: "utf8", maxBuffer: 1 << 28 })
  if (error?.code === "ENOENT") return { missing: command }
  return status === 0
    ? { by: command, ...JSON.parse(stdout) }
    : { problem: `${command}: ${stderr.trim().slice(0, 200)}` }
}

const kinds = ["messages", "calls", "results"]
const same = (a, b) => kinds.every((kind) => a[kind] === b[kind])

const table = new Table({
  head: ["file", "messages", "calls", "results", "as described", "counted by", "agree"],
  style: { head: [], border: [], compact: true }
})
const totals = { messages: 0, calls: 0, results: 0 }
const disagreeing = []
const missing = new Set()
for (const { files, format, name, paths, source } of sources) {
  const found = foundIn(format, source)
  const rule = described[format]
  const expected = rule === undefined ? { problem: "no rule" } : rule(...files.map((file) => file.text))
  const other = rule === undefined ? { problem: "no count" } : otherwise(format, paths)
  if (other.missing !== undefined) missing.add(other.missing)
  const agree =
    [found, expected, other].every(({ problem }) => problem === undefined) &&
    same(found, expected) &&
    (other.missing !== undefined || same(found, other))
  for (const kind of kinds) totals[kind] += found[kind] ?? 0
  const figures = (of) =>
    of.missing === undefined && of.problem === undefined ? kinds.map((kind) => of[kind]).join(" / ") : "–"
  table.push([
    name,
    ...kinds.map((kind) => found[kind] ?? "–"),
    figures(expected),
    other.by === undefined ? figures(other) : `${other.by}: ${figures(other)}`,
    agree ? "yes" : "NO"
  ])
  const problems = [found, expected, other].flatMap(({ problem }) => problem ?? [])
  if (!agree) disagreeing.push([name, ...problems].join(": "))
}
console.log(table.toString())
for (const command of missing) console.log(`${command} is not on this machine; its column was not counted`)
for (const problem of disagreeing) console.log(`does not agree: ${problem}`)
const { calls, messages, results } = totals
console.log(
  `${sources.length} sources: ${messages} messages, ${calls} calls, ${results} results; ${disagreeing.length} disagree`
)
process.exit(disagreeing.length === 0 ? 0 : 1)
