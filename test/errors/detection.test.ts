// What an error is taken for, by kind. The words are short facts; the envelopes are made up.
import { assert, describe, it } from "@effect/vitest"
import { judge } from "../../src/errors/classify.ts"

const route = { provider: "somebody", model: "m" }
const said = (message: string, more: object = {}) => ({ error: { message, ...more } })
const tagOf = (body: unknown, status?: number) =>
  judge({ route, body, delivery: "thrown", ...(status === undefined ? {} : { status }) }).tag

const overflow = "prompt is too long: 9001 tokens > 9000 maximum"

describe("an overflow", () => {
  const bodies: ReadonlyArray<unknown> = [
    said("no words", { code: "context_length_exceeded" }),
    said("This model's maximum context length is 9000 tokens. However, your messages resulted in 9001 tokens."),
    said("Your input exceeds the context window of this model."),
    said("The input is too long for requested model.")
  ]
  for (const body of bodies) {
    it(`is ${JSON.stringify(body)} [A116]`, () => assert.strictEqual(tagOf(body, 400), "ContextWindowExceeded"))
  }

  it("is what vendors call it, through whatever client [A120]", () => {
    for (const words of [
      overflow,
      "the request exceeds the available context size",
      "This model's maximum prompt length is 9000 but the request contains 9001 tokens."
    ]) {
      assert.strictEqual(tagOf(said(words), 400), "ContextWindowExceeded", words)
      assert.strictEqual(tagOf(new Error(words)), "ContextWindowExceeded", words)
    }
  })
})

describe("no overflow", () => {
  const bodies = [
    "temperature exceeds the maximum of 2",
    "top_k exceeds 500",
    "this exceeds what is allowed",
    "malformed arguments of the function: unexpected end of JSON",
    "context_window must be positive",
    "request body exceeds the maximum of 10 MB",
    "embedding vector length exceeds 2048"
  ]
  for (const words of bodies) {
    it(`is ${JSON.stringify(words)} [A117]`, () =>
      assert.notStrictEqual(tagOf(said(words), 400), "ContextWindowExceeded"))
  }

  it("is a 413, unless it speaks of tokens [A118]", () => {
    assert.strictEqual(tagOf("<html>413</html>", 413), "PayloadTooLarge")
    assert.strictEqual(tagOf(said("request body is larger than 4 MB"), 413), "PayloadTooLarge")
    assert.strictEqual(tagOf(said(overflow), 413), "ContextWindowExceeded")
  })

  it("is a quota, nor a rate limit, and those are two things [A119]", () => {
    assert.strictEqual(
      tagOf(said("You exceeded your current quota.", { code: "insufficient_quota" }), 429),
      "QuotaExceeded"
    )
    assert.strictEqual(tagOf(said("Rate limit reached for requests"), 429), "RateLimited")
    assert.strictEqual(tagOf(said("Too many tokens, please wait before trying again."), 429), "RateLimited")
  })

  for (const status of [401, 402, 403, 404, 408, 429]) {
    it(`is anything under status ${status}, whatever it says [P2]`, () =>
      assert.notStrictEqual(
        tagOf(said(overflow, { code: "context_length_exceeded" }), status),
        "ContextWindowExceeded"
      ))
  }

  it("is decided by the words where no status is known [P2]", () => {
    assert.strictEqual(tagOf(said(overflow)), "ContextWindowExceeded")
    assert.notStrictEqual(tagOf(said("computer says no")), "ContextWindowExceeded")
  })

  it("is a rate in words of tokens, with no status, or with that of a bad request [P3 CLASSIFY-9]", () => {
    for (const words of [
      "Rate limit reached: maximum context length of tokens per min (TPM)",
      "Request was throttled: too many tokens in the prompt is too long",
      "tokens per minute exceeded: prompt is too long"
    ]) {
      for (const status of [undefined, 400]) assert.strictEqual(tagOf(said(words), status), "RateLimited", words)
    }
  })
})

describe("what stands inside of an error", () => {
  it("is read: causes, lists of errors, JSON in a text, round no circle and to a depth [P4]", () => {
    const circle: Record<string, unknown> = { message: "failed" }
    circle["cause"] = circle
    let deep: Record<string, unknown> = { message: overflow }
    for (let i = 0; i < 30; i++) deep = { error: deep }
    const nested: ReadonlyArray<unknown> = [
      new Error("failed", { cause: new Error("again", { cause: new Error(overflow) }) }),
      { errors: [{ message: "first" }, { message: overflow }] },
      said(`upstream: ${JSON.stringify(said(overflow))}`)
    ]
    for (const body of nested) assert.strictEqual(tagOf(body, 400), "ContextWindowExceeded")
    for (const body of [circle, deep]) assert.strictEqual(tagOf(body, 400), "InvalidRequest")
  })

  it("is not, where it is what the user wrote [P5]", () => {
    const echoed = { role: "user", content: overflow }
    for (const body of [
      { ...said("invalid value"), messages: [echoed], input: overflow, prompt: overflow },
      said(`1 validation error. input_value='${overflow}'`),
      { ...said("invalid value"), request: { body: JSON.stringify({ messages: [echoed] }) } }
    ]) {
      assert.strictEqual(tagOf(body, 400), "InvalidRequest")
    }
    assert.strictEqual(
      tagOf({ ...said("slow down"), messages: [{ role: "user", content: "429" }] }, 400),
      "InvalidRequest"
    )
  })
})
