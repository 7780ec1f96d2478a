// Texts of every kind for tests of estimators.
import * as FastCheck from "effect/FastCheck"
import * as fs from "node:fs"

/** Any text: each class, runs of them, lone surrogates. */
export const anyText = FastCheck.oneof(
  FastCheck.string({ unit: FastCheck.constantFrom("\n", "a", "1", " ", ";", "é"), maxLength: 4 }),
  FastCheck.string({ unit: "binary", maxLength: 60 }),
  FastCheck.array(
    FastCheck.oneof(
      FastCheck.constantFrom("word", "getHTTPName", "ABC", "é", " ", "  ", "\n", "\t", "};", "----", "\\n", "\ud83d"),
      FastCheck.constantFrom("漢字", "かな", "한글", "привет", "مرحبا", "नम", "😀", "…", "a1B2c3D4e5F6", "42", "\u0000")
    ),
    { maxLength: 30 }
  ).map((parts) => parts.join(""))
)

const read = (path: string) => fs.readFileSync(new URL(`../../node_modules/${path}`, import.meta.url), "utf8")
const diagnostics = (language: string) =>
  Object.values(JSON.parse(read(`typescript/lib/${language}/diagnosticMessages.generated.json`))).join("\n")

const bytes = (() => {
  let random = 1
  return Buffer.from(Array.from({ length: 30_000 }, () => (random = (random * 48271) % 2147483647) & 255))
})()

/** Texts that no fit has seen, from packages of this project. */
export const texts = {
  "a README": read("effect/README.md"),
  "another README": read("vitest/LICENSE.md"),
  TypeScript: read("effect/src/Schedule.ts").slice(0, 60_000),
  JavaScript: read("prettier/doc.mjs").slice(0, 60_000),
  declarations: read("@types/node/fs.d.ts").slice(0, 60_000),
  JSON: read("effect/package.json").slice(0, 40_000),
  "JSON in one line": JSON.stringify(JSON.parse(read("effect/package.json"))).slice(0, 40_000),
  "a tool call's source": JSON.stringify({ content: read("effect/src/Either.ts").slice(0, 20_000) }),
  Chinese: diagnostics("zh-cn"),
  Japanese: diagnostics("ja"),
  Korean: diagnostics("ko"),
  Russian: diagnostics("ru"),
  German: diagnostics("de"),
  French: diagnostics("fr"),
  base64: bytes.toString("base64"),
  hex: bytes.toString("hex")
} as const

/** Units whose repetition makes a run that is hard for some tokenizer. */
export const runUnits = [
  "a",
  "aB",
  "a0",
  "é",
  "0",
  " ",
  "\n",
  "\t",
  " \n",
  "=",
  "=-",
  "😀",
  "\ud83d",
  "─",
  "…",
  "中",
  "e\u0301"
]
