import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as SummaryGate from "../../src/compaction/SummaryGate.ts"
import type { FinishReason } from "../../src/session/SessionEvent.ts"

const verdict = (answer: SummaryGate.Answer | string): string =>
  Either.match(SummaryGate.check(typeof answer === "string" ? { text: answer } : answer), {
    onLeft: (error) => error.reason,
    onRight: (text) => `ok: ${text}`
  })

const refusals: ReadonlyArray<readonly [answer: SummaryGate.Answer | string, reason: string]> = [
  ["", "empty"],
  [" \n\t", "empty"],
  [{ text: "", finish: "stop" }, "empty"],
  [{ text: "## Goal\nhalf of", finish: "length" }, "truncated"],
  [{ text: "", finish: "length" }, "truncated"],
  [{ text: "", finish: "length", reasoning: true }, "no-text"],
  [{ text: "", reasoning: true }, "no-text"],
  [{ text: " ", toolCalls: true, finish: "tool-calls" }, "no-text"],
  [{ text: "Let me look.", toolCalls: true, finish: "tool-calls" }, "protocol"],
  [{ text: "Let me look.", finish: "tool-calls" }, "protocol"],
  [{ text: "Let me look.", toolCalls: true, finish: "stop" }, "protocol"],
  [{ text: "## Goal", finish: "content-filter" }, "filtered"],
  [{ text: "", finish: "content-filter", reasoning: true }, "filtered"],
  [{ text: "## Goal", finish: "unknown" }, "unknown-finish"],
  ["<think>the user wants</think>", "no-text"],
  ["<think>never closed, all the way", "no-text"],
  ["<THINK>a</THINK>\n<thinking>b</thinking> ", "no-text"],
  ["thoughts about it\n</think>\n", "no-text"],
  ["<function=read_file>\n<parameter=path>a.ts</parameter>\n</function>", "protocol"],
  ['<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>', "protocol"],
  ['<tool_call>{"name": "bash", "argum', "protocol"],
  ["<tool_call>read_file\n<arg_key>path</arg_key>\n</tool_call>", "protocol"],
  ['I will look at the file first.\n\n<tool_call>\n{"name": "read"}\n</tool_call>\n', "protocol"],
  ['<function_calls>\n<invoke name="read">\n</invoke>\n</function_calls>', "protocol"],
  ['<ns:function_calls>\n<ns:invoke name="read">\n</ns:invoke>\n</ns:function_calls>', "protocol"],
  ['<invoke name="read">\n<parameter name="path">a</parameter>', "protocol"],
  ['[TOOL_CALLS] [{"name": "bash", "arguments": {}}]', "protocol"],
  ['[TOOL_CALLS]bash[ARGS]{"command": "ls"}', "protocol"],
  ["<|python_tag|>print(1)", "protocol"],
  ["<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read", "protocol"],
  ['{"tool_calls": [{"id": "1", "function": {"name": "bash", "arguments": "{}"}}]}', "protocol"],
  ['{"tool_calls": [{"id": "1", "func', "protocol"],
  ['{"name": "bash", "arguments": {"command": "ls"}}', "protocol"],
  ['```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```', "protocol"],
  ['[{"type": "tool_use", "id": "t", "name": "bash", "input": {}}]', "protocol"],
  ["<think>I should read it</think><tool_call>\n{}\n</tool_call>", "protocol"],
  ["API Error: 429 Too Many Requests", "model"],
  ['Error code: 400 - {"error": {"message": "context length exceeded"}}', "model"],
  ['{"error": {"type": "overloaded_error", "message": "Overloaded"}}', "model"],
  ['{"type": "error", "error": {"type": "api_error"}}', "model"],
  ["<html><head><title>502 Bad Gateway</title></head>\n\n<body></body></html>", "model"],
  ["Request failed: connection refused", "model"]
]

