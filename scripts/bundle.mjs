// The command as a file, with what only some of its commands need in a folder of files beside it: who asks for a version does
// not wait for a tokenizer. The script and style of its report's page are inside. The build and the tests make it alike.
import { build } from "esbuild"
import { basename, dirname, extname } from "node:path"
import { fileURLToPath } from "node:url"

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** What the page of a report consists of beside its data: a script and a style, each as text. */
export const pageAssets = async () => {
  const page = (file) =>
    build({
      entryPoints: [at(`src/cli/page/${file}`)],
      bundle: true,
      minify: true,
      write: false,
      platform: "browser",
      format: "iife",
      target: "es2022",
      legalComments: "none",
      logLevel: "warning"
    })
  const [script, style] = await Promise.all([page("main.ts"), page("style.css")])
  return { script: script.outputFiles[0].text, style: style.outputFiles[0].text }
}

export const bundleCommand = async (outfile) => {
  const extension = extname(outfile)
  return build({
    entryPoints: { [basename(outfile, extension)]: at("src/cli/main.ts") },
    outdir: dirname(outfile),
    outExtension: { ".js": extension },
    chunkNames: "parts/[name]-[hash]",
    bundle: true,
    splitting: true,
    // less to read before the first command runs; names stay, for stacks
    minifySyntax: true,
    minifyWhitespace: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    legalComments: "none",
    logLevel: "warning",
    define: { REPORT_PAGE: JSON.stringify(await pageAssets()) },
    // CommonJS dependencies of the command call require
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);'
    }
  })
}
