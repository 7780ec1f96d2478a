/**
 * Where servers tell the window of a model, and under which name. Plain data and functions;
 * `windowDiscovery` asks.
 *
 * @since 0.1.0
 */
import { type Fields, fieldsOf, textOf } from "./looseJson.ts"

/**
 * Tokens. `provisional`: what the model was made for, where the server runs it with a window of its own that it does not
 * tell yet.
 *
 * @since 0.1.0
 * @category models
 */
export interface FoundWindow {
  readonly window: number
  readonly outputLimit?: number
  readonly provisional?: true
}

/**
 * One question. `path` stands below the base URL; one that begins with a slash stands at the server's root, which is the
 * base URL without `/v1`. A `body` makes it a POST. `read` gets the answer's JSON; undefined: it does not tell.
 *
 * @since 0.1.0
 * @category models
 */
export interface WindowLookup {
  readonly path: string | ((model: string) => string)
  readonly body?: (model: string) => Fields
  readonly read: (answer: Fields, model: string) => FoundWindow | undefined
}

const figureOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 1 ? Math.floor(value) : undefined

const found = (window: unknown, outputLimit?: unknown): FoundWindow | undefined => {
  const figure = figureOf(window)
  const limit = figureOf(outputLimit)
  if (figure === undefined) return undefined
  return limit === undefined ? { window: figure } : { window: figure, outputLimit: limit }
}

const provisional = (window: unknown): FoundWindow | undefined => {
  const figure = figureOf(window)
  return figure === undefined ? undefined : { window: figure, provisional: true }
}

/** The entry of a list that has one of these names under `field`. */
const entryOf = (list: unknown, field: string, names: ReadonlyArray<string>): Fields | undefined => {
  if (!Array.isArray(list)) return undefined
  const entries = list.map(fieldsOf).filter((fields) => fields !== undefined)
  for (const name of names) {
    const entry = entries.find((fields) => fields[field] === name)
    if (entry !== undefined) return entry
  }
  return undefined
}

const inModelList = (
  read: (entry: Fields) => FoundWindow | undefined,
  names: (model: string) => ReadonlyArray<string> = (model) => [model]
): WindowLookup => ({
  path: "models",
  read: ({ data }, model) => {
    const entry = entryOf(data, "id", names(model))
    return entry === undefined ? undefined : read(entry)
  }
})

/** A name without the variant that OpenRouter takes behind a colon, as in `:free`. */
const withoutVariant = (model: string) => [model, model.replace(/:[^:/]*$/, "")]

const openRouter = inModelList((entry) => {
  const serving = fieldsOf(entry["top_provider"]) ?? {}
  return found(serving["context_length"] ?? entry["context_length"], serving["max_completion_tokens"])
}, withoutVariant)

/** Ollama lists a model that was asked for without a tag as `latest`. */
const tagged = (model: string) => [model, model.includes(":") ? model : `${model}:latest`]

/** What a model that is loaded runs with. */
const ollamaRunning: WindowLookup = {
  path: "/api/ps",
  read: ({ models }, model) => found(entryOf(models, "name", tagged(model))?.["context_length"])
}

/** The `num_ctx` of its definition goes before what it was made for, which is more than the server's default by far. */
const ollamaDefined: WindowLookup = {
  path: "/api/show",
  body: (model) => ({ model }),
  read: ({ model_info: info, parameters }) => {
    const set = found(Number(/^\s*num_ctx\s+(\d+)/m.exec(textOf(parameters))?.[1]))
    if (set !== undefined) return set
    const fields = fieldsOf(info) ?? {}
    return provisional(fields[`${textOf(fields["general.architecture"])}.context_length`])
  }
}

/**
 * By name of the preset. A server's questions are asked in this order, until one is answered.
 *
 * @since 0.1.0
 * @category constants
 */
export const lookups = {
  vllm: [inModelList((entry) => found(entry["max_model_len"]))],
  openrouter: [openRouter],
  groq: [inModelList((entry) => found(entry["context_window"], entry["max_completion_tokens"]))],
  mistral: [inModelList((entry) => found(entry["max_context_length"]))],
  "llama.cpp": [
    { path: "/props", read: (answer) => found(fieldsOf(answer["default_generation_settings"])?.["n_ctx"]) }
  ],
  ollama: [ollamaRunning, ollamaDefined],
  "lm-studio": [
    {
      path: "/api/v0/models",
      read: ({ data }, model) => {
        const entry = entryOf(data, "id", [model])
        return found(entry?.["loaded_context_length"]) ?? provisional(entry?.["max_context_length"])
      }
    }
  ]
} as const satisfies Readonly<Record<string, ReadonlyArray<WindowLookup>>>

/**
 * Anthropic's own: it tells of one model, by its name or alias.
 *
 * @since 0.1.0
 * @category constants
 */
export const anthropic: ReadonlyArray<WindowLookup> = [
  {
    path: (model) => `models/${encodeURIComponent(model)}`,
    read: (answer) => found(answer["max_input_tokens"], answer["max_tokens"])
  }
]
