import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { readFileSync } from "node:fs"
import { redact } from "../../src/compaction/redact.ts"

// put together here, so that no scanner takes this file for a leak
const random = "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb7dEf0hIj3kLm6n"
const pem = (kind: string, body: string) => `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----`
const jwt = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", "dozjgNryP4J3jVmNHl0w5N"].join(".")

const secrets: ReadonlyArray<readonly [name: string, secret: string]> = [
  ["OpenAI key", `sk-${random}`],
  ["OpenAI key", `sk-proj-${random}_${random}`],
  ["OpenAI key", "sk-0123456789abcdef0123456789abcdef"],
  ["Anthropic key", `sk-ant-api03-${random}-${random}AA`],
  ["OpenRouter key", `sk-or-v1-${random}`],
  ["GitHub token", `ghp_${random.slice(0, 36)}`],
  ["GitHub token", `gho_${random.slice(0, 36)}`],
  ["GitHub token", `github_pat_${random.slice(0, 22)}_${random}`],
  ["AWS key id", `AKIA${"IOSFODNN7EXAMPLE"}`],
  ["Slack token", `xoxb-${"123456789012"}-${random.slice(0, 24)}`],
  ["Google key", `AIza${random.slice(0, 35)}`],
  ["JWT", jwt],
  ["private key", pem("RSA PRIVATE KEY", `${random}\n${random}`)],
  ["private key", pem("PRIVATE KEY", `${random}\n${random}`).replaceAll("\n", "\\n")],
  ["private key", pem("ENCRYPTED PRIVATE KEY", `Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\n${random}`)]
]

const contexts: ReadonlyArray<(secret: string) => string> = [
  (secret) => secret,
  (secret) => `export KEY=${secret}\nnext`,
  (secret) => `{"key": "${secret}", "other": 1}`,
  (secret) => `Der Schlüssel: ${secret}.`
]

describe("redact", () => {
  it("masks each well-known shape, wherever it stands, and nothing around it", () => {
    for (const [name, secret] of secrets) {
      for (const within of contexts) assert.strictEqual(redact(within(secret)), within(`[redacted: ${name}]`))
    }
  })

  it("masks the value of an Authorization header and the password of a URL, and leaves the rest", () => {
    assert.strictEqual(redact(`authorization: Bearer ${random}`), "authorization: Bearer [redacted: authorization]")
    assert.strictEqual(
      redact(`"Authorization": "Basic dXNlcjpwYXNzd29yZDEyMw=="`),
      `"Authorization": "Basic [redacted: authorization]"`
    )
    assert.strictEqual(
      redact("psql postgres://me:hunter2@db.example.com:5432/x"),
      "psql postgres://me:[redacted: password]@db.example.com:5432/x"
    )
    // the password may be a part of what stands before it
    assert.strictEqual(redact("redis://red:red@host"), "redis://red:[redacted: password]@host")
  })

  it("masks a private key whose end was cut off, and keeps the text behind it", () => {
    const cut = `-----BEGIN PRIVATE KEY-----\n${random}\n${random.slice(0, 20)}… 300 more lines`
    assert.strictEqual(redact(cut), "[redacted: private key]… 300 more lines")
  })

  it("leaves hashes, UUIDs, code and names as they are", () => {
    const harmless = [
      "d41d8cd98f00b204e9800998ecf8427e da39a3ee5e6b4b0d3255bfef95601890afd80709",
      "sha512-9pF1yN2v4mQ8sXz0bR3kJ7hT5wL6cD1eGfAoUiYtPqMnBvCxZlKjHgFdSaQwErTyUiOpAsDfGhJkLzXcVbNm==",
      "550e8400-e29b-41d4-a716-446655440000",
      '<div class="sk-button-group-large-item-2x task-sk-something-long-enough">',
      "const task = `risk-assessment-for-the-next-quarter-2026-final`",
      'if (line.startsWith("-----BEGIN PRIVATE KEY-----")) return line.endsWith("-----END PRIVATE KEY-----")',
      "headers: { Authorization: `Bearer ${token}` }; // Authorization: Bearer YOUR_API_KEY_STANDS_HERE",
      "postgres://user:${PASSWORD}@host/db postgres://user:password@localhost https://example.com:8080/@me",
      "ghp_short AKIAtooshort xoxb-no eyJhbGciOiJIUzI1NiJ9 AIza",
      "git@github.com:owner/repo.git ssh://git@host:22/x"
    ]
    for (const text of harmless) assert.strictEqual(redact(text), text)
  })

  it("leaves this package's own files as they are", () => {
    for (const path of [
      "package-lock.json",
      "src/layers/Surface.ts",
      "README.md",
      "examples/transcript/session.json"
    ]) {
      const text = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")
      assert.strictEqual(redact(text), text, path)
    }
  })

  it.prop(
    "leaves base64, hex and UUIDs as they are, whatever bytes they stand for",
    [FastCheck.uint8Array({ minLength: 300, maxLength: 3000 }), FastCheck.uuid()],
    ([bytes, uuid]) => {
      const image = Buffer.from(bytes)
      for (const text of [
        image.toString("base64"),
        `data:image/png;base64,${image.toString("base64")}`,
        image.toString("hex"),
        uuid
      ]) {
        assert.strictEqual(redact(text), text)
      }
    }
  )

  const piece = FastCheck.oneof(
    FastCheck.constantFrom(...secrets.map(([, secret]) => secret)),
    FastCheck.constantFrom(
      "-----BEGIN PRIVATE KEY-----",
      "-----END PRIVATE KEY-----",
      "sk-",
      "eyJ",
      ".",
      "-",
      "_",
      "://"
    ),
    FastCheck.constantFrom("Authorization: Bearer ", "a://b:", "@", random, "AKIA", "\n", " ", "\\n", "é"),
    FastCheck.string({ maxLength: 8 })
  )

  it.prop(
    "changes nothing of its own result, whatever stands side by side",
    [FastCheck.array(piece, { maxLength: 12 })],
    ([pieces]) => {
      const once = redact(pieces.join(""))
      assert.strictEqual(redact(once), once)
    },
    { fastCheck: { numRuns: 3000 } }
  )

  it("is done with a megabyte of beginnings that come to nothing", () => {
    // a step for each pair of places would not end within the test's limit
    for (const begun of ["sk-", "eyJ-", "eyJaaaaaaaa.", "-----BEGIN PRIVATE KEY-----", "a://b:", "xoxb-", "a"]) {
      const text = `sk-${begun.repeat(Math.ceil(1_000_000 / begun.length))}`
      assert.isString(redact(text))
    }
  })
})
