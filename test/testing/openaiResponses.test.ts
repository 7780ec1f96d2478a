import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { firstLine } from "../../src/compaction/SummaryInstruction.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { posting, type Fields } from "./posting.ts"

const { message, say } = SimulatedProvider

const openai = (options: Partial<SimulatedProvider.Options> = {}) =>
  posting("openai-responses", { as: "openai", ...options })

const words = (count: number) => "word ".repeat(count).trim()
const user = (content: unknown) => ({ role: "user", content })
const call = (id: string) => ({ type: "function_call", call_id: id, name: "read", arguments: '{"path":"src/a.ts"}' })
const output = (id: string) => ({ type: "function_call_output", call_id: id, output: "ok" })
const request = (input: unknown, more: Fields = {}) => ({ model: "m", input, ...more })

describe("OpenAI responses", () => {
  const answer = message(
    Message.assistant([
      { type: "reasoning", text: "First I think. ".repeat(20) },
      Message.textBlock("Grüße 😀 ".repeat(50)),
      Message.toolCall("call_1", "read", { path: "x".repeat(400) }),
      Message.toolCall("call_2", "list", {})
    ])
  )

  it.scopedLive("are the same whole and streamed, every event counted", () =>
    Effect.gen(function* () {
      const { next, post } = yield* openai()
      yield* next(answer, answer)
      const whole = yield* post(request("Hello"))
      assert.deepInclude(whole.body, { object: "response", status: "completed", error: null, incomplete_details: null })
      assert.deepStrictEqual(
        whole.body["output"].map(({ type }: Fields) => type),
        ["reasoning", "message", "function_call", "function_call"]
      )
      assert.deepInclude(whole.body["output"][2], { call_id: "call_1", arguments: `{"path":"${"x".repeat(400)}"}` })
      assert.notProperty(whole.body["output"][0], "encrypted_content")

      const { events, text } = yield* post(request("Hello", { stream: true }))
      for (const event of events) assert.include(text, `event: ${event["type"]}\n`)
      assert.deepStrictEqual(
        events.map((event) => event["sequence_number"]),
        events.map((_, i) => i)
      )
      const completed = events.at(-1)
      assert.strictEqual(completed?.["type"], "response.completed")
      const sameItems = (items: ReadonlyArray<Fields>) => items.map((item) => ({ ...item, id: undefined }))
      assert.deepStrictEqual(sameItems(completed?.["response"].output), sameItems(whole.body["output"]))
      assert.deepStrictEqual(completed?.["response"].usage, whole.body["usage"])
      assert.deepStrictEqual(
        events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item),
        completed?.["response"].output
      )
      const deltas = (type: string) =>
        events
          .filter((event) => event["type"] === type)
          .map(({ delta }) => delta)
          .join("")
      assert.strictEqual(deltas("response.output_text.delta"), "Grüße 😀 ".repeat(50))
      assert.strictEqual(deltas("response.reasoning_summary_text.delta"), "First I think. ".repeat(20))
      assert.strictEqual(deltas("response.function_call_arguments.delta"), `{"path":"${"x".repeat(400)}"}{}`)
    })
  )

  it.scopedLive("count the cached input and the reasoning inside, and seal thoughts on request", () =>
    Effect.gen(function* () {
      const { next, post, requests } = yield* openai({ answers: () => say("ok") })
      yield* post(request(words(2_000)))
      yield* next(answer)
      const more = { include: ["reasoning.encrypted_content"], instructions: undefined }
      const { body } = yield* post(
        request([user(words(2_000)), { role: "assistant", content: "ok" }, user("Go on")], more)
      )
      assert.isAtLeast(body["usage"].input_tokens_details.cached_tokens, 1_920)
      assert.isAbove(body["usage"].input_tokens, 2_000)
      assert.isAbove(body["usage"].output_tokens, body["usage"].output_tokens_details.reasoning_tokens)
      assert.isAbove(body["usage"].output_tokens_details.reasoning_tokens, 60)
      assert.strictEqual(body["usage"].total_tokens, body["usage"].input_tokens + body["usage"].output_tokens)
      assert.isString(body["output"][0].encrypted_content)
      const again = yield* post(request([user("a"), ...body["output"], output("call_1"), output("call_2")]))
      assert.strictEqual(again.status, 200)
      // everything that comes back is counted, the sealed thought by its true length
      assert.isAbove((yield* requests)[2]?.inputTokens ?? 0, 250)
    })
  )

  it.scopedLive("stop at the output limit and at the window as incomplete", () =>
    Effect.gen(function* () {
      const { post } = yield* openai({ window: 1_000, limitCounts: "input", answers: () => say(words(900)) })
      for (const more of [{ max_output_tokens: 20 }, {}]) {
        const { body } = yield* post(request(words(500), more))
        assert.strictEqual(body["status"], "incomplete")
        assert.deepStrictEqual(body["incomplete_details"], { reason: "max_output_tokens" })
      }
      const { events } = yield* post(request(words(500), { stream: true }))
      assert.strictEqual(events.at(-1)?.["type"], "response.incomplete")
    })
  )

  it.scopedLive("refuse what is too long without a figure, or drop the oldest where the client allows it", () =>
    Effect.gen(function* () {
      const { post, requests } = yield* openai({
        window: 1_000,
        answers: ({ messages }) => say(messages.map(({ role }) => role).join(" "))
      })
      const input = [user(words(600)), { role: "assistant", content: "ok" }, user(words(600))]
      const { body, status } = yield* post(request(input))
      assert.strictEqual(status, 400)
      assert.deepInclude(body["error"], {
        code: "context_length_exceeded",
        param: "input",
        type: "invalid_request_error"
      })
      assert.notMatch(body["error"].message, /\d/)
      const { body: dropped } = yield* post(request(input, { truncation: "auto", instructions: "Be terse." }))
      assert.strictEqual(dropped["output"][0].content[0].text, "system assistant user")
      assert.isAtMost(dropped["usage"].input_tokens, 1_000)
      assert.isAbove((yield* requests)[1]?.inputTokens ?? 0, 1_200)
    })
  )

  const refused: ReadonlyArray<readonly [what: string, body: unknown, words: string]> = [
    ["no JSON", "{", "could not parse"],
    ["no model", { input: "x" }, "'model'"],
    ["no input", { model: "m" }, "'input'"],
    ["too small a limit", request("x", { max_output_tokens: 1 }), "Expected a value >= 16, but got 1"],
    [
      "an output without its call",
      request([user("x"), output("c1")]),
      "No tool call found for function call output with call_id c1."
    ],
    ["a call without its output", request([user("x"), call("c1")]), "No tool output found for function call c1."],
    ["a response that it does not have", request("x", { previous_response_id: "resp_9" }), "'resp_9' not found"],
    ["an item that it does not have", request([{ type: "item_reference", id: "rs_9" }]), "'rs_9' not found"],
    ["an item that is none", request([{ type: "thing" }]), "Invalid value: 'thing'"],
    ["a role that is none", request([{ role: "tool", content: "x" }]), "input[0].role"]
  ]
  for (const [what, body, said] of refused) {
    it.scopedLive(`refuse ${what}`, () =>
      Effect.gen(function* () {
        const { post, requests } = yield* openai({ answers: () => say("ok") })
        const found = yield* post(body)
        assert.strictEqual(found.status, 400)
        assert.include(found.body["error"].message, said)
        assert.strictEqual((yield* requests)[0]?.outcome, "invalid")
        assert.strictEqual((yield* post(request([user("x"), call("c1"), output("c1")]))).status, 200)
      })
    )
  }

  it.scopedLive("read the input as messages, and know our summary request", () =>
    Effect.gen(function* () {
      const { post, requests } = yield* openai({ answers: ({ messages }) => say(JSON.stringify(messages)) })
      const { body } = yield* post(
        request(
          [
            user([{ type: "input_text", text: "a" }]),
            { type: "reasoning", summary: [{ type: "summary_text", text: "t" }] },
            { type: "message", role: "assistant", content: [{ type: "output_text", text: "b" }] },
            call("c1"),
            call("c2"),
            output("c1"),
            output("c2")
          ],
          { instructions: "Be terse." }
        )
      )
      const asCall = (id: string) => ({ id, function: { name: "read", arguments: '{"path":"src/a.ts"}' } })
      assert.deepStrictEqual(JSON.parse(body["output"][0].content[0].text), [
        { role: "system", content: "Be terse." },
        { role: "user", content: "a" },
        { role: "assistant", reasoning_content: "t", content: "b", tool_calls: [asCall("c1"), asCall("c2")] },
        { role: "tool", tool_call_id: "c1", content: "ok" },
        { role: "tool", tool_call_id: "c2", content: "ok" }
      ])
      const summary = yield* post(
        request([user("Fix it."), call("c1"), output("c1"), user(`${firstLine}\n## Goal\n## Files`)])
      )
      assert.strictEqual(summary.body["output"][0].content[0].text, "## Goal\n- Fix it.\n\n## Files\n- src/a.ts")
      assert.strictEqual((yield* requests)[1]?.kind, "summary")
    })
  )
})
