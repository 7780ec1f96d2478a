/**
 * Compares verdicts with what lines say they are.
 *
 * @since 0.1.0
 */
import type { Verdict } from "../../errors/classify.ts"
import type { Line } from "./line.ts"

/**
 * The words of `expected`, in the order of the table, and our tags for them.
 *
 * @since 0.1.0
 * @category constants
 */
export const kinds: ReadonlyArray<readonly [kind: string, tag: Verdict["tag"]]> = [
  ["overflow", "ContextWindowExceeded"],
  ["rate-limit", "RateLimited"],
  ["quota", "QuotaExceeded"],
  ["auth", "AuthenticationFailed"],
  ["invalid-request", "InvalidRequest"],
  ["payload-too-large", "PayloadTooLarge"],
  ["output-limit", "OutputLimitExceeded"],
  ["content-filter", "ContentFiltered"],
  ["server", "ProviderUnavailable"],
  ["timeout", "ProviderTimeout"],
  ["other", "ProviderError"]
]

/**
 * The kind that a word of `expected` means: one of ours, or the name of our error; undefined if nobody knows it.
 *
 * @since 0.1.0
 * @category getters
 */
export const kindOf = (word: unknown): string | undefined =>
  kinds.find(([kind, tag]) => word === kind || word === tag)?.[0]

/** An answer that is none of the kinds is another error. */
const verdictKind = ({ tag }: Verdict): string => kindOf(tag) ?? "other"

/**
 * One line's comparison.
 *
 * @since 0.1.0
 * @category models
 */
export interface Compared {
  readonly id: string
  readonly expected: string
  readonly found: string
  readonly verdict: Verdict
  readonly problem: "missed" | "missed-hard" | "false" | "figures" | "differs" | undefined
  readonly detail: string
}

const say = (figure: unknown) => (typeof figure === "number" ? String(figure) : "none")

/** A figure that the line does not speak of is not compared; one that it says is not there must not be invented. */
const wrongFigures = (line: Line, verdict: Verdict, isOverflow: boolean): ReadonlyArray<string> =>
  (["limit", "requested"] as const).flatMap((name) => {
    const stated = line[name]
    const compared = typeof stated === "number" || (isOverflow && stated === null)
    return compared && (stated ?? undefined) !== verdict[name]
      ? [`${name} ${say(verdict[name])}, and it is ${say(stated)}`]
      : []
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const compare = (line: Line, expected: string, verdict: Verdict): Compared => {
  const found = verdictKind(verdict)
  const by = `${verdict.tag} by ${verdict.row ?? "no row"}: ${verdict.why}`
  const common = { id: line.id, expected, found, verdict }
  if (found !== expected) {
    const problem =
      expected === "overflow"
        ? line.id.startsWith("hard-")
          ? "missed-hard"
          : "missed"
        : found === "overflow"
          ? "false"
          : "differs"
    return { ...common, problem, detail: `expected ${expected}, found ${by}` }
  }
  const wrong = wrongFigures(line, verdict, expected === "overflow")
  return wrong.length === 0
    ? { ...common, problem: undefined, detail: "" }
    : { ...common, problem: "figures", detail: `${wrong.join("; ")} (${by})` }
}

const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

/**
 * What is wrong beyond what is allowed; empty if nothing is.
 *
 * @since 0.1.0
 * @category getters
 */
export const faults = (compared: ReadonlyArray<Compared>, allow: number): ReadonlyArray<string> => {
  const count = (problem: Compared["problem"]) => compared.filter((one) => one.problem === problem).length
  const differ = count("differs")
  return [
    ...(count("missed") > 0 ? [`${plural(count("missed"), "overflow is", "overflows are")} missed`] : []),
    ...(count("false") > 0 ? [`${plural(count("false"), "overflow is", "overflows are")} false`] : []),
    ...(count("figures") > 0 ? [`the figures of ${plural(count("figures"), "error", "errors")} are wrong`] : []),
    ...(differ > allow ? [`${plural(differ, "other differs", "others differ")}, and ${allow} may`] : [])
  ]
}
