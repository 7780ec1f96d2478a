/**
 * Classifies errors, one a line, as they come in.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { judge, type Verdict } from "../../errors/classify.ts"
import * as Expected from "./expected.ts"
import * as ClassifyLine from "./line.ts"
import * as ClassifyTable from "./table.ts"
import { BadInput, RunFailed } from "../exitCode.ts"
import { readLines } from "../input.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Arguments {
  readonly file: string
  readonly json: boolean
  readonly expect: boolean
  readonly allow: string | undefined
}

const allowed = (allow: string | undefined, expect: boolean): Effect.Effect<number, BadInput> => {
  if (allow === undefined) return Effect.succeed(0)
  if (!expect) return Effect.fail(new BadInput({ message: "--allow needs --expect, which compares" }))
  return /^[0-9]{1,9}$/u.test(allow)
    ? Effect.succeed(Number(allow))
    : Effect.fail(new BadInput({ message: `--allow takes a whole number, and not "${allow}"` }))
}

const asJson = ({ limit, requested, row, tag, why }: Verdict): string =>
  JSON.stringify({ tag, limit: limit ?? null, requested: requested ?? null, row, why })

const asText = (id: string, { limit, requested, row, tag, why }: Verdict): string => {
  const figures = [
    ...(limit === undefined ? [] : [`limit ${limit}`]),
    ...(requested === undefined ? [] : [`requested ${requested}`])
  ]
  return `${id}: ${[tag, ...figures].join(", ")}: ${why}${row === null ? "" : ` (${row})`}`
}

const out = (text: string) => Effect.sync(() => void process.stdout.write(`${text}\n`))

/**
 * @since 0.1.0
 * @category constructors
 */
export const run = Effect.fnUntraced(function* ({ allow: given, expect, file, json }: Arguments) {
  const allow = yield* allowed(given, expect)
  const compared: Array<Expected.Compared> = []
  let apart = 0
  const name = file === "-" ? "stdin" : file
  const line = (text: string, number: number) =>
    Effect.gen(function* () {
      const read = ClassifyLine.read(text, number)
      const verdict = judge(read.evidence)
      if (json) yield* out(asJson(verdict))
      else if (!expect) yield* out(asText(read.id, verdict))
      if (!expect) return
      if (read.expected === undefined) {
        apart++
        return
      }
      const expected = Expected.kindOf(read.expected)
      if (expected === undefined) {
        return yield* new BadInput({
          message: `${name}, line ${number}: expected is ${JSON.stringify(read.expected)}, and none of ${Expected.kinds.map(([kind]) => kind).join(", ")}`
        })
      }
      compared.push(Expected.compare(read, expected, verdict))
    })
  yield* readLines(file, "errors").pipe(
    Stream.zipWithIndex,
    Stream.filter(([text]) => text.trim() !== ""),
    Stream.runForEach(([text, index]) => line(text, index + 1))
  )
  if (!expect) return
  if (compared.length === 0) {
    return yield* new BadInput({ message: `${name}: no line has a field expected to compare with` })
  }
  const table = ClassifyTable.render(compared, apart, allow)
  // stdout is the verdicts' where they are data
  yield* json ? Effect.sync(() => void process.stderr.write(`${table}\n`)) : out(table)
  const faults = Expected.faults(compared, allow)
  if (faults.length > 0) return yield* new RunFailed({ message: faults.join("; ") })
})
