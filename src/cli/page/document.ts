/**
 * A report as one page that needs nothing else: no network, no server, no other file.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import type { Assets } from "./assets.ts"

/**
 * Texts are plain; `data` is what the page's script shows (`main.ts`).
 *
 * @since 0.1.0
 * @category models
 */
export interface Document {
  readonly heading: string
  readonly file: string
  readonly about: string
  readonly data: unknown
}

const escaped: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const text = (value: string): string => value.replace(/[&<>"]/gu, (character) => escaped[character]!)

/** A block of data ends at the first `</script`, wherever that stands; within JSON "<" has another form. */
const asJson = (data: unknown): string => JSON.stringify(data).replaceAll("<", "\\u003c")

/**
 * What the browser holds the page to: it runs this one script, and loads nothing. So whatever a transcript holds, it can
 * neither run nor call home.
 */
const policy = ({ script }: Assets): string =>
  [
    "default-src 'none'",
    `script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'"
  ].join("; ")

/**
 * @since 0.1.0
 * @category conversions
 */
export const render = ({ about, data, file, heading }: Document, assets: Assets): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy(assets)}">
<title>${text(heading)}: ${text(file)}</title>
<style>${assets.style}</style>
</head>
<body>
<header>
<h1>${text(heading)}</h1>
<p>${text(about)}</p>
</header>
<main id="page"><p>This page is drawn by a script that stands in it, and needs nothing from a network.</p></main>
<script type="application/json" id="report">${asJson(data)}</script>
<script>${assets.script}</script>
</body>
</html>
`
