// Breaks the core on purpose, one break after the other, each in a copy of its own, and shows which property catches it.
// `npm run mutants -- I03` takes those of one promise; any other word takes those whose name holds it.
import { buildSync } from "esbuild"
import Table from "cli-table3"
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { resolve } from "node:path"

const { text } = buildSync({
  entryPoints: ["test/mutants/mutants.ts"],
  bundle: true,
  format: "esm",
  write: false
}).outputFiles[0]
const { mutants } = await import(`data:text/javascript,${encodeURIComponent(text)}`)
const words = process.argv.slice(2)
const chosen = mutants.filter(
  ({ id, promises }) => words.length === 0 || words.some((word) => promises.includes(word) || id.includes(word))
)

/** Puts the edits into a copy; why not, where a text does not stand there exactly once. */
const apply = (root, edits) => {
  for (const { file, replace, search } of edits) {
    const parts = readFileSync(`${root}/${file}`, "utf8").split(search)
    if (parts.length !== 2) return `${file} holds its text ${parts.length - 1} times`
    writeFileSync(`${root}/${file}`, parts.join(replace))
  }
  return undefined
}

/** The first property that failed; a run that found no test, or could not load the code, catches nothing. */
const caughtBy = (root, test) => {
  const run = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", test, "--bail", "1", "--reporter", "json"],
    { cwd: root, encoding: "utf8", env: { ...process.env, PROPERTY_SHRINK: "no" }, maxBuffer: 1e9 }
  )
  const report = /^\{"num.*$/mu.exec(run.stdout)
  if (report === null) {
    // nothing ran: that says nothing of the mutant
    console.error(`${test} did not run:\n${run.stderr || run.stdout}`)
    process.exit(2)
  }
  const { testResults } = JSON.parse(report[0])
  return testResults.flatMap(({ assertionResults }) => assertionResults).find(({ status }) => status === "failed")
    ?.title
}

const root = mkdtempSync(`${tmpdir()}/mutants-`)
process.on("exit", () => rmSync(root, { recursive: true, force: true }))
for (const name of ["test", "examples", "scripts", "package.json", "tsconfig.json", "vitest.config.ts"]) {
  cpSync(name, `${root}/${name}`, { recursive: true })
}
symlinkSync(resolve("node_modules"), `${root}/node_modules`)

const table = new Table({
  head: ["mutant", "promise", "caught by", "caught"],
  wordWrap: true,
  colWidths: [44, 9, 70, 8]
})
let survived = 0
for (const { edits, id, promises, tests } of chosen) {
  rmSync(`${root}/src`, { recursive: true, force: true })
  cpSync("src", `${root}/src`, { recursive: true })
  const stale = apply(root, edits)
  for (const [i, test] of tests.entries()) {
    const caught = stale === undefined ? caughtBy(root, test) : undefined
    if (caught === undefined) survived++
    table.push([id, promises[i], caught ?? stale ?? "nothing", caught === undefined ? "no" : "yes"])
    console.error(`${caught === undefined ? "SURVIVED" : "caught"}: ${id} (${promises[i]})`)
  }
}
console.log(table.toString())
process.exitCode = survived === 0 && chosen.length > 0 ? 0 : 1
