// Imports a module of src/ into a script, as it is now and without a build.
import { build } from "esbuild"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))

export const loadSource = async (file) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "effect-compaction-"))
  const outfile = path.join(folder, "module.mjs")
  try {
    await build({
      entryPoints: [path.join(root, file)],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20.19",
      logLevel: "warning"
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
