/**
 * The config file: settings that hold for every call of the command. Two are read, the one of the project before that of
 * the person.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { dirname, join, resolve } from "node:path"
import { parseJson } from "../formats/Format.ts"
import { BadInput } from "./exitCode.ts"
import { unreadable } from "./unreadable.ts"
import { decodeValue, faults } from "./policyFile.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const name = (what: string) =>
  optional(
    Schema.NonEmptyTrimmedString.annotations({ message: () => ({ message: `${what} is wanted`, override: true }) })
  )

/** A policy as it is written in a file of its own. */
const Policy = Schema.Unknown.pipe(
  Schema.filter((value) => {
    if (typeof value === "string") return value !== "" || "a path or a policy is wanted"
    return Either.match(decodeValue(value), { onLeft: (wrong) => wrong, onRight: () => true })
  })
)

/**
 * `policy` is a policy, or the path of a file that holds one; this and `data` are relative to the config file. `window` is
 * tokens. `apiKeyEnv` names the environment variable that holds the key.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Config = Schema.Struct({
  provider: name("the name of a provider"),
  baseUrl: optional(
    Schema.String.pipe(Schema.filter((text) => URL.canParse(text))).annotations({
      message: () => ({ message: "a URL is wanted, for example http://localhost:8080/v1", override: true })
    })
  ),
  apiKeyEnv: name("the name of an environment variable"),
  model: name("the name of a model"),
  window: optional(
    Schema.Number.pipe(Schema.int(), Schema.positive()).annotations({
      message: () => ({ message: "a whole number of tokens above 0 is wanted", override: true })
    })
  ),
  policy: optional(Policy),
  data: name("a folder")
})

/**
 * @since 0.1.0
 * @category models
 */
export type Config = typeof Config.Type

/**
 * The settings of one file. `own`: it is the person's, and did not come with a project.
 *
 * @since 0.1.0
 * @category models
 */
export interface Loaded {
  readonly path: string
  readonly own: boolean
  readonly config: Config
}

/**
 * The environment, by name.
 *
 * @since 0.1.0
 * @category models
 */
export type Environment = Readonly<Record<string, string | undefined>>

/** A folder of the XDG base directories; a relative one is none, says their specification. */
const xdg = (env: Environment, variable: string, otherwise: string): string => {
  const given = env[variable] ?? ""
  return given.startsWith("/") ? given : join(env["HOME"] ?? "", otherwise)
}

/**
 * The person's own config file.
 *
 * @since 0.1.0
 * @category getters
 */
export const ownPath = (env: Environment): string =>
  join(xdg(env, "XDG_CONFIG_HOME", ".config"), "effect-compaction", "config.json")

/**
 * Where sessions are kept, if nobody says otherwise.
 *
 * @since 0.1.0
 * @category getters
 */
export const dataPath = (env: Environment): string =>
  join(xdg(env, "XDG_DATA_HOME", join(".local", "share")), "effect-compaction", "sessions")

/** The config file of a project, in its folder. */
const projectFile = "effect-compaction.json"

const decodeAll = ParseResult.decodeUnknownEither(Config, { onExcessProperty: "error", errors: "all" })

const relativeTo = (path: string, { data, policy, ...rest }: Config): Config => ({
  ...rest,
  ...(data === undefined ? {} : { data: resolve(dirname(path), data) }),
  ...(policy === undefined ? {} : { policy: typeof policy === "string" ? resolve(dirname(path), policy) : policy })
})

/**
 * A config file's settings, or one sentence with each field that cannot be used. A project's file, which may come from
 * somebody else, cannot say which secret is a key.
 */
const decode = (text: string, path: string, own: boolean): Either.Either<Loaded, string> => {
  const json = parseJson(text)
  if (Either.isLeft(json)) {
    return Either.left(`it is not JSON (${json.left instanceof Error ? json.left.message : String(json.left)})`)
  }
  if (!Predicate.isRecord(json.right)) return Either.left("the whole: an object of settings is wanted")
  const decoded = decodeAll(json.right)
  if (Either.isLeft(decoded)) return Either.left(faults(decoded.left).join("; ").replace(/\s+/gu, " "))
  if (!own && decoded.right.apiKeyEnv !== undefined) {
    return Either.left("apiKeyEnv: a project's file cannot say where your key is; put it into your own config")
  }
  return Either.right({ path, own, config: relativeTo(path, decoded.right) })
}

const read = Effect.fnUntraced(function* (path: string, own: boolean) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(fs.readFileString(path), unreadable(path, "config"))
  return yield* Either.mapLeft(
    decode(text, path, own),
    (detail) => new BadInput({ message: `the config ${path} cannot be used: ${detail}` })
  )
})

/**
 * The config files that hold, the first before the others: the one that is named, and no other; else those of the project
 * and of the person that are there.
 *
 * @since 0.1.0
 * @category constructors
 */
export const load = Effect.fnUntraced(function* (options: {
  readonly named: string | undefined
  readonly folder: string
  readonly env: Environment
}) {
  if (options.named !== undefined) return [yield* read(options.named, true)]
  const fs = yield* FileSystem.FileSystem
  const places = [
    { path: join(options.folder, projectFile), own: false },
    { path: ownPath(options.env), own: true }
  ]
  const there = yield* Effect.filter(places, ({ path }) => Effect.orElseSucceed(fs.exists(path), () => true))
  return yield* Effect.forEach(there, ({ own, path }) => read(path, own))
})
