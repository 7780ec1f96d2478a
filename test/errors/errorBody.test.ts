import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import { classify, judge } from "../../src/errors/classify.ts"
import { rows } from "../../src/errors/classifierRows.ts"
import * as ErrorBody from "../../src/errors/errorBody.ts"

const route = { provider: "some-gateway", model: "m" }
const sentence =
  "This model's maximum context length is 7000 tokens. However, your messages resulted in 7300 tokens. Please reduce the length of the messages."
const inner = { error: { message: sentence, type: "invalid_request_error", param: "messages", code: null } }
const json = JSON.stringify(inner)
const repr = `{'error': {'message': "${sentence}", 'type': 'invalid_request_error', 'param': None, 'code': None}}`
const judged = (body: unknown, status: number | "unknown" = 400) =>
  judge({ route, body, delivery: "http", ...(status === "unknown" ? {} : { status }) })

const thrown = (more: object) => Object.assign(new Error("Request failed"), more)

class Refusal {
  readonly _tag = "Refusal"
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

describe("what an error says, whatever it was wrapped in", () => {
  const wrapped: Readonly<Record<string, unknown>> = {
    "JSON in a string": json,
    "a JSON string of JSON": JSON.stringify(json),
    "JSON behind a sentence": `400 Bad Request: ${json}`,
    "JSON between sentences": `Upstream said ${json}. Received Model Group=m`,
    "JSON in a string in JSON": { error: { message: "Provider returned error", metadata: { raw: json } } },
    "JSON in a message in JSON in a message": { message: JSON.stringify({ message: `upstream: ${json}` }) },
    "three envelopes, one in the other": [1, 2, 3].reduce<unknown>(
      (error) => ({ error: { message: "Provider returned error", metadata: { raw: JSON.stringify(error) } } }),
      inner
    ),
    "a long chain of causes": Array.from({ length: 12 }).reduce<Error>(
      (cause) => new Error("failed", { cause }),
      new Error(sentence)
    ),
    bytes: new TextEncoder().encode(json),
    "JSON with its quotes still escaped": `gateway: {\\"error\\":{\\"message\\":\\"${sentence}\\",\\"code\\":400}}`,
    "JSON that was cut off in an outer object": `error | metadata: {"raw":${json.slice(0, -1)}`,
    "JSON that was cut off in the next field": json.slice(0, json.indexOf("param") + 3),
    "a Python repr": `Error code: 400 - ${repr}`,
    "a Python repr of bytes": `SomeException - b'{\\n  "error": {\\n    "message": "${sentence}"\\n  }\\n}\\n'`,
    "a Python repr with tuples": `{'detail': [{'loc': ('body', 'messages'), 'msg': "${sentence}", 'type': 'value_error'}]}`,
    "what a console prints": `APIError { status: 400, error: { type: 'x', message: \`${sentence}\` } }`,
    "an event of a stream": `event: error\ndata: ${json}\n`,
    "a list": [inner],
    "a list of errors": { success: false, errors: [{ code: 7, message: sentence }] },
    "a list of texts": { errors: [sentence] },
    "a field that is a text": { error: sentence },
    "a validator's detail": { detail: [{ type: "x", loc: ["body"], msg: sentence }] },
    "a cause": new Error("failed", { cause: new Error("failed again", { cause: new Error(sentence) }) }),
    "a cause that is no error": thrown({ cause: inner }),
    "several errors at once": new AggregateError([new Error("x"), new Error(sentence)], "all failed"),
    "a client's response": thrown({ response: { status: 400, data: inner } }),
    "a client's body as it came": thrown({ responseBody: json }),
    "an error of a class of one's own": new Refusal(sentence),
    "a cause of Effect": Cause.fail({ message: sentence }),
    "a defect in Effect": Cause.die(new Error(sentence)),
    "a cause in parallel": Cause.parallel(Cause.empty, Cause.fail(new Error(sentence)))
  }
  for (const [name, body] of Object.entries(wrapped)) {
    it(name, () => {
      for (const status of [400, "unknown"] as const) {
        const { limit, requested, tag } = judged(body, status)
        assert.deepStrictEqual(
          { limit, requested, tag },
          { limit: 7000, requested: 7300, tag: "ContextWindowExceeded" }
        )
      }
    })
  }

  it("of a retry's attempts the last one counts", () => {
    const limited = { message: "Rate limit reached", statusCode: 429 }
    const overflow = { message: sentence, statusCode: 400 }
    const failed = (errors: ReadonlyArray<unknown>) =>
      thrown({ message: "Failed after 2 attempts", errors, lastError: errors.at(-1) })
    assert.strictEqual(judged(failed([limited, overflow]), "unknown").tag, "ContextWindowExceeded")
    assert.strictEqual(judged(failed([overflow, limited]), "unknown").tag, "RateLimited")
  })

  it("the status that the body or its first words state counts where there is no other", () => {
    const tooLong = "prompt is too long: 31 tokens > 30 maximum"
    for (const body of [
      { statusCode: 429, message: tooLong },
      { message: tooLong, $metadata: { httpStatusCode: 429 } },
      { error: { code: 429, message: tooLong } },
      `429 ${tooLong}`,
      `Error code: 429 - ${tooLong}`,
      `HTTP 429: ${tooLong}`,
      `SomeAPIError: 429 ${tooLong}`
    ]) {
      assert.strictEqual(judged(body, "unknown").tag, "RateLimited", JSON.stringify(body))
      // the answer's own goes before words, and not before a field of the body: a gateway passed that on
      const expected = typeof body === "string" ? "ContextWindowExceeded" : "RateLimited"
      assert.strictEqual(judged(body, 400).tag, expected, JSON.stringify(body))
    }
    // a count is no status
    assert.strictEqual(judged("prompt length (429) exceeds maximum input length (400)", "unknown").limit, 400)
  })
})

describe("what somebody else wrote", () => {
  const theirs = "the maximum context length is 50 tokens, however you requested 60 tokens"
  const quoting: Readonly<Record<string, unknown>> = {
    "the request beside the error": {
      error: { message: "bad value" },
      input: theirs,
      messages: [{ role: "user", content: theirs, message: theirs }],
      request: { message: theirs },
      config: { data: theirs },
      requestBodyValues: { message: theirs }
    },
    "a message of the conversation": { error: { message: { role: "user", message: theirs, error: theirs } } },
    "a model's answer": { choices: [{ message: { role: "assistant", content: theirs }, finish_reason: "stop" }] },
    "an answer that broke off": {
      choices: [{ message: { role: "assistant", content: theirs }, finish_reason: "error" }]
    },
    "a validator's input": `1 validation error for Request\nmessages.0\n  bad [type=x, input_value='${theirs}', input_type=str]`,
    "a validator's input as an object": `2 validation errors [type=missing, input_value={'message': '${theirs}'}, input_type=dict]`,
    "a validator's input in JSON": { detail: [{ msg: "Field required", type: "missing", input: { message: theirs } }] },
    "a list of messages in a sentence": `BadRequest: unsupported role. Messages=[{'role': 'user', 'message': '${theirs}'}]`,
    "the request in a sentence": `cannot encode request_body={"message": "${theirs}"}`,
    "a value in quotes": { error: { message: `Invalid value: '${theirs}'. Supported values are 'a' and 'b'.` } },
    "a value in double quotes": { error: { message: `could not parse "${theirs}" as JSON` } },
    "a value in backticks": `unexpected content \`${theirs}\``,
    "a value in quotes that was cut off": `Invalid message: '${theirs}`,
    "a message that was not understood": `failed to parse message: "${theirs}"`,
    "flagged input": { error: { message: "Your input was blocked", metadata: { flagged_input: theirs } } },
    "the name of a field": { error: { message: "unknown field", param: theirs } },
    "a text in place of a body": { status: 400, body: theirs }
  }
  for (const [name, body] of Object.entries(quoting)) {
    it(name, () => {
      for (const status of [400, 422, "unknown"] as const) {
        const { row, tag } = judged(body, status)
        assert.notStrictEqual(tag, "ContextWindowExceeded", `${row}`)
      }
    })
  }

  it("a 429 that quotes an overflow stays a rate limit", () => {
    for (const body of [
      sentence,
      inner,
      { error: { message: sentence, code: "context_length_exceeded" } },
      `Too many requests. Last prompt: ${sentence}`
    ]) {
      assert.strictEqual(judged(body, 429).tag, "RateLimited")
    }
  })

  it("nor is one in quotation marks of another kind", () => {
    for (const text of [
      `Failed to decode message: \u201c${sentence}\u201d`,
      `Failed to decode message: \u2018${sentence}\u2019`,
      `Fehler bei \u201e${sentence}\u201c`,
      `unexpected \u00ab ${sentence} \u00bb`
    ]) {
      assert.strictEqual(judged(text).tag, "InvalidRequest", text)
    }
    assert.strictEqual(judged(`detail: \u201c${sentence}\u201d`).limit, 7000)
    assert.strictEqual(judged(sentence.replaceAll("'", "\u2019")).limit, 7000)
  })

  it("a provider's own sentence in quotes is its own", () => {
    for (const body of [
      `422 "${sentence}"`,
      `BadRequestError("${sentence}")`,
      `Received client error (400) with message "${sentence}"`,
      `detail: '${sentence}'`,
      `"${sentence}"`
    ]) {
      assert.deepInclude(judged(body), { tag: "ContextWindowExceeded", limit: 7000, requested: 7300 })
    }
  })
})

describe("a hostile body", () => {
  const million = 1_000_000
  const filled = (piece: string) => piece.repeat(Math.ceil(million / piece.length))

  it("a megabyte of anything is read in time linear in it", () => {
    const pieces = [
      "a",
      " ",
      "_",
      "[",
      "{",
      '"',
      "'",
      "\\",
      "0",
      "1,",
      "1 + ",
      '{"',
      '{"a":',
      "[{",
      "{a: ",
      "'a b c' ",
      "error: '",
      '{"a":1} ',
      "{'message':'prompt'} ",
      '{\\"message\\":\\"',
      "request ",
      "tokens over ",
      "prompt 5 but ",
      "maximum ",
      "context length ",
      "input and ",
      "max_tokens ",
      "输入",
      "input_value=",
      "\n",
      "429 ",
      "rate ",
      "😀"
    ]
    for (const piece of pieces) {
      const text = filled(piece)
      for (const body of [text, { error: { message: text } }, JSON.stringify({ message: text })]) {
        const error = classify({ route, status: 400, body, delivery: "http" })
        assert.isAtMost(error.detail.length, 500)
      }
    }
  })

  it("finds the provider's words beside a megabyte of echo", () => {
    for (const body of [
      { error: { message: sentence, input: filled("x ") } },
      JSON.stringify({ messages: [{ role: "user", content: filled("x ") }], error: { message: sentence } }),
      `Error - {'input': '${filled("x ")}', 'error': {'message': "${sentence}"}}`,
      `${sentence} ${filled("x ")}`
    ]) {
      assert.deepInclude(judged(body), { tag: "ContextWindowExceeded", limit: 7000, requested: 7300 })
    }
  })

  it("each pattern of each row holds against repetitions of what it looks for", () => {
    const words = [
      "prompt",
      "input",
      "tokens",
      "exceeds",
      "context length",
      "maximum",
      "is",
      "of",
      "9",
      "requested",
      ", "
    ]
    for (const first of words) {
      for (const second of words) {
        const text = `${first} ${second} `.repeat(5000)
        judged(text)
        for (const { figures = [] } of rows) for (const figure of figures) figure.exec(text.slice(0, 10_000))
      }
    }
  })

  it("is bounded in depth, fields and items", () => {
    let deep: Record<string, unknown> = { message: sentence }
    for (let i = 0; i < 10_000; i++) deep = { error: deep }
    assert.strictEqual(judged(deep).tag, "InvalidRequest")
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`field${i}`, sentence]))
    assert.strictEqual(judged({ ...wide, message: sentence }).tag, "InvalidRequest")
    assert.isAtMost(ErrorBody.read(Array.from({ length: 5000 }, () => sentence)).texts.length, 40)
    assert.strictEqual(judged('{"error":'.repeat(50_000)).tag, "InvalidRequest")
    assert.strictEqual(judged(`x ${'{"error":'.repeat(50_000)}`).tag, "InvalidRequest")
  })

  it("cycles, getters that throw and values of any type cost nothing but themselves", () => {
    const cyclic: Record<string, unknown> = { message: sentence }
    cyclic["cause"] = cyclic
    cyclic["errors"] = [cyclic, cyclic]
    const getter = (name: string) =>
      Object.defineProperty({ message: sentence }, name, {
        enumerable: true,
        get: () => {
          throw new Error("no")
        }
      })
    const odd = {
      code: Symbol("x"),
      type: () => "x",
      status: { toString: null },
      role: { toString: null },
      name: 5n,
      error: null,
      detail: undefined,
      cause: new Map([["message", "x"]]),
      finish_reason: { toString: null },
      message: sentence
    }
    for (const body of [cyclic, getter("cause"), getter("role"), getter("lastError"), getter("finish_reason"), odd]) {
      assert.strictEqual(judged(body).tag, "ContextWindowExceeded")
    }
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    for (const body of [
      revoked.proxy,
      { error: revoked.proxy },
      5,
      5n,
      true,
      null,
      undefined,
      () => sentence,
      Symbol()
    ]) {
      assert.strictEqual(judged(body).tag, "InvalidRequest")
    }
    const named = JSON.parse(
      `{"__proto__": {"message": ${JSON.stringify(sentence)}}, "constructor": 1, "message": "x"}`
    )
    assert.strictEqual(judged(named).tag, "InvalidRequest")
    assert.strictEqual(judged(`error: {'__proto__': {'message': 'x'}, 'message': "${sentence}"}`).limit, 7000)
  })
})
