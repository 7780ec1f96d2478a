import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { Formats } from "../../src/formats/index.ts"
import * as Message from "../../src/session/Message.ts"

const counts = { estimator: "test", values: [1] }
const envelope = {
  route: { provider: "p", model: "m" },
  system: "Be terse.",
  tools: [{ name: "read", parameters: {} }]
}

/** Lines of a log out of events without their place. */
const log = (batches: ReadonlyArray<ReadonlyArray<Readonly<Record<string, unknown>>>>) => {
  let seq = 0
  return batches
    .map((batch) => {
      const first = seq
      const events = batch.map((event) => ({ seq: seq++, time: 1_700_000_000_000, ...event }))
      return `${JSON.stringify({ v: 1, seq: first, count: events.length, events, sum: "00000000" })}\n`
    })
    .join("")
}

const user = (text: string, more: object = {}) => ({
  type: "message/user",
  data: { message: Message.user(text), source: "prompt", counts, ...more }
})
const assistant = (content: ReadonlyArray<Message.Block>) => ({
  type: "message/assistant",
  data: { message: Message.assistant(content), counts }
})
const result = (callId: string, text: string, more: object = {}) => ({
  type: "message/tool-result",
  data: { callId, name: "read", content: [Message.textBlock(text)], counts, ...more }
})

const opened = { type: "session/opened", data: { formatVersion: 1, session: "s1", writer: "w" } }
const batches = [
  [opened],
  [user("one"), { type: "request/envelope", data: { envelope, counts } }], // seq 1, 2
  [assistant([Message.toolCall("c1", "read", {})])], // 3
  [result("c1", "long long")], // 4
  [assistant([])], // 5
  [result("c1", "long", { replaces: { first: 4, last: 4, sources: [4] } })], // 6
  [user("time passed", { source: "context" })], // 7
  [user("summary", { source: "checkpoint", replaces: { first: 1, last: 6, sources: [1, 3, 6] } })], // 8
  [assistant([Message.textBlock("two")])] // 9
]

const context = { ...Message.user("time passed"), metadata: { source: "context" } }

const failure = (text: string, options?: Parameters<typeof Formats.decode>[1]) =>
  Either.match(Formats.decode(text, options), {
    onLeft: (error) => error,
    onRight: () => assert.fail("it was read")
  })

