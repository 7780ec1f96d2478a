/**
 * What the chat is asked to be: from its options, else the environment, else the config files.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { defaults, type Policy } from "../../compaction/Policy.ts"
import { type PresetName, presets } from "../../layers/adapters/openAiChatPresets.ts"
import { type Environment, type Loaded, dataPath } from "../config.ts"
import { BadInput } from "../exitCode.ts"
import { readPolicy, tokenCount } from "../input.ts"
import { closest } from "../mistyped.ts"
import { decodeValue } from "../policyFile.ts"

/**
 * The environment variables, with what each of them says.
 *
 * @since 0.1.0
 * @category constants
 */
export const variables = {
  provider: ["EFFECT_COMPACTION_PROVIDER", "--provider"],
  baseUrl: ["EFFECT_COMPACTION_BASE_URL", "--base-url"],
  apiKeyEnv: ["EFFECT_COMPACTION_API_KEY_ENV", "--api-key-env"],
  model: ["EFFECT_COMPACTION_MODEL", "--model"],
  window: ["EFFECT_COMPACTION_WINDOW", "--window"],
  policy: ["EFFECT_COMPACTION_POLICY", "--policy"],
  data: ["EFFECT_COMPACTION_DATA", "--data"]
} as const

type Name = keyof typeof variables

/**
 * The options as they were written; undefined: not given.
 *
 * @since 0.1.0
 * @category models
 */
export type Given = { readonly [name in Name]: string | undefined }

/** Where the key of a provider is, and the model that is asked for if nobody says another. */
const known: Readonly<Record<string, { readonly key?: string; readonly model?: string }>> = {
  deepseek: { key: "DEEPSEEK_API_KEY", model: "deepseek-flash" },
  anthropic: { key: "ANTHROPIC_API_KEY", model: "claude-sonnet-5-5" },
  openai: { key: "OPENAI_API_KEY", model: "gpt-5.5" },
  openrouter: { key: "OPENROUTER_API_KEY" },
  groq: { key: "GROQ_API_KEY" },
  mistral: { key: "MISTRAL_API_KEY" },
  xai: { key: "XAI_API_KEY" },
  vllm: {},
  ollama: {}
}

/**
 * Those that are asked for by name. Without a name it is the first whose key is there, else the simulated one.
 *
 * @since 0.1.0
 * @category constants
 */
export const providers = ["simulated", "openai-compatible", ...Object.keys(known)] as const

/**
 * The provider that the chat talks to. `chosen`: nobody named it.
 *
 * @since 0.1.0
 * @category models
 */
export type Provider =
  | { readonly kind: "simulated"; readonly chosen: boolean }
  | {
      readonly kind: "anthropic" | "openai-chat"
      readonly chosen: boolean
      readonly preset: PresetName | undefined
      readonly baseUrl: string | undefined
      readonly apiKey: Redacted.Redacted | undefined
    }

/**
 * `window` is tokens; undefined: what the adapter knows of the model. `notes` are for the person, before the first prompt.
 *
 * @since 0.1.0
 * @category models
 */
export interface Settings {
  readonly provider: Provider
  readonly route: { readonly provider: string; readonly model: string }
  readonly window: number | undefined
  readonly policy: Policy
  readonly data: string
  readonly notes: ReadonlyArray<string>
}

interface Setting<A = string> {
  readonly value: A
  /** for an error: the option, the variable, or the file and its field */
  readonly from: string
  /** whether the person said it, and not a project's file */
  readonly own: boolean
}

const bad = (message: string) => new BadInput({ message })

/** The window of the simulated model if nobody says another: small enough to see it filled. */
const simulatedWindow = 16_000

const isPreset = (name: string): name is PresetName => Object.hasOwn(presets, name)

/**
 * @since 0.1.0
 * @category constructors
 */
