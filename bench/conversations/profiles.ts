// What the simulated conversations are made of, by classes of bench/estimator/corpus.mjs.

export interface Profile {
  readonly name: string
  /** whether it counts for the bound that is promised for coding */
  readonly coding: boolean
  readonly system: ReadonlyArray<string>
  readonly user: ReadonlyArray<string>
  readonly assistant: ReadonlyArray<string>
  /** none: a chat, where each request brings a prompt */
  readonly tool: ReadonlyArray<string>
}

const system = ["markdown", "json"]

export const profiles: ReadonlyArray<Profile> = [
  {
    name: "EN coding",
    coding: true,
    system,
    user: ["english"],
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
    coding: true,
    system,
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
    coding: false,
    system,
    user: ["russian", "korean", "arabic"],
    assistant: ["russian", "korean", "arabic"],
    tool: []
  },
  {
    name: "hostile mix",
    coding: false,
    system,
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
