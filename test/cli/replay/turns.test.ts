import { assert, describe, it } from "@effect/vitest"
import { isAtEnd, placeIn, start } from "../../../src/cli/replay/place.ts"
import { goOn, record } from "../../../src/cli/replay/turns.ts"
import * as Message from "../../../src/session/Message.ts"
import type * as SessionEvent from "../../../src/session/SessionEvent.ts"

const call = (id: string) => Message.assistant([Message.toolCall(id, "read", {})])
const result = (id: string) => Message.toolResult({ id, name: "read", content: `content of ${id}` })
const context = (text: string): Message.Message => ({ ...Message.user(text), metadata: { source: "context" } })

describe("a recording, taken apart into turns", () => {
  it("a prompt, calls and their results, and the answer are one turn", () => {
    const { answers, rest, turns } = record([
      Message.user("Read it"),
      call("a"),
      result("a"),
      Message.assistant("Done"),
      Message.user("Thanks")
    ])
    assert.strictEqual(turns.length, 1)
    assert.strictEqual(answers, 2)
    assert.strictEqual(turns[0]?.ends, "answered")
    assert.deepStrictEqual([...(turns[0]?.answers[0]?.results.keys() ?? [])], ["a"])
    assert.deepStrictEqual(rest, [Message.user("Thanks")])
  })

  it("of two user messages in a row the last is the prompt", () => {
    const { turns } = record([context("The date is today"), Message.user("Hello"), Message.assistant("Hi")])
    assert.deepStrictEqual(turns[0]?.before, [context("The date is today")])
    assert.deepStrictEqual(turns[0]?.prompt, Message.user("Hello"))
  })

  it("an assistant that speaks first, or twice in a row, is asked to go on", () => {
    const { madeUp, turns } = record([Message.assistant("Hello"), Message.user("Hi"), call("a"), result("a")])
    assert.strictEqual(turns[0]?.prompt, goOn)
    assert.strictEqual(madeUp, 1)
    assert.strictEqual(record([Message.user("a"), Message.assistant("b"), Message.assistant("c")]).turns.length, 2)
  })

  it("words behind tool results join the running turn", () => {
    const { turns } = record([
      Message.user("Read it"),
      call("a"),
      result("a"),
      Message.user("Quickly"),
      Message.assistant("Done")
    ])
    assert.strictEqual(turns.length, 1)
    assert.deepStrictEqual(turns[0]?.answers[0]?.joining, [Message.user("Quickly")])
  })

  it("a recording that stops behind tool results cuts its last turn", () => {
    assert.strictEqual(record([Message.user("Read it"), call("a"), result("a")]).turns[0]?.ends, "cut")
  })

  it("an assistant message that says nothing is no answer", () => {
    const { answers, silent } = record([
      Message.user("Think"),
      Message.assistant([{ type: "reasoning", text: "hm" }]),
      Message.assistant("Done")
    ])
    assert.deepStrictEqual({ answers, silent }, { answers: 1, silent: 1 })
  })
})

describe("how far a log has come in a recording", () => {
  const recording = record([
    Message.user("one"),
    call("a"),
    result("a"),
    Message.assistant("first"),
    context("late"),
    Message.user("two"),
    Message.assistant("second"),
    Message.user("rest")
  ])
  const counts = { estimator: "none", values: [] }
  const events = (...bodies: ReadonlyArray<SessionEvent.Body>): ReadonlyArray<SessionEvent.SessionEvent> =>
    bodies.map((body, seq) => ({ ...body, seq, time: 0 }))
  const user = (text: string): SessionEvent.Body => ({
    type: "message/user",
    data: { message: Message.user(text), source: "prompt", counts }
  })
  const answer: SessionEvent.Body = {
    type: "message/assistant",
    data: { message: Message.assistant("x"), finish: "stop", counts }
  }
  const begin: SessionEvent.Body = { type: "turn/start", data: { turn: 0 } }
  const end = (outcome: "completed" | "interrupted" | "failed", tag = "ContextWindowExceeded"): SessionEvent.Body => ({
    type: "turn/end",
    data: { turn: 0, outcome, ...(outcome === "failed" ? { error: { tag, message: "" } } : {}) }
  })

  it("an empty log is at the start, and a whole one at the end", () => {
    assert.deepStrictEqual(placeIn(recording, []), start)
    const whole = events(begin, user("one"), answer, answer, end("completed"), user("late"), begin, user("two"), answer)
    const place = placeIn(recording, whole)
    assert.strictEqual(place.turn, 2)
    assert.isFalse(isAtEnd(recording, place))
    assert.isTrue(isAtEnd(recording, { ...place, outside: 1 }))
  })

  it("a turn that was interrupted is taken up behind its last answer", () => {
    const place = placeIn(recording, events(begin, user("one"), answer, end("interrupted")))
    assert.deepInclude(place, { turn: 0, answered: 1, begun: true })
  })

  it("what came before a prompt counts, so that it is not put in twice", () => {
    const place = placeIn(recording, events(begin, user("one"), answer, answer, end("completed"), user("late")))
    assert.deepInclude(place, { turn: 1, answered: 0, begun: false, outside: 1 })
  })

  it("a turn that did not fit is over, with the answers that it left; one that failed otherwise is not", () => {
    const unfit = placeIn(recording, events(begin, user("one"), answer, end("failed")))
    assert.deepInclude(unfit, { turn: 1, givenUp: [{ turn: 0, seq: 3, skipped: 1 }] })
    assert.deepInclude(placeIn(recording, events(begin, user("one"), answer, end("failed", "RateLimited"))), {
      turn: 0,
      answered: 1
    })
  })
})
