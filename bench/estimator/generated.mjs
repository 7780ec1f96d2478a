// Classes that no package ships as files: what tools print, and strings that mean nothing.
import * as fs from "node:fs"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as path from "node:path"
import * as zlib from "node:zlib"
import { filesOf, randomFrom, read } from "./files.mjs"
import { oddities } from "./oddities.mjs"
import { cache } from "./sources.mjs"

/** A text that is cut into training and check itself, since there is only one of it. */
const made = (file, text) => ({ file, text, whole: true })

const output = (command, args) => {
  try {
    return execFileSync(command, args, {
      cwd: cache,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "ignore"]
    }).slice(0, 3_000_000)
  } catch (error) {
    // diff and grep say with their exit code what they found
    return String(error.stdout ?? "").slice(0, 3_000_000)
  }
}

/** The beginnings of several outputs, so that no one of them makes up a class. */
const outputs = (name, commands, size = 120_000) =>
  commands.map(([command, ...args], i) => made(`${name}${i}`, () => output(command, args).slice(0, size)))

const lines = (count, line) => Array.from({ length: count }, (_, i) => line(i)).join("\n")

const pick = (random, values) => values[Math.floor(random() * values.length)]
const words = [
  "request",
  "timeout",
  "cache",
  "session",
  "handler",
  "queue",
  "retry",
  "user",
  "upload",
  "billing",
  "index"
]
const levels = ["debug", "info", "info", "info", "warn", "error"]

const jsonLog = () => {
  const random = randomFrom(1)
  return lines(4000, (i) =>
    JSON.stringify({
      level: pick(random, levels),
      time: 1760000000000 + i * 137,
      pid: 4242,
      msg: `${pick(random, words)} ${pick(random, words)} finished in ${Math.floor(random() * 900)} ms`,
      requestId: createHash("md5").update(String(i)).digest("hex").slice(0, 16),
      path: `/api/v1/${pick(random, words)}/${Math.floor(random() * 9999)}`
    })
  )
}

const accessLog = () => {
  const random = randomFrom(2)
  const octet = () => Math.floor(random() * 256)
  return lines(4000, (i) => {
    const second = String(i % 60).padStart(2, "0")
    return (
      `${octet()}.${octet()}.${octet()}.${octet()} - - [12/Oct/2026:13:55:${second} +0000] ` +
      `"GET /${pick(random, words)}/${pick(random, words)}?id=${Math.floor(random() * 1e6)} HTTP/1.1" ` +
      `${pick(random, [200, 200, 304, 404, 500])} ${Math.floor(random() * 90000)} "-" "Mozilla/5.0 (X11; Linux x86_64)"`
    )
  })
}

const systemLog = () => {
  const random = randomFrom(3)
  return lines(4000, (i) => {
    const time = new Date(1760000000000 + i * 7100).toISOString()
    const stamp = `${time.slice(0, 10)} ${time.slice(11, 23)}`
    return `${stamp} ${pick(random, levels).toUpperCase()} [worker-${i % 7}] ${pick(random, words)}.${pick(random, words)}: ${pick(random, words)} ${pick(random, words)} after ${(random() * 9).toFixed(3)}s (attempt ${i % 4})`
  })
}

const table = (seed, separator, cell) => () => {
  const random = randomFrom(seed)
  return lines(5000, (i) => Array.from({ length: 8 }, (_, k) => cell(random, i, k)).join(separator))
}

const randomBytes = (seed, size) => {
  const random = randomFrom(seed)
  return Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)))
}

const wrapped = (text, width) => text.match(new RegExp(`.{1,${width}}`, "g")).join("\n")

const zipped = (name, pattern) => () =>
  filesOf("npm", name, pattern, 40)
    .map((file) => zlib.gzipSync(fs.readFileSync(file)).toString("base64"))
    .join("\n")

const hexDump = (bytes) =>
  lines(bytes.length >> 4, (i) => {
    const row = [...bytes.subarray(i * 16, i * 16 + 16)]
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0"))
    const text = row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : ".")).join("")
    return `${(i * 16).toString(16).padStart(8, "0")}  ${hex.slice(0, 8).join(" ")}  ${hex.slice(8).join(" ")}  |${text}|`
  })

const digests = (algorithm) => () =>
  lines(3000, (i) => `${createHash(algorithm).update(`${i}`).digest("hex")}  src/file${i}.ts`)

const uuids = () =>
  lines(4000, (i) => {
    const hex = createHash("sha1").update(`u${i}`).digest("hex")
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")
  })