const summaries: ReadonlyArray<string> = [
  "ok",
  "## Goal\nFix the parser.\n\n## Next step\nRun the tests.",
  "The parser did not handle `<tool_call>` inside prose; it was fixed.",
  "<tool_call> parsing was fixed by reading up to the end of the line.\n\nTests pass.",
  "## Errors and fixes\nThe model wrote this:\n<tool_call>\n{}\n</tool_call>\nand the parser now reads it.",
  '## Decisions\n```\n<function=read>\n</function>\n```\nis the format; `"tool_calls": []` is not.',
  '## Files\n```json\n{"name": "bash", "arguments": {}}\n```\n\n## State\n\n```xml\n<invoke name="read">\n</invoke>\n```',
  "The text `</think>` was shown to the user; the filter now drops it.",
  "## Files\n```\n<think>\nhm\n</think>\n```\nis how the model answers.",
  "Error handling was rewritten: a 429 is retried.\n\nThe user wants tests for it.",
  "## Errors and fixes\nAPI error 429 was met twice.",
  "Errors with status 500 were traced to the pool.\n\nNext: the timeouts.",
  '{"goal": "fix the parser", "next": "run the tests"}',
  "Invoke `npm test` next.",
  "目标：修复解析器。"
]

const marks: Readonly<Record<string, string>> = {
  empty: "[A83 P33 LOOP-4]",
  truncated: "[A82 P33 BADSUM-1 BADSUM-2 OPPOSITES-10a]",
  "no-text": "[A83 P33 BADSUM-8 HEADROOM-8 HEADROOM-9]",
  protocol: "[P33 BADSUM-4]",
  filtered: "[A82 P33]",
  "unknown-finish": "[A82 P33]",
  model: "[P37]"
}

describe("SummaryGate.check", () => {
  for (const [answer, reason] of refusals) {
    it(`refuses ${JSON.stringify(answer)} as ${reason} ${marks[reason]}`, () =>
      assert.strictEqual(verdict(answer), reason))
  }

  for (const text of summaries) {
    it(`passes ${JSON.stringify(text)}`, () => {
      assert.strictEqual(verdict({ text: `\n${text}\n`, finish: "stop" }), `ok: ${text}`)
    })
  }

  it("takes reasoning off, and keeps the answer [GROW-7]", () => {
    assert.strictEqual(verdict("<think>hm\n<b></think>\n\n## Goal\nShip."), "ok: ## Goal\nShip.")
    assert.strictEqual(verdict("thoughts\n</think>\n\n## Goal\nShip."), "ok: ## Goal\nShip.")
    assert.strictEqual(verdict({ text: "## Goal\nShip.", reasoning: true, finish: "stop" }), "ok: ## Goal\nShip.")
  })

  it("shows what the error message was", () => {
    const result = SummaryGate.check({ text: "API Error: 529 overloaded" })
    assert.include(Either.isLeft(result) ? result.left.message : "", "API Error: 529 overloaded")
  })

  it.prop(
    "never passes anything that was not finished, whatever the text",
    [FastCheck.string(), FastCheck.constantFrom<FinishReason>("length", "content-filter", "unknown", "tool-calls")],
    ([text, finish]) => assert.isFalse(verdict({ text, finish }).startsWith("ok"))
  )

  it.prop(
    "passes prose with any of these forms in the middle of it",
    [FastCheck.constantFrom(...refusals)],
    ([refusal]) => {
      const text = (typeof refusal[0] === "string" ? refusal[0] : refusal[0].text).trim()
      if (text === "" || text.includes("hink>") || text.includes("THINK")) return
      const fenced = `## Errors and fixes\nThe answer was:\n\n\`\`\`\n${text.replaceAll("```", "")}\n\`\`\`\n\n## Next step\nGo on.`
      assert.strictEqual(verdict(fenced), `ok: ${fenced}`)
    }
  )

  it("takes time linear in hostile text", () => {
    const hostile = "<tool_call> mention\n<function=x goes on\n```\n</think> no\n".repeat(20_000)
    assert.isTrue(verdict(`${hostile}## Goal`).length > 0)
    assert.isTrue(verdict("<".repeat(500_000)).length > 0)
    assert.isTrue(verdict(`error ${" ".repeat(500_000)}`).length > 0)
  })
})
