/**
 * OpenAI's vocabularies, exactly, by the package gpt-tokenizer: the pattern for other tokenizers.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { type CountTokens, make } from "../../compaction/exactTokenizer.ts"
import type * as RunEstimator from "../../compaction/RunEstimator.ts"
import type { TokenEstimator } from "../../compaction/TokenEstimator.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options extends RunEstimator.Options {
  /** `o200k` by default, which all current models of OpenAI use; `cl100k` for GPT-4 and GPT-3.5. */
  readonly vocabulary?: "o200k" | "cl100k"
}

/** Names of special tokens in a text are text. */
const asText = { disallowedSpecial: new Set<string>() }

const load = async (vocabulary: "o200k" | "cl100k"): Promise<CountTokens> => {
  const { countTokens } =
    vocabulary === "o200k"
      ? await import("gpt-tokenizer/encoding/o200k_base")
      : await import("gpt-tokenizer/encoding/cl100k_base")
  return (text) => countTokens(text, asText)
}

/**
 * Loads the vocabulary, some megabytes, and dies where the package is not installed: it is an optional peer.
 *
 * @since 0.1.0
 * @category constructors
 */
export const gptTokenizer = ({ vocabulary = "o200k", ...options }: Options = {}): Effect.Effect<TokenEstimator> =>
  Effect.tryPromise(() => load(vocabulary)).pipe(
    Effect.orDieWith(
      ({ error }) =>
        new Error("layerGptTokenizer needs the package gpt-tokenizer: npm install gpt-tokenizer", { cause: error })
    ),
    Effect.map((count) => make({ ...options, name: `gpt-tokenizer/${vocabulary}`, family: vocabulary, count }))
  )
