// The tools of the recorded agent. Each really runs; what it prints is kept, with nothing changed but the names of this
// machine.
import { spawnSync } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { homedir, hostname, tmpdir } from "node:os"
import { dirname, join } from "node:path"

export const root = realpathSync(new URL("../..", import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), "record-"))
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }))

// An agent's tools cap what they return; by bytes, since a Chinese text of the same length costs three times as much.
const cap = 23_000

// An environment of its own: no colours, no terminal width, nothing of the person who records.
const env = {
  PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH}`,
  HOME: homedir(),
  LANG: "C.UTF-8",
  TZ: "UTC",
  NO_COLOR: "1",
  COLUMNS: "120",
  GIT_PAGER: "cat",
  SCRATCH: scratch,
  npm_config_offline: "true",
  npm_config_update_notifier: "false"
}

const escape = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&")
const word = (text) => new RegExp(`(?<![\\w.-])${escape(text)}(?![\\w-])`, "gu")
const git = spawnSync("git", ["rev-parse", "--path-format=absolute", "--git-common-dir"], {
  cwd: root,
  encoding: "utf8"
})
const mainCheckout = git.stdout.trim().replace(/\/\.git$/u, "")

// Longest first, so that a folder inside another does not leave a rest behind.
const names = [
  [new RegExp(escape(root), "gu"), "/workspace"],
  [new RegExp(escape(mainCheckout), "gu"), "/workspace"],
  [new RegExp(escape(scratch), "gu"), "/tmp/scratch"],
  [new RegExp(escape(homedir()), "gu"), "/home/dev"],
  [word(hostname()), "workstation"],
  [/https?:\/\/[^\s"'/]*registry[^\s"']*/gu, "https://packages.example/"],
  [/\b(localhost|127\.0\.0\.1):\d+/gu, "$1:8080"]
]

/** This machine's names out, others in; the same everywhere. */
export const rewrite = (text) => names.reduce((rewritten, [pattern, name]) => rewritten.replaceAll(pattern, name), text)

/** What must not be in the file, for the check at the end; a machine may happen to have the names that others become. */
export const forbidden = [
  [root, new RegExp(escape(root), "u")],
  [mainCheckout, new RegExp(escape(mainCheckout), "u")],
  [scratch, new RegExp(escape(scratch), "u")],
  [homedir(), new RegExp(escape(`${homedir()}/`), "u")],
  [hostname(), new RegExp(word(hostname()).source, "u")],
  ["registry", /registry/u],
  // folders that hold the checkout or a home, whatever user's
  [`${dirname(mainCheckout)}/`, new RegExp(escape(`${dirname(mainCheckout)}/`), "u")],
  ["a home of root", new RegExp(`${["", "root", ""].join("/")}`, "u")]
].filter(([name]) => !["/workspace", "/home/dev", "workstation"].includes(name))

const shorten = (text) => {
  const bytes = Buffer.from(text)
  if (bytes.length <= cap) return text
  // a cut inside a character leaves a replacement character, which goes
  const kept = bytes
    .subarray(0, cap)
    .toString("utf8")
    .replace(/\ufffd+$/u, "")
  return `${kept}\n[output cut: ${bytes.length - Buffer.byteLength(kept)} more bytes]`
}

const shell = (command) => {
  const { signal, status, stderr, stdout } = spawnSync("bash", ["-c", command], {
    cwd: root,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 26,
    timeout: 180_000
  })
  return { output: `${stdout}${stderr}`, code: status ?? signal }
}

const plain = ({ code, output }) =>
  code === 0 ? output : `${output}${output.endsWith("\n") ? "" : "\n"}[exit code ${code}]`

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`

const tools = {
  run: ({ command }) => plain(shell(command)) || "[no output]",
  read_file: ({ path, from = 1, to }) =>
    plain(shell(`sed -n '${from},${to ?? "$"}p' ${quoted(path)}`)) || "[no such lines]",
  search: ({ pattern, path }) => {
    const found = shell(
      `grep -rnHE --exclude-dir=node_modules --exclude-dir=dist -e ${quoted(pattern)} ${quoted(path)} | sort -t: -k1,1 -k2,2n`
    )
    return found.output || "[no match]"
  },
  list_files: ({ path }) => plain(shell(`ls -1p ${quoted(path)}`))
}

/** The result of one call, as the transcript holds it. */
export const call = (name, args) => shorten(rewrite(tools[name](args)))

/** For what the recorder itself wants to know. */
export const lines = (command) =>
  shell(command)
    .output.split("\n")
    .filter((line) => line !== "")

const schema = (name, description, properties, required) => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties, required, additionalProperties: false } }
})
const text = (description) => ({ type: "string", description })
const line = (description) => ({ type: "integer", minimum: 1, description })

export const schemas = [
  schema(
    "run",
    "Run a shell command in the root of the repository; gives its output and, if it fails, its exit code.",
    { command: text("The command, for bash.") },
    ["command"]
  ),
  schema(
    "read_file",
    "Read a text file, or the lines from `from` to `to` of it.",
    { path: text("Path from the root of the repository."), from: line("First line, from 1."), to: line("Last line.") },
    ["path"]
  ),
  schema(
    "search",
    "Find the lines that match an extended regular expression, with file and line number.",
    { pattern: text("Extended regular expression."), path: text("File or folder to look in.") },
    ["pattern", "path"]
  ),
  schema("list_files", "List a folder.", { path: text("Path from the root of the repository.") }, ["path"])
]
