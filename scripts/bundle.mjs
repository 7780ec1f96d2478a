// The command as one file, with the script and style of its report's page inside. The build and the tests make it alike.
import { build } from "esbuild"
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

export const bundleCommand = async (outfile) =>
  build({
    entryPoints: [at("src/cli/main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    legalComments: "none",
    logLevel: "warning",
    define: { REPORT_PAGE: JSON.stringify(await pageAssets()) },
    // CommonJS dependencies of the command call require
    banner: {
      js: '#!/usr/bin/env node\nimport { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);'
    }
  })
