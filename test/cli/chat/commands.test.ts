import { assert, describe, it } from "@effect/vitest"
import { commands, parse } from "../../../src/cli/chat/commands.ts"
import { show } from "../../../src/cli/chat/events.ts"
import type { Terminal } from "../../../src/cli/chat/terminal.ts"
import type { TurnEvent } from "../../../src/services/AgentLoop.ts"
import { harmless } from "../../../src/cli/chat/terminal.ts"
import { failureOf, outcomeOf, planOf, promptOf, usageOf } from "../../../src/cli/chat/words.ts"
import { answer } from "../../../src/cli/chat/model.ts"
import { CompactionBusy, InvalidReplacement, SpanChanged, SummaryFailed } from "../../../src/errors/CompactionError.ts"
import { LogWriteFailed, SessionBusy } from "../../../src/errors/SessionError.ts"
import * as Message from "../../../src/session/Message.ts"

describe("a line of the chat", () => {
  it.each([
    ["  ", { _tag: "Nothing" }],
    [" Fix the test ", { _tag: "Prompt", text: "Fix the test" }],
    ["/compact", { _tag: "Compact" }],
    ["/plan ", { _tag: "Plan" }],
    ["/usage", { _tag: "Usage" }],
    ["/help", { _tag: "Help" }],
    ["/quit", { _tag: "Quit" }],
    ["/branch", { _tag: "Branch", at: undefined }],
    ["/branch 12", { _tag: "Branch", at: 12 }],
    ["//etc is a folder", { _tag: "Prompt", text: "/etc is a folder" }]
  ])("%s", (line, input) => {
    assert.deepStrictEqual(parse(line), input)
  })

  it.each([
    ["/qiut", "did you mean /quit?"],
    ["/nothing", "/help has them all"],
    ["/branch x", "the seq of one event"],
    ["/branch -1", "the seq of one event"],
    ["/branch 1 2", "the seq of one event"],
    ["/compact now", "/compact takes nothing behind it"]
  ])("%s is told as wrong", (line, words) => {
    const input = parse(line)
    assert.strictEqual(input._tag, "Wrong")
    assert.include(input._tag === "Wrong" ? input.why : "", words)
  })

  it("help has a line for each command that is understood", () => {
    for (const [command] of commands) assert.notStrictEqual(parse(command.split(" ", 1)[0] ?? "")._tag, "Wrong")
  })
})