describe("SessionLog", () => {
  it("says that a log is a branch, and whether its copy was finished", () => {
    const branch = (seq: number) => {
      const first = { ...opened, data: { ...opened.data, session: "b", parent: { session: "s1", seq } } }
      return Either.getOrThrow(Formats.decode(log([[first], ...batches.slice(1)]))).sessions[0]
    }
    assert.deepInclude(branch(9), { id: "b", notes: ['it is a branch of the session "s1" at seq 9'] })
    assert.deepStrictEqual(branch(10)?.notes, [
      'it is a branch of the session "s1" at seq 10',
      "its copy was not finished: it ends before seq 10"
    ])
  })

  it("reads everything that was ever said", () => {
    const { format, sessions } = Either.getOrThrow(Formats.decode(log(batches)))
    assert.strictEqual(format, "session-log")
    assert.deepStrictEqual(sessions, [
      {
        id: "s1",
        system: "Be terse.",
        tools: [{ name: "read", parameters: {} }],
        messages: [
          Message.user("one"),
          Message.assistant([Message.toolCall("c1", "read", {})]),
          Message.toolResult({ id: "c1", name: "read", content: "long long" }),
          context,
          Message.assistant("two")
        ],
        requests: [],
        compactions: [
          {
            at: 3,
            head: [
              Message.user("one"),
              Message.assistant([Message.toolCall("c1", "read", {})]),
              Message.toolResult({ id: "c1", name: "read", content: "long" })
            ],
            keptFrom: 3
          },
          { at: 4, head: [Message.user("summary")], keptFrom: 3 }
        ],
        notes: []
      }
    ])
  })

  it("gives what the provider counted, with the route and the place of each request", () => {
    const usage = (inputTokens: number) => ({ inputTokens, outputTokens: 1 })
    const answer = (text: string, counted: object) => ({
      type: "message/assistant",
      data: { message: Message.assistant(text === "" ? [] : text), usage: counted, counts }
    })
    const step = { turn: 0, step: 0 }
    const { sessions } = Either.getOrThrow(
      Formats.decode(
        log([
          [opened, { type: "request/envelope", data: { envelope, counts } }],
          [user("one"), answer("two", usage(10)), answer("", usage(12)), answer("none", usage(0))],
          [user("three"), { type: "step/end", data: { ...step, outcome: "refused", usage: usage(20) } }]
        ])
      )
    )
    const [session] = sessions
    assert.strictEqual(session.visible, "full")
    assert.deepStrictEqual(
      session.requests.map(({ at, model, place, provider, usage: counted }) => [
        at,
        place,
        provider,
        model,
        counted.inputTokens
      ]),
      [
        [1, "seq 3", "p", "m", 10],
        [2, "seq 4", "p", "m", 12],
        [4, "seq 7", "p", "m", 20]
      ]
    )
  })

  it("reads what the model saw last", () => {
    const { sessions } = Either.getOrThrow(Formats.decode(log(batches), { history: "last-seen" }))
    assert.deepStrictEqual(sessions[0].messages, [Message.user("summary"), context, Message.assistant("two")])
    const pruned = Either.getOrThrow(Formats.decode(log(batches.slice(0, 7)), { history: "last-seen" }))
    assert.deepStrictEqual(
      pruned.sessions[0].messages.at(-2),
      Message.toolResult({ id: "c1", name: "read", content: "long" })
    )
  })

  it("refuses a replacement of what is not there", () => {
    const text = log([[opened, user("one")], [user("x", { replaces: { first: 7, last: 8, sources: [7] } })]])
    const error = failure(text, { history: "last-seen" })
    assert.deepInclude(error, { reason: "broken-line", line: 2 })
  })

  it("leaves out a write that was cut off at the end", () => {
    const whole = log(batches)
    const { sessions } = Either.getOrThrow(Formats.decode(whole + whole.slice(0, 30)))
    assert.deepStrictEqual(sessions[0].notes, ["line 10: the last write was cut off and was left out"])
    assert.lengthOf(sessions[0].messages, 5)
  })

  it("refuses a damaged line by its number", () => {
    const lines = log(batches).split("\n")
    const damaged = (line: number, text: string) =>
      lines.map((old, index) => (index === line - 1 ? text : old)).join("\n")
    for (const line of [1, 4, 9]) {
      const error = failure(damaged(line, lines[line - 1]?.slice(0, 40) ?? ""))
      assert.deepInclude(error, { reason: "broken-line", line })
      assert.include(error.message, `line ${line}`)
    }
    assert.deepInclude(failure(damaged(4, lines[4] ?? "")), { reason: "broken-line", line: 4 })
    assert.deepInclude(failure(damaged(3, "{}")), { reason: "broken-line", line: 3 })
    assert.deepInclude(failure(damaged(3, (lines[2] ?? "").replace('"count":1', '"count":2'))), { line: 3 })
    assert.deepInclude(failure(damaged(2, (lines[1] ?? "").replace('"prompt"', '"nobody"'))), { line: 2 })
  })

  it("skips unknown optional events and refuses unknown required ones", () => {
    const strange = { type: "mood/changed", data: { to: "good" } }
    const read = Either.getOrThrow(Formats.decode(log([[opened, user("one"), { ...strange, optional: true }]])))
    assert.deepStrictEqual(read.sessions[0].notes, ['1 events of the unknown type "mood/changed" were skipped'])
    const error = failure(log([[opened, user("one"), strange]]))
    assert.include(error.message, '"mood/changed"')
    assert.include(error.message, "seq 2")
  })

  it("refuses a newer version and a log without messages", () => {
    assert.deepInclude(failure(log(batches).replaceAll('"v":1', '"v":2')), { reason: "newer-version", line: 1 })
    assert.deepInclude(failure(log([[opened]])), { reason: "no-messages" })
  })
})
