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

/** The setting that an issue belongs to: one of the base, or one of an entry of `models`. */
const setting = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .slice(0, path[0] === "models" ? 3 : 1)
    .map(String)
    .join(".")

/**
 * A union reports each member that failed. Of one setting the deepest paths belong to the member that was meant; that a
 * field may also be left out is no help.
 */
const faults = (issue: ParseResult.ParseIssue): ReadonlyArray<string> => {
  const issues = ParseResult.ArrayFormatter.formatIssueSync(issue)
  const depth = new Map<string, number>()
  for (const { path } of issues) depth.set(setting(path), Math.max(depth.get(setting(path)) ?? 0, path.length))
  const byPath = new Map<string, Array<string>>()
  for (const { message, path } of issues) {
    if (path.length < (depth.get(setting(path)) ?? 0)) continue
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
 * The policy that a file's text holds, or one sentence with every field that cannot be used.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decode = (text: string): Either.Either<Policy.Policy, string> => {
  const json = parseJson(text)
  if (Either.isLeft(json)) {
    return Either.left(`it is not JSON (${json.left instanceof Error ? json.left.message : String(json.left)})`)
  }
  const fields = decodeAll(json.right)
  if (Either.isLeft(fields)) return Either.left(faults(fields.left).join("; ").replace(/\s+/gu, " "))
  return Either.mapLeft(
    Policy.decode(json.right),
    ({ detail, path }) => `${path.length === 0 ? "the whole" : path.join(".")}: ${detail}`
  )
}
