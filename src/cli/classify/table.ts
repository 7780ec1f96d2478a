/**
 * The comparison for people.
 *
 * @since 0.1.0
 */
import Table from "cli-table3"
import { type Compared, kinds } from "./expected.ts"
import { style } from "../tableStyle.ts"

/** No colours: the table goes to files and pipes as it goes to a terminal. */
const confusion = (compared: ReadonlyArray<Compared>): string => {
  const count = (expected: string, found: string) =>
    compared.filter((one) => one.expected === expected && one.found === found).length
  const names = kinds.map(([kind]) => kind)
  const expected = names.filter((kind) => compared.some((one) => one.expected === kind))
  const found = names.filter((kind) => compared.some((one) => one.expected === kind || one.found === kind))
  const table = new Table({
    style,
    head: ["expected \\ found", ...found],
    colAligns: ["left", ...found.map(() => "right" as const)]
  })
  table.push(
    ...expected.map((kind) => [kind, ...found.map((other) => String(count(kind, other) || (kind === other ? 0 : "")))])
  )
  return table.toString()
}

const words: Readonly<Record<NonNullable<Compared["problem"]>, string>> = {
  missed: "missed",
  "missed-hard": "missed, and hard",
  false: "false overflow",
  figures: "wrong figures",
  differs: "differs"
}

/**
 * @since 0.1.0
 * @category conversions
 */
export const render = (compared: ReadonlyArray<Compared>, apart: number, allow: number): string => {
  const count = (problem: Compared["problem"]) => compared.filter((one) => one.problem === problem).length
  const overflows = compared.filter(({ expected }) => expected === "overflow").length
  return [
    confusion(compared),
    ...compared.flatMap(({ detail, id, problem }) =>
      problem === undefined ? [] : [`${words[problem]}: ${id}: ${detail}`]
    ),
    `${compared.length} errors compared${apart === 0 ? "" : `, ${apart} without an expected field left out`}`,
    `overflows: ${count("missed")} of ${overflows} missed (and ${count("missed-hard")} of the hard ones), ${count("false")} false, ${count("figures")} with wrong figures`,
    `others: ${count("differs")} of ${compared.length - overflows} in another class than expected (${allow} allowed)`
  ].join("\n")
}
