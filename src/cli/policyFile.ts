/**
 * Reads a policy file, and says of each field what is wrong with it.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Policy from "../compaction/Policy.ts"
import { Options } from "../compaction/PolicyOptions.ts"
import { parseJson } from "../formats/Format.ts"

const decodeAll = ParseResult.decodeUnknownEither(Options, { onExcessProperty: "error", errors: "all" })

/** Whether `longer` leads on from `shorter`. */
const leadsOn = (shorter: ReadonlyArray<PropertyKey>, longer: ReadonlyArray<PropertyKey>): boolean =>
  longer.length > shorter.length && shorter.every((key, i) => longer[i] === key)

/**
 * What is wrong with each field, by its path. A union reports each member that failed: the deepest paths belong to the
 * member that was meant. That a field may also be left out is no help.
 *
 * @since 0.1.0
 * @category conversions
 */
export const faults = (issue: ParseResult.ParseIssue): ReadonlyArray<string> => {
  const issues = ParseResult.ArrayFormatter.formatIssueSync(issue)
  const byPath = new Map<string, Array<string>>()
  for (const { message, path } of issues) {
    if (issues.some((other) => leadsOn(path, other.path))) continue
    const where = path.length === 0 ? "the whole" : path.map(String).join(".")
    const what = message.replace(/^is unexpected, expected:/u, "is not a setting; the settings here are")
    byPath.set(where, [...(byPath.get(where) ?? []), what])
  }
  return [...byPath].map(([where, messages]) => {
    const meant = messages.filter((message) => messages.length === 1 || !message.startsWith("Expected undefined,"))
    return `${where}: ${[...new Set(meant)].join(" or ")}`
  })
}

/**
 * The policy that a value from JSON is, or one sentence with every field that cannot be used.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decodeValue = (value: unknown): Either.Either<Policy.Policy, string> => {
  const fields = decodeAll(value)
  if (Either.isLeft(fields)) return Either.left(faults(fields.left).join("; ").replace(/\s+/gu, " "))
  return Either.mapLeft(
    Policy.decode(value),
    ({ detail, path }) => `${path.length === 0 ? "the whole" : path.join(".")}: ${detail}`
  )
}

/**
 * The same for a file's text.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decode = (text: string): Either.Either<Policy.Policy, string> =>
  Either.match(parseJson(text), {
    onLeft: (error) => Either.left(`it is not JSON (${error instanceof Error ? error.message : String(error)})`),
    onRight: decodeValue
  })
