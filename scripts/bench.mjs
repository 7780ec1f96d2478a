// Runs what is in bench/ from its source: npm run bench -- surface, npm run soak. Bundled on the way, since Node 20 knows no
// types. The first argument is the entry point.
import { build } from "esbuild"
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
// of its own, since two may run at once
const outfile = at(`node_modules/.cache/effect-compaction/bench-${process.pid}.mjs`)
const [entry, ...options] = process.argv.slice(2)
await build({
  entryPoints: [at(entry)],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20.19",
  packages: "external",
  logLevel: "warning"
})
const { status } = spawnSync(process.execPath, ["--max-old-space-size=8192", outfile, ...options], {
  stdio: "inherit"
})
rmSync(outfile, { force: true })
process.exit(status ?? 1)
