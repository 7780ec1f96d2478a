// Runs an example from its source: node scripts/example.mjs agent. Bundled on the way, since Node 20 knows no types.
import { NodeRuntime } from "@effect/platform-node"
import { build } from "esbuild"
import { readdirSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const names = readdirSync(at("examples"))
  .filter((file) => /^[\w-]+\.ts$/.test(file) && file !== "model.ts")
  .map((file) => file.replace(/\.ts$/, ""))

const [name = ""] = process.argv.slice(2)
if (!names.includes(name)) {
  console.error(`usage: npm run example <name>, one of: ${names.join(", ")}`)
  process.exit(2)
}
const outfile = at(`node_modules/.cache/effect-compaction/${name}.mjs`)
await build({
  entryPoints: [at(`examples/${name}.ts`)],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20.19",
  packages: "external",
  alias: {
    "effect-compaction": at("src/index.ts"),
    "effect-compaction/ai": at("src/ai/index.ts"),
    "effect-compaction/testing": at("src/testing/index.ts"),
    "effect-compaction/node": at("src/layers/node/index.ts"),
    "effect-compaction/sql": at("src/sql/index.ts")
  },
  logLevel: "warning"
})
const { main } = await import(pathToFileURL(outfile).href)
NodeRuntime.runMain(main)