describe("words", () => {
  it("the prompt shows pressure and generation, shortly on a narrow terminal", () => {
    const now = { totalTokens: 4_000, generation: 2 }
    assert.strictEqual(promptOf(now, 16_000, 80), "[25 % of 16,000, generation 2] > ")
    assert.strictEqual(promptOf(now, 16_000, 30), "25 % g2> ")
    assert.strictEqual(promptOf(now, undefined, 80), "[4,000 tokens, generation 2] > ")
  })

  it("a plan says what would be done, or why nothing", () => {
    const declined = {
      _tag: "Declined",
      trigger: "pressure",
      reason: "below-threshold",
      envelope: 100,
      unit: 10,
      surface: 900,
      threshold: 12_800,
      window: 16_000
    } as const
    const planned = {
      _tag: "Planned",
      trigger: "manual",
      rung: "summarise",
      first: 2,
      last: 40,
      price: 800,
      why: "it is old"
    } as const
    assert.deepStrictEqual(planOf([declined, planned], { totalTokens: 1_000 }, 16_000), [
      "the next request: 1,000 tokens, 6 % of 16,000",
      "before the next request: nothing, since it is below the threshold (pressure begins at 12,800 of 16,000 tokens)",
      "/compact: summarise of the events 2 to 40, 800 tokens (it is old)"
    ])
  })

  it("usage counts requests, summaries and refusals", () => {
    const at = { seq: 0, time: 0 }
    const counts = { estimator: "e", values: [] }
    const usage = { inputTokens: 1_000, outputTokens: 20, cachedTokens: 400 }
    const stepAt = { turn: 0, step: 0 }
    const lines = usageOf(
      [
        { ...at, type: "step/start", data: { ...stepAt, generation: 0 } },
        { ...at, type: "message/assistant", data: { message: Message.assistant("a"), usage, counts } },
        { ...at, type: "step/end", data: { ...stepAt, outcome: "completed" } },
        { ...at, type: "step/start", data: { ...stepAt, generation: 0 } },
        { ...at, type: "step/end", data: { ...stepAt, outcome: "refused" } },
        {
          ...at,
          type: "compaction/call",
          data: {
            id: "c",
            rung: "summarise",
            output: "",
            outcome: "landed",
            usage: { inputTokens: 5, outputTokens: 6 }
          }
        }
      ],
      { totalTokens: 500, envelopeTokens: 100, surfaceTokens: 400, generation: 1 },
      1_000
    )
    assert.deepStrictEqual(lines, [
      "requests: 2, 1,000 tokens in (400 of them cached), 20 out",
      "summaries: 1, 5 tokens in (0 of them cached), 6 out",
      "refused as too long: 1",
      "the next request: 500 tokens, 50 % of 1,000 (system prompt and tools 100, conversation 400), generation 1"
    ])
  })

  it("each way in which /compact fails has its own words, an unknown one passes as it is [A144]", () => {
    const session = "s"
    const all = [
      new SessionBusy({ session, turn: 1, state: "running" }),
      new CompactionBusy({ session }),
      new SummaryFailed({ reason: "timed-out", detail: "after 2 minutes" }),
      new SpanChanged({ session, first: 3, last: 9 }),
      new InvalidReplacement({ session, reason: "not-smaller", detail: "305 tokens in place of 285" }),
      new LogWriteFailed({ session, seq: 4, written: "no", detail: "the disk is full" })
    ].map(failureOf)
    assert.strictEqual(new Set(all).size, 6)
    for (const words of all) assert.match(words, /^not compacted: \S/u)
    assert.include(all[2], "the summary took too long: after 2 minutes")
    assert.include(all[3], "events 3 to 9")
    assert.include(all[4], "305 tokens in place of 285")
    assert.include(all[5], "the disk is full")
    const unknown = failureOf(new SummaryFailed({ reason: "filtered", detail: "" }))
    assert.strictEqual(unknown, "not compacted: the model gave no summary (filtered)")
  })

  it("what a compaction came to is told with its counts, and nothing to do with why [A143]", () => {
    const reduced = {
      _tag: "Reduced",
      trigger: "manual",
      rungs: ["prune", "summarise"],
      landed: [],
      before: 9_000,
      after: 2_500,
      generation: 3,
      spent: { inputTokens: 4_000, outputTokens: 300 },
      targetMet: true,
      duration: 5
    } as const
    assert.strictEqual(
      outcomeOf(reduced),
      "compacted by prune and summarise: 9,000 -> 2,500 tokens, generation 3; it cost 4,000 tokens in and 300 out"
    )
    const sizes = { envelope: 0, unit: 0, surface: 0 }
    assert.strictEqual(
      outcomeOf({ _tag: "Declined", trigger: "manual", reason: "no-route", ...sizes }),
      "compacted: nothing, since nothing was asked of a model yet"
    )
  })

  it("what a model says moves no cursor", () => {
    assert.strictEqual(harmless("a\u001b[2Jb\r\u0007c\n\td\u009b1m"), "a[2Jbc\n\td1m")
  })
})

