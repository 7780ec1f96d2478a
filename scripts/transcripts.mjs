// Every file of ../shared/transcripts through the commands that people run on a session file: inspect, compact without a
// model in a window of 32,000 tokens, with its output read again, and simulate in the same window. Exits 1 where one ends in
// another way than with its report; skips where there are no files. Words of the command line choose files by their path.
import Table from "cli-table3"
import { spawnSync } from "node:child_process"
import { buildSync } from "esbuild"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleCommand } from "./bundle.mjs"

const root = ["../../shared/transcripts/", "../../../shared/transcripts/"]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path))
if (root === undefined) {
  console.log("npm run transcripts: skipped, since shared/transcripts is not beside this checkout")
  process.exit(0)
}

const window = 32_000
const chosen = process.argv.slice(2)
const names = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => readdirSync(join(root, name)).map((file) => `${name}/${file}`))
  .filter((name) => chosen.length === 0 || chosen.some((word) => name.includes(word)))

const folder = mkdtempSync(join(tmpdir(), "effect-compaction-transcripts-"))
const command = join(folder, "effect-compaction.mjs")
await bundleCommand(command)
const { text } = buildSync({ entryPoints: ["src/formats/index.ts"], bundle: true, format: "esm", write: false })
  .outputFiles[0]
const { Formats } = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`)

const run = (...words) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [command, ...words], {
    encoding: "utf8",
    maxBuffer: 1 << 30
  })
  const sentence = stderr.trim().split("\n").at(-1) ?? ""
  return { status, stdout, sentence: sentence.replace(/^effect-compaction: /u, "") }
}

const say = (value) => Math.round(value).toLocaleString("en-US")

/** What a command ended with where that is not its report. */
const failure = ({ sentence, status }) => ({ failed: true, said: `exit ${status}: ${sentence.slice(0, 60)}` })

/** A word where the report is there; what it is, the command's own tests know. */
const reported = (ended, tell) => {
  if (ended.status !== 0) return failure(ended)
  try {
    return { failed: false, said: tell(JSON.parse(ended.stdout)) }
  } catch (error) {
    return { failed: true, said: `no report: ${error.message.slice(0, 50)}` }
  }
}

/** Calls without their result behind them, and results without their call, looked for in another way than the library does. */
const unpaired = (messages) => {
  let open = []
  let wrong = 0
  for (const { content, role } of messages) {
    if (role !== "tool") wrong += open.length
    if (role !== "tool") open = content.filter(({ type }) => type === "tool-call").map(({ id }) => id)
    for (const { id } of content.filter(({ type }) => type === "tool-result")) if (open.shift() !== id) wrong++
  }
  return wrong + open.length
}

const compacted = (path) => {
  const out = join(folder, "out")
  rmSync(out, { force: true })
  const ended = run("compact", path, "--no-model", "--window", `${window}`, "--out", out, "--json")
  if (ended.status !== 0 && ended.status !== 3) return failure(ended)
  const { after, before, outFormat, sessions } = JSON.parse(ended.stdout)
  const read = Formats.decode(readFileSync(out, "utf8"), { format: outFormat, history: "last-seen" })
  if (read._tag === "Left") return { failed: true, said: `not read again: ${read.left.message.slice(0, 40)}` }
  const wrong = read.right.sessions.reduce((sum, { messages }) => sum + unpaired(messages), 0)
  const largest = Math.max(...sessions.map(({ after }) => after.tokens))
  const missed = sessions.filter(({ reached }) => !reached)
  const fits = missed.length === 0 && largest < window
  return {
    failed: wrong > 0 || (!fits && missed.some(({ reason }) => reason === null)),
    said: [
      `${say(before.tokens)} → ${say(after.tokens)}`,
      sessions.length === 1 ? "" : ` in ${sessions.length}`,
      wrong === 0 ? ", pairs whole" : `, ${wrong} PAIRS BROKEN`,
      fits ? "" : `, too large: ${missed[0]?.reason ?? "NO REASON"}`
    ].join(""),
    outFormat
  }
}

/** Where not even the system prompt fits, a simulation says so and has nothing to drive. */
const simulated = (path) => {
  const ended = run("simulate", path, "--window", `${window}`, "--json")
  if (ended.status === 2 && /cannot hold the system prompt/u.test(ended.sentence)) {
    return { failed: false, said: ended.sentence.slice(0, 60) }
  }
  return reported(
    ended,
    ({ variants: [only] }) =>
      `${say(only.answered)} of ${say(only.recorded)} answers, ${say(only.summaries)} summaries, ${say(only.overflows)} overflows`
  )
}

const table = new Table({
  head: ["file", "inspect", `compact --no-model --window ${window}`, "written as", "simulate"],
  style: { head: [], border: [], compact: true }
})
let failures = 0
for (const name of names) {
  const path = join(root, name)
  const inspected = reported(run("inspect", path, "--json"), ({ sessions }) =>
    Array.isArray(sessions) ? `${sessions.length} session${sessions.length === 1 ? "" : "s"}` : "a report"
  )
  const columns = [inspected, compacted(path), simulated(path)]
  failures += columns.filter(({ failed }) => failed).length
  process.stderr.write(`${name}: ${columns.map(({ said }) => said).join(" | ")}\n`)
  table.push([name, columns[0].said, columns[1].said, columns[1].outFormat ?? "", columns[2].said])
}
rmSync(folder, { recursive: true, force: true })
console.log(table.toString())
console.log(
  failures === 0
    ? `${names.length} files went through all three commands`
    : `${failures} commands ended in another way than with their report`
)
process.exit(failures === 0 ? 0 : 1)
