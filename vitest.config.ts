import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { SummaryReporter } from "./scripts/summaryReporter.ts"

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

export default defineConfig({
  // the examples import the package by its name; here that is its source, so that no test needs a build
  resolve: {
    alias: [
      { find: /^effect-compaction$/, replacement: source("index.ts") },
      { find: /^effect-compaction\/ai$/, replacement: source("ai/index.ts") },
      { find: /^effect-compaction\/testing$/, replacement: source("testing/index.ts") },
      { find: /^effect-compaction\/node$/, replacement: source("layers/node/index.ts") },
      { find: /^effect-compaction\/sql$/, replacement: source("sql/index.ts") },
      { find: /^effect-compaction\/formats$/, replacement: source("formats/index.ts") }
    ]
  },
  test: {
    include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
    pool: "threads",
    setupFiles: ["test/setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ["default", new SummaryReporter()]
  }
})
