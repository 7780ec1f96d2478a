import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { asking, posting, protocols, type Fields, type Posted } from "./posting.ts"

const { at, cut, drop, end, inStream, misreport, overloaded, raw, rateLimited, refuse, say, slow, stall, status } =
  SimulatedProvider

const words = (count: number) => "word ".repeat(count).trim()

const saidIn = (protocol: SimulatedProvider.ProtocolName, { body }: Posted): string =>
  protocol === "chat-completions"
    ? body["choices"][0].message.content
    : protocol === "anthropic-messages"
      ? body["content"][0].text
      : body["output"][0].content[0].text

/** Input, output and cached tokens, as a client of the protocol adds them up. */
const usageIn = (protocol: SimulatedProvider.ProtocolName, { body: { usage } }: Posted) =>
  protocol === "chat-completions"
    ? [usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details.cached_tokens]
    : protocol === "anthropic-messages"
      ? [
          usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
          usage.output_tokens,
          usage.cache_read_input_tokens
        ]
      : [usage.input_tokens, usage.output_tokens, usage.input_tokens_details.cached_tokens]

/** The error of a stream, in whatever event it comes. */
const errorIn = (event: Fields | undefined) => event?.["error"] ?? event?.["response"]?.error ?? event

for (const protocol of protocols) {
  const ask = (text: string, more: Fields = {}) => asking(protocol, text, more)

  describe(`a provider asked in ${protocol}`, () => {
    for (const as of ["deepseek", "openai", "anthropic"] as const) {
      it.scopedLive(`answers and refuses in it, as ${as}`, () =>
        Effect.gen(function* () {
          const { post, requests } = yield* posting(protocol, { as, window: 1_000, answers: () => say("ok") })
          const answered = yield* post(ask("Hello", { maxTokens: 50 }))
          assert.strictEqual(saidIn(protocol, answered), "ok")
          const refused = yield* post(ask(words(1_500), { maxTokens: 50 }))
          assert.strictEqual(refused.status, 400)
          assert.match(refused.body["error"].message, as === "anthropic" ? /^prompt is too long/ : /context|input/)
          if (protocol === "anthropic-messages") assert.strictEqual(refused.body["type"], "error")
          else assert.property(refused.body["error"], "param")
          const recorded = yield* requests
          assert.deepStrictEqual(
            recorded.map((request) => `${request.protocol} ${request.outcome}`),
            [`${protocol} answered`, `${protocol} refused`]
          )
          assert.strictEqual(usageIn(protocol, answered)[0], recorded[0]?.inputTokens)
        })
      )
    }

    it.scopedLive("counts what is cached in the protocol's own way", () =>
      Effect.gen(function* () {
        const { post, requests } = yield* posting(protocol, { answers: () => say("ok") })
        yield* post(ask(words(500)))
        const again = yield* post(ask(words(500)))
        const { usage } = (yield* requests)[1]!
        assert.isAtLeast(usage?.cached ?? 0, 448)
        assert.deepStrictEqual(usageIn(protocol, again), [usage?.input, usage?.output, usage?.cached])
      })
    )

    it.scopedLive("fails at the requests that the script names, and at no other", () =>
      Effect.gen(function* () {
        const { next, post, remaining } = yield* posting(protocol, { as: "anthropic", answers: () => say("ok") })
        yield* next(
          at(4, status(500, { error: { message: "x" } })),
          at(3, overloaded),
          at(1, refuse),
          at(2, rateLimited("7"))
        )
        const found: Array<number> = []
        let retryAfter: string | null = null
        for (let i = 0; i < 6; i++) {
          const { headers, status } = yield* post(ask("Hello"))
          found.push(status)
          retryAfter ??= headers.get("retry-after")
        }
        assert.deepStrictEqual(found, [200, 400, 429, 529, 500, 200])
        assert.strictEqual(retryAfter, "7")
        assert.strictEqual(yield* remaining, 0)
      })
    )

    it.scopedLive("reports wrong figures when it is told to", () =>
      Effect.gen(function* () {
        const { next, post } = yield* posting(protocol, { answers: () => say("ok") })
        yield* next(misreport({ input: 7, output: 5 }))
        assert.deepStrictEqual(usageIn(protocol, yield* post(ask("Hello"))), [7, 5, 0])
        assert.notStrictEqual(usageIn(protocol, yield* post(ask("Hello")))[0], 7)
      })
    )

    it.scopedLive("reports no more from the cache than it reports at all, unless it is told to", () =>
      Effect.gen(function* () {
        const { next, post } = yield* posting(protocol, { as: "deepseek", answers: () => say("ok") })
        const long = ask("word ".repeat(500))
        yield* post(long)
        assert.isAbove(usageIn(protocol, yield* post(long))[2], 100)
        yield* next(misreport({ input: 70 }), misreport({ input: 70, cached: 90 }))
        const [input, , cached] = usageIn(protocol, yield* post(long))
        assert.deepStrictEqual([input, cached], [70, 70])
        assert.strictEqual(usageIn(protocol, yield* post(long))[2], 90)
      })
    )

    it.scopedLive("breaks a stream: cut, ended, refused or failed inside, and bytes of the test's own", () =>
      Effect.gen(function* () {
        const { next, post, requests } = yield* posting(protocol, { as: "anthropic" })
        const begun = "I begin with this"
        yield* next(
          cut(begun),
          end(begun),
          inStream(refuse, begun),
          inStream(overloaded, begun),
          inStream(rateLimited(), begun),
          raw("data: {torn\n\n")
        )
        const streamed: Array<Posted> = []
        for (let i = 0; i < 5; i++) streamed.push(yield* post(ask("Hello", { stream: true })))
        for (const { status, text } of streamed) {
          assert.strictEqual(status, 200)
          assert.include(text, begun)
          assert.notMatch(text, /\[DONE\]|message_stop|response\.completed/)
        }
        const [, ended, refused, busy, limited] = streamed
        assert.isUndefined(errorIn(ended?.events.at(-1))?.message)
        assert.match(errorIn(refused?.events.at(-1)).message, /^prompt is too long: \d+ tokens > \d+ maximum$/)
        assert.strictEqual(errorIn(busy?.events.at(-1)).message, "Overloaded")
        assert.include(errorIn(limited?.events.at(-1)).message, "rate limit")
        const last = (posted: Posted | undefined) => posted?.events.at(-1)?.["type"]
        if (protocol === "anthropic-messages") {
          assert.strictEqual(last(refused), "error")
          assert.strictEqual(refused?.events.at(-1)?.["error"].type, "invalid_request_error")
          assert.strictEqual(busy?.events.at(-1)?.["error"].type, "overloaded_error")
        }
        if (protocol === "openai-responses") {
          assert.deepStrictEqual([last(refused), last(busy)], ["response.failed", "error"])
        }
        assert.strictEqual((yield* post(ask("Hello", { stream: true }))).text, "data: {torn\n\n")
        assert.deepStrictEqual(
          (yield* requests).map(({ outcome }) => outcome),
          ["faulted", "faulted", "refused", "faulted", "faulted", "faulted"]
        )
      })
    )

    it.scopedLive("breaks an answer that is not streamed too: half of it comes, or an error at once", () =>
      Effect.gen(function* () {
        const { next, post } = yield* posting(protocol)
        yield* next(end("I begin"), cut("I begin"), inStream(refuse, "I begin"))
        for (let i = 0; i < 2; i++) {
          const { body, text } = yield* post(ask("Hello"))
          assert.isNotEmpty(text)
          assert.deepStrictEqual(body, {})
        }
        assert.strictEqual((yield* post(ask("Hello"))).status, 400)
      })
    )

    it.scopedLive("stalls and drops, and sees that the client has gone", () =>
      Effect.gen(function* () {
        const { next, post, requests, settled } = yield* posting(protocol, { latency: 1, answers: () => say("ok") })
        yield* next(stall("I begin"), slow(600_000, say("never")), drop)
        for (const index of [0, 1]) {
          const waiting = yield* Effect.fork(post(ask("Hello", { stream: index === 0 })))
          yield* requests.pipe(Effect.delay("2 millis"), Effect.repeat({ until: (all) => all.length > index }))
          yield* Fiber.interrupt(waiting)
          assert.strictEqual((yield* settled(index)).outcome, "abandoned")
        }
        assert.isTrue((yield* Effect.exit(post(ask("Hello"))))._tag === "Failure")
        assert.strictEqual((yield* settled(2)).outcome, "faulted")
        assert.strictEqual(saidIn(protocol, yield* post(ask("Hello"))), "ok")
      })
    )

    it.scopedLive("drops the oldest without a word where it truncates", () =>
      Effect.gen(function* () {
        const { post, requests } = yield* posting(protocol, { window: 300, truncates: true, answers: () => say("ok") })
        const found = yield* post(ask(words(900), { maxTokens: 50 }))
        assert.strictEqual(found.status, 200)
        assert.isAtMost(usageIn(protocol, found)[0], 300)
        assert.isAbove((yield* requests)[0]?.inputTokens ?? 0, 900)
      })
    )
  })
}

