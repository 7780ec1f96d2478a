/**
 * What servers tell of their models: lists, properties, and the figures that stand in them under as many names as there
 * are servers.
 *
 * @since 0.1.0
 */

/**
 * Whose endpoints are served. `deepseek` and `openai` list models without a figure, `none` serves nothing.
 *
 * @since 0.1.0
 * @category models
 */
export type DiscoveryKind =
  | "deepseek"
  | "openai"
  | "anthropic"
  | "openrouter"
  | "vllm"
  | "llamacpp"
  | "ollama"
  | "lmstudio"
  | "groq"
  | "mistral"
  | "none"

/**
 * `window` (tokens) is what the server says that it serves; null: it says nothing. `trainedWindow` is what the model was
 * made for, which servers that people run themselves name beside it (default: the window). `maxOutputTokens` is named
 * where the kind has a field for it. `models` are the names that are listed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Discovery {
  readonly kind: DiscoveryKind
  readonly window?: number | null
  readonly trainedWindow?: number
  readonly maxOutputTokens?: number
  readonly models?: ReadonlyArray<string>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Lookup {
  readonly method: string
  readonly path: string
  readonly body: string
}

interface Figures {
  readonly window: number | undefined
  readonly trained: number | undefined
  readonly maxOutput: number | undefined
  readonly models: ReadonlyArray<string>
}

type Endpoint = (figures: Figures, asked: string | undefined) => unknown

const listOf = (figures: Figures, describe: (id: string) => object) => ({
  object: "list",
  data: figures.models.map((id) => ({ id, object: "model", created: 0, ...describe(id) }))
})

/** One model where the path ends with its name, else all. */
const oneOrAll =
  (describe: (id: string, figures: Figures) => object): Endpoint =>
  (figures, asked) => {
    const list = listOf(figures, (id) => describe(id, figures))
    return asked === undefined ? list : list.data.find(({ id }) => id === asked)
  }

const named = (name: string, value: number | undefined) => (value === undefined ? {} : { [name]: value })

const openRouter: Endpoint = (figures) => ({
  data: figures.models.map((id) => ({
    id,
    name: id,
    created: 0,
    ...named("context_length", figures.window),
    architecture: { modality: "text->text", input_modalities: ["text"], output_modalities: ["text"] },
    pricing: { prompt: "0", completion: "0" },
    top_provider: {
      context_length: figures.window ?? null,
      max_completion_tokens: figures.maxOutput ?? null,
      is_moderated: false
    },
    supported_parameters: ["tools", "max_tokens"]
  }))
})

const anthropic: Endpoint = (figures, asked) => {
  const data = figures.models.map((id) => ({
    type: "model",
    id,
    display_name: id,
    created_at: "2025-01-01T00:00:00Z",
    ...named("max_input_tokens", figures.window),
    ...named("max_tokens", figures.maxOutput)
  }))
  if (asked !== undefined) return data.find(({ id }) => id === asked)
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
}

/** The window is that of a slot; the list names what the model was made for. */
const llamaCppProperties: Endpoint = (figures) => ({
  default_generation_settings: { id: 0, is_processing: false, ...named("n_ctx", figures.window) },
  total_slots: 1,
  model_path: `/models/${figures.models[0]}.gguf`,
  chat_template: ""
})

/** The model's own length, and as a parameter what it is run with. */
const ollamaModel: Endpoint = (figures, asked) =>
  asked !== undefined && figures.models.includes(asked)
    ? {
        modelfile: "",
        parameters: figures.window === undefined ? "" : `num_ctx                        ${figures.window}`,
        template: "",
        details: { format: "gguf", family: "llama" },
        model_info: { "general.architecture": "llama", ...named("llama.context_length", figures.trained) },
        capabilities: ["completion", "tools"]
      }
    : undefined

const ollamaRunning: Endpoint = (figures) => ({
  models: figures.models.map((model) => ({ name: model, model, ...named("context_length", figures.window) }))
})

const lmStudio = oneOrAll((_, figures) => ({
  type: "llm",
  arch: "llama",
  state: "loaded",
  ...named("max_context_length", figures.trained),
  ...named("loaded_context_length", figures.window)
}))

const plain = (owner: string) => oneOrAll(() => ({ owned_by: owner }))

/** By method and by how the path ends; a list of models may be asked for one of them, a show names it in its body. */
const endpoints: Readonly<Record<DiscoveryKind, ReadonlyArray<readonly [string, Endpoint]>>> = {
  none: [],
  deepseek: [["GET /models", plain("deepseek")]],
  openai: [["GET /models", plain("openai")]],
  anthropic: [["GET /models", anthropic]],
  openrouter: [["GET /models", openRouter]],
  vllm: [
    [
      "GET /models",
      oneOrAll((id, figures) => ({
        owned_by: "vllm",
        root: id,
        parent: null,
        ...named("max_model_len", figures.window)
      }))
    ]
  ],
  llamacpp: [
    ["GET /props", llamaCppProperties],
    [
      "GET /models",
      oneOrAll((_, figures) => ({ owned_by: "llamacpp", meta: { ...named("n_ctx_train", figures.trained) } }))
    ]
  ],
  ollama: [
    ["POST /api/show", ollamaModel],
    ["GET /api/ps", ollamaRunning],
    ["GET /models", plain("library")]
  ],
  lmstudio: [
    ["GET /api/v0/models", lmStudio],
    ["GET /models", plain("organization_owner")]
  ],
  groq: [
    [
      "GET /models",
      oneOrAll((_, figures) => ({
        owned_by: "groq",
        active: true,
        ...named("context_window", figures.window),
        ...named("max_completion_tokens", figures.maxOutput)
      }))
    ]
  ],
  mistral: [
    [
      "GET /models",
      oneOrAll((_, figures) => ({ owned_by: "mistralai", ...named("max_context_length", figures.window) }))
    ]
  ]
}

const modelInBody = (body: string): string | undefined => {
  try {
    const { model, name } = JSON.parse(body)
    return typeof model === "string" ? model : typeof name === "string" ? name : undefined
  } catch {
    return undefined
  }
}

/**
 * What the server answers; undefined: it has no such endpoint, or no such model.
 *
 * @since 0.1.0
 * @category getters
 */
export const discover = (
  discovery: Discovery & { readonly models: ReadonlyArray<string> },
  lookup: Lookup
): unknown => {
  const window = discovery.window ?? undefined
  const figures: Figures = {
    window,
    trained: discovery.trainedWindow ?? window,
    maxOutput: discovery.maxOutputTokens,
    models: discovery.models
  }
  const asked = `${lookup.method} ${lookup.path}`
  for (const [place, answer] of endpoints[discovery.kind]) {
    const [method = "", end = ""] = place.split(" ")
    if (!asked.startsWith(`${method} `)) continue
    if (lookup.path.endsWith(end)) return answer(figures, method === "POST" ? modelInBody(lookup.body) : undefined)
    const at = lookup.path.lastIndexOf(`${end}/`)
    if (method === "GET" && end.endsWith("/models") && at !== -1) {
      return answer(figures, decodeURIComponent(lookup.path.slice(at + end.length + 1)))
    }
  }
  return undefined
}
