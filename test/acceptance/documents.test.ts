import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { marksIn, read } from "./lines.ts"

const root = new URL("../../", import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), "utf8")

const acceptance = read(textOf("docs/acceptance.md"))
const faults = read(textOf("docs/faults.md"))
const all = [...acceptance, ...faults]

const numbers = (letter: string, last: number) => Array.from({ length: last }, (_, i) => `${letter}${i + 1}`)

/** How many scenarios each kind of fault has. */
const scenarios = {
  SUMREQ: 12,
  PAIR: 12,
  LOOP: 13,
  FORGET: 9,
  MEASURE: 11,
  STALE: 9,
  WINDOW: 9,
  HEADROOM: 9,
  RACE: 7,
  CLASSIFY: 9,
  REASON: 6,
  BADSUM: 8,
  MEDIA: 7,
  GROW: 8,
  TRANSIENT: 7,
  SETTING: 5,
  CONTINUE: 5,
  RESUME: 6,
  SHAPE: 5,
  CACHECOST: 6,
  ATOMIC: 7,
  USAGE: 4,
  GIANT: 6,
  SUBAGENT: 4,
  SILENT: 3,
  CACHEACC: 5,
  SCRIPT: 3,
  UNICODE: 3
}

/** The marks that stand in the sources of tests, with the file that holds them. */
const marked = ["test", "examples"].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .flatMap((name) => marksIn(textOf(`${folder}/${name}`)).map((mark) => ({ mark, file: `${folder}/${name}` })))
)

const sorted = (marks: Iterable<string>) => [...marks].sort()

describe("docs/acceptance.md and docs/faults.md", () => {
  it("hold every line once", () => {
    assert.deepStrictEqual(
      sorted(acceptance.map(({ mark }) => mark)),
      sorted([...numbers("A", 150), ...numbers("P", 66)])
    )
    const kinds = Object.entries(scenarios).flatMap(([kind, last]) => numbers(`${kind}-`, last))
    const opposites = numbers("OPPOSITES-", 11).flatMap((pair) => [`${pair}a`, `${pair}b`])
    assert.deepStrictEqual(sorted(faults.map(({ mark }) => mark)), sorted([...kinds, ...opposites]))
  })

  it("say of each line that no test shows why, or what brings it", () => {
    for (const { mark, note, status } of all) if (status !== "test") assert.isAbove(note.length, 5, mark)
  })

  it("are marked in tests where they say so, and nowhere else", () => {
    const shown = new Set(marked.map(({ mark }) => mark))
    const without = all.filter(({ mark, status }) => status === "test" && !shown.has(mark)).map(({ mark }) => mark)
    assert.deepStrictEqual(without, [])
    const elsewhere = all.filter(({ mark, status }) => status !== "test" && shown.has(mark)).map(({ mark }) => mark)
    assert.deepStrictEqual(elsewhere, [])
  })

  it("know every mark that a test carries", () => {
    const known = new Set(all.map(({ mark }) => mark))
    assert.deepStrictEqual(
      marked.filter(({ file, mark }) => !known.has(mark) && file !== "test/acceptance/documents.test.ts"),
      []
    )
  })
})
