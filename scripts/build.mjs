// Builds the library with tsc, one file a module, and bundles the command.
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, rmSync } from "node:fs"
import { bundleCommand } from "./bundle.mjs"

rmSync("dist", { recursive: true, force: true })
const tsc = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit"
})
if (tsc.status !== 0) process.exit(tsc.status ?? 1)

if (existsSync("src/cli/main.ts")) {
  const outfile = "dist/bin/effect-compaction.js"
  await bundleCommand(outfile)
  chmodSync(outfile, 0o755)
}
