/**
 * The policies that are compared: each file by itself, or with each value of the settings that are swept.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { basename } from "node:path"
import type { Policy } from "../../compaction/Policy.ts"
import { isRecord, parseJson } from "../../formats/Format.ts"
import { BadInput } from "../exitCode.ts"
import * as PolicyFile from "../policyFile.ts"
import * as Sweep from "./sweep.ts"

/**
 * `name` is short, and no two have the same. `settings` are what the file and the sweep say, as they would be written into
 * a policy file.
 *
 * @since 0.1.0
 * @category models
 */
export interface Variant {
  readonly name: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly policy: Policy
}

/**
 * A policy file that was read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Source {
  readonly path: string
  readonly text: string
}

/** Each variant is a run of the whole session. */
const most = 100

interface Base {
  readonly name: string
  readonly path: string | undefined
  readonly settings: Readonly<Record<string, unknown>>
}

/** By its last name, and by its whole path where two have that. */
const baseOf = ({ path, text }: Source, all: ReadonlyArray<Source>): Base => {
  const short = basename(path, ".json")
  const alike = all.filter((other) => basename(other.path, ".json") === short).length > 1
  const json = Either.getOrElse(parseJson(text), () => undefined)
  return { name: alike ? path : short, path, settings: isRecord(json) ? json : {} }
}

const valuesOf = (
  option: string,
  text: string | undefined
): Either.Either<ReadonlyArray<number | undefined>, string> =>
  text === undefined ? Either.right([undefined]) : Either.mapLeft(Sweep.parse(text), (why) => `${option} ${why}`)

const setting = (name: string, value: number | undefined) => (value === undefined ? {} : { [name]: value })

const decode = ({ path, settings }: Base, name: string): Either.Either<Variant, string> =>
  PolicyFile.decode(JSON.stringify(settings)).pipe(
    Either.map((policy): Variant => ({ name, settings, policy })),
    Either.mapLeft(
      (why) => `${path === undefined ? "a policy of the sweep" : `the policy ${path}`} cannot be used: ${why}`
    )
  )

/**
 * Every source with every value of `threshold` and of `retain`, in this order. Without a source it is the library's own
 * policy.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  sources: ReadonlyArray<Source>,
  sweeps: { readonly threshold: string | undefined; readonly retain: string | undefined }
): Effect.Effect<ReadonlyArray<Variant>, BadInput> =>
  Either.gen(function* () {
    const thresholds = yield* valuesOf("--threshold", sweeps.threshold)
    const retains = yield* valuesOf("--retain", sweeps.retain)
    const twice = sources.find(({ path }, i) => sources.findIndex((other) => other.path === path) < i)
    if (twice !== undefined) return yield* Either.left(`--policy ${twice.path} is given twice`)
    // a file is judged as it is before a sweep changes a copy of it
    for (const { path, text } of sources) {
      yield* Either.mapLeft(PolicyFile.decode(text), (why) => `the policy ${path} cannot be used: ${why}`)
    }
    const bases: ReadonlyArray<Base> =
      sources.length === 0
        ? [{ name: "default", path: undefined, settings: {} }]
        : sources.map((source) => baseOf(source, sources))
    const variants: Array<Variant> = []
    for (const base of bases) {
      for (const threshold of thresholds) {
        for (const retain of retains) {
          const swept = { ...setting("threshold", threshold), ...setting("retain", retain) }
          const words = Object.entries(swept).map(([name, value]) => `${name} ${value}`)
          // nobody needs to be told that the default is the default
          const name = [...(sources.length === 0 && words.length > 0 ? [] : [base.name]), ...words].join(", ")
          variants.push(yield* decode({ ...base, settings: { ...base.settings, ...swept } }, name))
        }
      }
    }
    if (variants.length > most) {
      return yield* Either.left(`${variants.length} policies are too many to compare; ${most} are the most`)
    }
    return variants
  }).pipe(Either.mapLeft((message) => new BadInput({ message })))