export const resolve = Effect.fnUntraced(function* (
  given: Given,
  env: Environment,
  configs: ReadonlyArray<Loaded>
): Effect.fn.Return<Settings, BadInput, Effect.Effect.Context<ReturnType<typeof readPolicy>>> {
  const find = (name: Name): Setting<unknown> | undefined => {
    const [variable, option] = variables[name]
    if (given[name] !== undefined) return { value: given[name], from: option, own: true }
    if ((env[variable] ?? "") !== "") return { value: env[variable], from: variable, own: true }
    const file = configs.find(({ config }) => config[name] !== undefined)
    return file === undefined ? undefined : { value: file.config[name], from: `${file.path}: ${name}`, own: file.own }
  }
  const text = (name: Name): Setting | undefined => {
    const setting = find(name)
    return setting === undefined ? undefined : { ...setting, value: String(setting.value) }
  }
  const notes: Array<string> = []

  const baseUrl = text("baseUrl")
  if (baseUrl !== undefined && !URL.canParse(baseUrl.value)) {
    return yield* bad(`${baseUrl.from}: "${baseUrl.value}" is no URL`)
  }
  const named = text("provider")
  if (named !== undefined && !providers.includes(named.value)) {
    const near = closest(named.value, providers)
    return yield* bad(
      `${named.from} takes ${providers.join(", ")}, and not "${named.value}"${near === undefined ? "" : `; did you mean ${near}?`}`
    )
  }
  const withKey = Object.entries(known).find(
    ([, { key, model }]) => model !== undefined && (env[key ?? ""] ?? "") !== ""
  )
  const name = named?.value ?? (baseUrl === undefined ? (withKey?.[0] ?? "simulated") : "openai-compatible")
  const chosen = named === undefined && baseUrl === undefined
  if (name === "simulated" && baseUrl !== undefined) {
    return yield* bad(`${baseUrl.from} needs another provider than the simulated one, for example openai-compatible`)
  }
  if (name === "openai-compatible" && baseUrl === undefined) {
    return yield* bad("the provider openai-compatible needs --base-url, for example http://localhost:8080/v1")
  }

  const model = text("model")?.value ?? known[name]?.model ?? (name === "simulated" ? "simulated" : undefined)
  if (model === undefined) return yield* bad(`the provider ${name} needs --model`)

  const keyEnv = text("apiKeyEnv")
  const variable = keyEnv?.value ?? known[name]?.key
  // a project's file, which may be somebody else's, gets nobody's key
  const isElsewhere = baseUrl !== undefined && !baseUrl.own
  const key = variable === undefined || isElsewhere ? undefined : (env[variable] ?? "")
  if (isElsewhere && variable !== undefined) {
    notes.push(
      `no key is sent to ${baseUrl.value}, which ${baseUrl.from} names: name it yourself by --base-url for that`
    )
  }
  if (name !== "simulated" && key === "" && variable !== undefined) {
    const where = keyEnv === undefined ? `the provider ${name}` : keyEnv.from
    return yield* bad(`the environment variable ${variable}, where ${where} has its key, is not set`)
  }

  const windowSetting = find("window")
  const window =
    windowSetting === undefined ? undefined : yield* tokenCount(windowSetting.from, String(windowSetting.value))

  const policySetting = find("policy")
  const policy =
    policySetting === undefined
      ? defaults
      : typeof policySetting.value === "string"
        ? yield* readPolicy(policySetting.value)
        : yield* Either.mapLeft(decodeValue(policySetting.value), (detail) => bad(`${policySetting.from}: ${detail}`))

  return {
    provider:
      name === "simulated"
        ? { kind: "simulated", chosen }
        : {
            kind: name === "anthropic" ? "anthropic" : "openai-chat",
            chosen,
            preset: isPreset(name) ? name : undefined,
            baseUrl: baseUrl?.value,
            apiKey: key === undefined ? undefined : Redacted.make(key)
          },
    route: { provider: name, model },
    window: window ?? (name === "simulated" ? simulatedWindow : undefined),
    policy,
    data: text("data")?.value ?? dataPath(env),
    notes
  }
})