describe("a turn as it is shown", () => {
  const terminal = () => {
    const lines: Array<string> = []
    const said: Array<string> = []
    const sink: Pick<Terminal, "say" | "tell" | "endLine"> = {
      say: (piece) => void said.push(piece),
      tell: (line) => void lines.push(line),
      endLine: () => {}
    }
    return { lines, said, shown: show(sink) }
  }

  it("has the model's words apart from what else happens, each told in words", () => {
    const { lines, said, shown } = terminal()
    const events: ReadonlyArray<TurnEvent> = [
      { _tag: "StepStarted", step: 1 },
      { _tag: "TextDelta", step: 1, delta: "Hel" },
      { _tag: "TextDelta", step: 1, delta: "lo" },
      { _tag: "StepDiscarded", step: 1 },
      { _tag: "Compacted", trigger: "context-overflow", rungs: ["prune"], before: 9_000, after: 4_000, generation: 2 },
      { _tag: "RequestRepeated", step: 2, attempt: 1, delay: 2_000, error: "RateLimited" },
      { _tag: "WindowLearned", step: 2, reason: "truncated", counted: 4_000, sent: 9_000, window: 4_000 },
      { _tag: "WindowLearned", step: 2, reason: "answered-above", counted: 9_000, believed: 8_000, window: 9_000 },
      { _tag: "TurnEnd", outcome: "output-limit", text: "Hello", pending: [] }
    ]
    events.forEach(shown)
    assert.strictEqual(said.join(""), "Hello")
    assert.deepStrictEqual(lines, [
      "(the request was refused as too long: what was said above is void)",
      "(context-overflow: compacted by prune, 9,000 -> 4,000 tokens, generation 2)",
      "(RateLimited: attempt 1 failed, the next one is in 2 s)",
      "(the server drops text and says nothing: it counted 4,000 of about 9,000 tokens; the window is taken for 4,000 from now on)",
      "(a request above the window of 8,000 tokens was answered; it is taken for 9,000 from now on)",
      "(the answer was cut at the output limit)"
    ])
  })

  it("says once a step that the model thinks", () => {
    const { lines, shown } = terminal()
    const thought = (step: number) => ({ _tag: "ReasoningDelta", step, delta: "hm" }) as const
    for (const event of [thought(1), thought(1), { _tag: "StepStarted", step: 2 } as const, thought(2)]) shown(event)
    assert.deepStrictEqual(lines, ["(thinks …)", "(thinks …)"])
  })
})

describe("the simulated model", () => {
  const ask = (...messages: ReadonlyArray<{ role: string; content: string; tool_call_id?: string }>) => {
    const request = { model: "m", messages, tools: [], stream: true, includeUsage: true, maxTokens: undefined }
    return answer(request).message
  }
  const callsOf = (message: Message.Message) =>
    Message.toolCalls(message).map((call) => [call.name, call.arguments] as const)

  it.each([
    ["list", "list_files", { path: "." }],
    ["Read src/a.ts", "read_file", { path: "src/a.ts" }],
    ["search to do in src", "search_files", { text: "to do", path: "src" }],
    ["run npm test", "run_command", { command: "npm test" }],
    ["write a.txt: hello", "write_file", { path: "a.txt", text: "hello\n" }],
    ["edit a.txt: b => c", "edit_file", { path: "a.txt", replace: "b", put: "c" }],
    ['#call read_file {"path": "x"}', "read_file", { path: "x" }]
  ])("%s", (line, name, args) => {
    assert.deepStrictEqual(callsOf(ask({ role: "user", content: `Please.\n${line}` })), [[name, args]])
  })

  it("takes the lines of a prompt one after the other, and ends", () => {
    const prompt = { role: "user", content: "list\nread a.txt\n#say all done" }
    const first = Message.toolCalls(ask(prompt))[0]
    const result = (id: string | undefined) => ({ role: "tool", content: "result", tool_call_id: id ?? "" })
    const second = Message.toolCalls(ask(prompt, result(first?.id)))[0]
    assert.strictEqual(second?.name, "read_file")
    assert.strictEqual(Message.text(ask(prompt, result(first?.id), result(second?.id))), "all done")
    // what a compaction put in the prompt's place quotes what was asked before it
    const quoted = { role: "user", content: `the user asked:\nlist\nlist\n${prompt.content}` }
    assert.strictEqual(Message.toolCalls(ask(quoted, result(first?.id)))[0]?.name, "read_file")
    const only = Message.toolCalls(ask({ role: "user", content: "list" }))[0]
    assert.include(Message.text(ask(quoted, result(only?.id))), "The tool answered: result")
  })
})
