// Shows what each line of docs/acceptance.md (or, with `faults`, of docs/faults.md) rests on: number, test, passed. Runs the
// tests whose names carry a mark. `--from FILE` reads a report of vitest's JSON reporter in their place, `--allow-todo`
// forgives lines that wait. Exits 1 if a line has no passing test, or a test names a line that does not exist.
import Table from "cli-table3"
import { buildSync } from "esbuild"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { parseArgs } from "node:util"

const { text } = buildSync({ entryPoints: ["test/acceptance/lines.ts"], bundle: true, format: "esm", write: false })
  .outputFiles[0]
const { marksIn, read } = await import(`data:text/javascript,${encodeURIComponent(text)}`)

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { from: { type: "string" }, "allow-todo": { type: "boolean", default: false } }
})
const faults = positionals[0] === "faults"
const lines = read(readFileSync(faults ? "docs/faults.md" : "docs/acceptance.md", "utf8"))
const known = new Set(
  ["docs/acceptance.md", "docs/faults.md"].flatMap((path) => read(readFileSync(path, "utf8"))).map(({ mark }) => mark)
)

const isOurs = new Map(lines.map((line) => [line.mark, line]))

/** Every finished test as its whole name and how it ended. */
const runMarked = () => {
  const files = ["test", "examples"].flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .map((name) => `${folder}/${name}`)
      .filter(
        (path) => path.endsWith(".test.ts") && marksIn(readFileSync(path, "utf8")).some((mark) => isOurs.has(mark))
      )
  )
  const folder = mkdtempSync(`${tmpdir()}/acceptance-`)
  const report = `${folder}/report.json`
  const pattern = faults ? "\\[[^\\]]*[A-Z]-\\d" : "\\[[^\\]]*\\b[AP]\\d"
  spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", ...files, "-t", pattern, "--reporter", "json", "--outputFile", report],
    { stdio: ["ignore", "ignore", "inherit"] }
  )
  try {
    return readFileSync(report, "utf8")
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const { testResults } = JSON.parse(values.from === undefined ? runMarked() : readFileSync(values.from, "utf8"))
const shown = new Map()
const unknown = []
for (const { fullName, status } of testResults.flatMap(({ assertionResults }) => assertionResults)) {
  if (status === "pending" || status === "skipped" || status === "todo") continue
  for (const mark of marksIn(fullName)) {
    if (!known.has(mark)) unknown.push(`${mark} in "${fullName}"`)
    shown.set(mark, [...(shown.get(mark) ?? []), { name: fullName, passed: status === "passed" }])
  }
}

const verdictOf = ({ mark, note, status }) => {
  const tests = shown.get(mark) ?? []
  if (status !== "test") return { text: note, passed: status, ok: status !== "waits" || values["allow-todo"] }
  const passed = tests.length > 0 && tests.every((test) => test.passed)
  const names = tests.map(({ name, passed }) => `${passed ? "" : "FAILED: "}${name}`)
  return { text: names.length === 0 ? "no test" : names.join("\n"), passed: passed ? "yes" : "no", ok: passed }
}
const rows = lines.map((line) => ({ ...line, verdict: verdictOf(line) }))
const count = (list, wanted) => list.filter(({ verdict }) => verdict.passed === wanted).length

const width = Math.max((process.stdout.columns ?? 150) - 38, 60)
const table = new Table({
  head: [faults ? "fault" : "line", "test", "passed"],
  wordWrap: true,
  colWidths: [16, width, 12]
})
for (const { mark, verdict } of rows) table.push([mark, verdict.text, verdict.passed])
console.log(table.toString())

/** Node 20 has no Map.groupBy. */
const byKind = () => {
  const groups = new Map()
  for (const row of rows) {
    const kind = row.mark.replace(/-.*/, "")
    groups.set(kind, [...(groups.get(kind) ?? []), row])
  }
  return groups
}

if (faults) {
  const kinds = new Table({ head: ["kind", "scenarios", "tested", "later", "not here", "waiting", "failing"] })
  for (const [kind, ofKind] of byKind()) {
    kinds.push([
      kind,
      ofKind.length,
      ...["yes", "later", "not here", "waits", "no"].map((wanted) => count(ofKind, wanted))
    ])
  }
  console.log(kinds.toString())
}

const sum = ["yes", "later", "not here", "waits", "no"].map((wanted) => count(rows, wanted))
console.log(
  `${rows.length} lines: ${sum[0]} shown by tests, ${sum[1]} with a later part, ${sum[2]} not here, ${sum[3]} waiting, ${sum[4]} not shown`
)
for (const slip of unknown) console.error(`no such line: ${slip}`)
process.exitCode = unknown.length === 0 && rows.every(({ verdict }) => verdict.ok) ? 0 : 1
