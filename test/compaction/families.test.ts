import { assert, describe, it } from "@effect/vitest"
import { families, type Family, presetOf } from "../../src/compaction/estimator/families.ts"
import * as RunEstimator from "../../src/compaction/RunEstimator.ts"

describe("familyPresets", () => {
  const routes: ReadonlyArray<readonly [provider: string, model: string, family: Family, factor?: number]> = [
    ["openai", "gpt-4o", "o200k"],
    ["openai", "gpt-4.1-mini", "o200k"],
    ["openai", "gpt-5.1-codex", "o200k"],
    ["openai", "o3-mini", "o200k"],
    ["openai", "a-model-of-tomorrow", "o200k"],
    ["groq", "openai/gpt-oss-120b", "o200k"],
    ["openai", "gpt-4", "cl100k"],
    ["openai", "gpt-4-turbo", "cl100k"],
    ["azure", "gpt-35-turbo", "cl100k"],
    ["anthropic", "claude-3-5-sonnet-20241022", "claude"],
    ["anthropic", "claude-sonnet-4-5-20250929", "claude"],
    ["anthropic", "claude-opus-4-20250514", "claude"],
    ["openrouter", "anthropic/claude-opus-4.6", "claude"],
    ["anthropic", "claude-opus-4-7", "claude", 1.3],
    ["openrouter", "anthropic/claude-opus-4.8", "claude", 1.3],
    ["anthropic", "claude-sonnet-5", "claude", 1.3],
    ["anthropic", "claude-opus-5-20270101", "claude", 1.3],
    ["google", "gemini-2.5-pro", "gemma3"],
    ["ollama", "gemma3:27b", "gemma3"],
    ["deepseek", "deepseek-chat", "deepseek_v3"],
    ["ollama", "deepseek-r1-distill-qwen-32b", "qwen3"],
    ["groq", "deepseek-r1-distill-llama-70b", "llama3"],
    ["vllm", "Qwen/Qwen3-32B", "qwen3"],
    ["together", "meta-llama/Llama-3.3-70B-Instruct", "llama3"],
    ["together", "meta-llama/Llama-4-Scout", "generic"],
    ["mistral", "codestral-latest", "tekken"],
    ["mistral", "a-model-of-tomorrow", "tekken"],
    ["xai", "grok-4", "generic"],
    ["moonshot", "kimi-k2", "generic"],
    ["p", "m", "generic"]
  ]
  for (const [provider, model, family, factor] of routes) {
    it(`says ${family}${factor === undefined ? "" : ` x ${factor}`} for ${provider}/${model}`, () => {
      const preset = presetOf({ provider, model })
      assert.deepStrictEqual([preset.family, preset.factor], [family, factor])
    })
  }

  it("is told by the weights: the family's number alone, times its factor", () => {
    const weights = RunEstimator.runEstimator.weights({ provider: "anthropic", model: "claude-opus-4-7" })
    assert.deepStrictEqual(
      weights,
      families.map((family) => (family === "claude" ? 1.3 : 0))
    )
  })

  it("asks rows of one's own first", () => {
    const estimator = RunEstimator.make({
      presets: [
        { provider: /^lab$/, family: "llama3", source: "we run it" },
        { family: "qwen3", source: "matches nothing" }
      ]
    })
    const familyOf = (provider: string, model: string) => families[estimator.weights({ provider, model }).indexOf(1)]
    assert.strictEqual(familyOf("lab", "gpt-4o"), "llama3")
    assert.strictEqual(familyOf("openai", "gpt-4o"), "o200k")
    assert.strictEqual(familyOf("p", "m"), "generic")
  })
})
