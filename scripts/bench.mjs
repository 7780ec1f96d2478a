// Runs the benchmarks from their source: npm run bench -- surface. Bundled on the way, since Node 20 knows no types.
import { build } from "esbuild"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const outfile = at("node_modules/.cache/effect-compaction/bench.mjs")
await build({
  entryPoints: [at("bench/main.ts")],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20.19",
  packages: "external",
  logLevel: "warning"
})
const { status } = spawnSync(process.execPath, ["--max-old-space-size=8192", outfile, ...process.argv.slice(2)], {
  stdio: "inherit"
})
process.exit(status ?? 1)
