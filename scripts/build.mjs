// Builds the library with tsc, one file a module, and bundles the command into one file.
import { build } from "esbuild"
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, rmSync } from "node:fs"

rmSync("dist", { recursive: true, force: true })
const tsc = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit"
})
if (tsc.status !== 0) process.exit(tsc.status ?? 1)

if (existsSync("src/cli/main.ts")) {
  const outfile = "dist/bin/effect-compaction.js"
  await build({
    entryPoints: ["src/cli/main.ts"],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    legalComments: "none",
    logLevel: "warning",
    // CommonJS dependencies of the command call require
    banner: {
      js: '#!/usr/bin/env node\nimport { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);'
    }
  })
  chmodSync(outfile, 0o755)
}