const emoji = (seed, line) => () => {
  const random = randomFrom(seed)
  const all = JSON.parse(read(path.join(cache, "npm/emojibase-data/en/data.json")))
  return lines(4000, () => line(pick(random, all), random))
}

const coloured = (seed, text) => () => {
  const random = randomFrom(seed)
  return text()
    .split("\n")
    .map((line) =>
      line.replace(/\S+/, (word) => `\u001b[${pick(random, [31, 32, 33, 36, "1;34", "38;5;244"])}m${word}\u001b[0m`)
    )
    .join("\n")
}

export const generated = {
  listing: [
    () =>
      outputs("listing", [
        ["ls", "-laR", "npm/rxjs"],
        ["find", "npm/webpack", "-printf", "%p %s %TY-%Tm-%Td\n"],
        ["du", "-ak", "npm/three/src"],
        ["find", "npm/drizzle-orm", "-type", "f"]
      ]),
    () =>
      outputs("listing", [
        ["ls", "-lR", "debian/golang-golang-x-net-dev"],
        ["find", "npm/zod", "-type", "f"],
        ["du", "-ah", "npm/vite"]
      ])
  ],
  search_results: [
    () =>
      outputs("grep", [
        ["grep", "-rn", "return", "npm/rxjs/src"],
        ["grep", "-rn", "import", "npm/three/src"],
        ["grep", "-rn", "--include=*.py", "class", "debian/python3-django"]
      ]),
    () =>
      outputs("grep", [
        ["grep", "-rn", "const", "npm/ai/src"],
        ["grep", "-rn", "func", "debian/golang-github-spf13-cobra-dev"]
      ])
  ],
  diff: [
    () =>
      outputs("diff", [
        ["diff", "-ru", "npm/three/src/math", "npm/three/src/core"],
        ["diff", "-u", "npm/lodash/lodash.js", "npm/lodash/core.js"],
        ["diff", "-ru", "npm/rxjs/dist/esm5/internal", "npm/rxjs/dist/esm/internal"]
      ]),
    () =>
      outputs("diff", [
        ["diff", "-ru", "npm/moment/src/locale", "npm/moment/locale"],
        ["diff", "-ru", "npm/zod/src/v3", "npm/zod/src/v4/classic"]
      ])
  ],
  log: [() => [made("json", jsonLog), made("access", accessLog)], () => [made("system", systemLog)]],
  coloured: [
    () => [
      made(
        "ls",
        coloured(4, () => output("ls", ["-laR", "npm/express"]))
      ),
      made("log", coloured(5, systemLog))
    ],
    () => [
      made(
        "grep",
        coloured(6, () => output("grep", ["-rn", "const", "npm/eslint/lib"]).slice(0, 400_000))
      )
    ]
  ],
  numbers: [
    () => [
      made(
        "csv",
        table(7, ",", (random, i, k) => (k === 0 ? i : (random() * 1000).toFixed(k % 4)))
      ),
      made(
        "tsv",
        table(8, "\t", (random) => Math.floor(random() * 1e6))
      )
    ],
    () => [
      made(
        "dates",
        table(9, ", ", (random, i, k) =>
          k === 0 ? `2026-10-${String((i % 30) + 1).padStart(2, "0")}` : (random() * 90 - 45).toFixed(2)
        )
      )
    ]
  ],
  hex: [
    () => [made("dump", () => hexDump(zlib.gzipSync(randomBytes(10, 90_000)))), made("sha256", digests("sha256"))],
    () => [
      made("uuid", uuids),
      made("sha1", digests("sha1")),
      made("hex", () => randomBytes(11, 60_000).toString("hex"))
    ]
  ],
  base64: [
    () => [
      made("lines", () => wrapped(randomBytes(12, 150_000).toString("base64"), 76)),
      made("zip", zipped("three", /src.*\.js$/)),
      made("run", () => randomBytes(13, 120_000).toString("base64"))
    ],
    () => [
      made("zip", zipped("zod", /src.*\.ts$/)),
      made("url", () => lines(900, (i) => `token=${randomBytes(100 + i, 90).toString("base64url")}`))
    ]
  ],
  emoji: [
    () => [
      made(
        "labels",
        emoji(14, ({ emoji, label }, random) => `${emoji} ${label}${random() < 0.3 ? "!" : ","}`)
      ),
      made(
        "dense",
        emoji(15, ({ emoji }) => emoji.repeat(2))
      )
    ],
    () => [
      made(
        "chat",
        emoji(16, ({ emoji, label }) => `done: ${label} ${emoji}${emoji}`)
      )
    ]
  ],
  oddities: [() => oddities(1), () => oddities(3)]
}
