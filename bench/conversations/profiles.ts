// What the simulated conversations are made of, by classes of bench/estimator/corpus.mjs.

export interface Profile {
  readonly name: string
  readonly system: ReadonlyArray<string>
  /** the schemas of tools, beside the system prompt */
  readonly tools: ReadonlyArray<string>
  readonly user: ReadonlyArray<string>
  readonly assistant: ReadonlyArray<string>
  /** none: a chat, where each request brings a prompt */
  readonly tool: ReadonlyArray<string>
}

const head = { system: ["markdown"], tools: ["json"] }

export const profiles: ReadonlyArray<Profile> = [
  {
    name: "EN coding",
    ...head,
    user: ["english", "markdown"],
    assistant: ["markdown"],
    tool: [
      "typescript",
      "declarations",
      "javascript",
      "python",
      "go",
      "search_results",
      "listing",
      "diff",
      "json",
      "coloured",
      "log",
      "markdown"
    ]
  },
  {
    name: "ZH/JA coding",
    ...head,
    user: ["chinese", "japanese"],
    assistant: ["chinese_mixed", "japanese_mixed"],
    tool: [
      "typescript",
      "javascript",
      "python",
      "search_results",
      "listing",
      "json",
      "coloured",
      "chinese_mixed",
      "japanese_mixed"
    ]
  },
  {
    name: "RU/KO/AR chat",
    ...head,
    user: ["russian", "korean", "arabic"],
    assistant: ["russian", "korean", "arabic"],
    tool: []
  },
  {
    name: "hostile mix",
    ...head,
    user: ["english", "chinese_traditional", "russian", "emoji"],
    assistant: ["markdown", "chinese_mixed"],
    tool: [
      "base64",
      "hex",
      "numbers",
      "coloured",
      "minified",
      "emoji",
      "khmer",
      "json_unicode_escapes",
      "typescript",
      "log"
    ]
  }
]