describe("chat completions", () => {
  const call = (id: string, name = "f") => ({
    role: "assistant",
    tool_calls: [{ id, type: "function", function: { name, arguments: "{}" } }]
  })
  const tool = (id: string) => ({ role: "tool", tool_call_id: id, content: "ok" })
  const user = { role: "user", content: "x" }
  const refused: ReadonlyArray<
    readonly [what: string, messages: ReadonlyArray<unknown>, words: string, param: string]
  > = [
    [
      "a result without a call",
      [user, tool("c")],
      "must be a response to a preceeding message with 'tool_calls'",
      "messages.[1].role"
    ],
    [
      "a result of another call",
      [user, call("c"), tool("d")],
      "must be a response to a preceeding",
      "messages.[2].role"
    ],
    [
      "a result twice",
      [user, call("c"), tool("c"), tool("c")],
      "must be a response to a preceeding",
      "messages.[3].role"
    ],
    ["a call without a result", [user, call("c"), user], "did not have response messages: c", "messages.[1].role"],
    ["a call without a result at the end", [user, call("c")], "did not have response messages: c", "messages.[1].role"],
    [
      "no calls where there should be",
      [user, { role: "assistant", tool_calls: [] }],
      "empty array",
      "messages[1].tool_calls"
    ],
    [
      "too long an id",
      [user, call("c".repeat(41)), tool("c".repeat(41))],
      "maximum length 40, but got a string with length 41",
      "messages[1].tool_calls[0].id"
    ],
    [
      "a name that is none",
      [user, call("c", "functions.read"), tool("c")],
      "does not match pattern",
      "messages[1].tool_calls[0].function.name"
    ]
  ]
  for (const [what, messages, said, param] of refused) {
    it.scopedLive(`refuse ${what}`, () =>
      Effect.gen(function* () {
        const { post } = yield* posting("chat-completions", { as: "openai", answers: () => say("ok") })
        const { body, status } = yield* post({ model: "m", messages })
        assert.strictEqual(status, 400)
        assert.include(body["error"].message, said)
        assert.strictEqual(body["error"].param, param)
        assert.strictEqual((yield* post({ model: "m", messages: [user, call("c"), tool("c"), user] })).status, 200)
      })
    )
  }

  it.scopedLive("refuse more output than the model has, each provider in its words", () =>
    Effect.gen(function* () {
      for (const [as, said] of [
        ["deepseek", "the valid range of max_tokens is [1, 64]"],
        ["openai", "This model supports at most 64 completion tokens"],
        ["anthropic", "max_tokens: 65 > 64"]
      ] as const) {
        const { post } = yield* posting("chat-completions", { as, outputLimit: 64, answers: () => say("ok") })
        const { body, status } = yield* post(asking("chat-completions", "x", { maxTokens: 65 }))
        assert.strictEqual(status, 400)
        assert.include(body["error"].message, said)
        assert.strictEqual((yield* post(asking("chat-completions", "x", { maxTokens: 64 }))).status, 200)
      }
    })
  )
})
