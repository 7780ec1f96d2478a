import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Media from "../../src/compaction/media.ts"
import * as Policy from "../../src/compaction/Policy.ts"
import { type Carries, messagesBytes } from "../../src/compaction/requestBytes.ts"
import * as RunEstimator from "../../src/compaction/RunEstimator.ts"
import { applyAll } from "../../src/compaction/SessionFold.ts"
import * as SessionState from "../../src/compaction/SessionState.ts"
import * as Situation from "../../src/compaction/Situation.ts"
import * as Message from "../../src/session/Message.ts"
import * as SessionEvent from "../../src/session/SessionEvent.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"

const estimator = RunEstimator.make()
const route = { provider: "openai", model: "gpt-5" }

const data = (bytes: number): Message.Source => ({ type: "base64", base64: "A".repeat(bytes) })
const image = (bytes: number, more: Partial<Message.ImageBlock> = {}): Message.ImageBlock => ({
  type: "image",
  source: data(bytes),
  mediaType: "image/png",
  ...more
})
const file = (bytes: number, name = "report.pdf"): Message.FileBlock => ({
  type: "file",
  source: data(bytes),
  mediaType: "application/pdf",
  name
})
const text = Message.textBlock
const call = Message.toolCall("c1", "look", {})
const result = (...content: ReadonlyArray<Message.ResultBlock>) =>
  Message.toolResult({ id: "c1", name: "look", content })

type Refused = Partial<SessionEvent.BodyOf<"step/end">["data"]>

/** The log of a session with these messages whose request was refused. */
const logOf = (messages: ReadonlyArray<Message.Message>, refused: Refused): ReadonlyArray<SessionEvent.Body> => [
  {
    type: "request/envelope",
    data: { envelope: { route }, counts: { estimator: estimator.id, values: estimator.envelope({ route }) } }
  },
  ...messages.map((message): SessionEvent.Body => {
    const counts = { estimator: estimator.id, values: estimator.message(message) }
    if (message.role === "assistant") return { type: "message/assistant", data: { message, counts } }
    const [answered] = Message.toolResults(message)
    return answered === undefined
      ? { type: "message/user", data: { message, source: "prompt", counts } }
      : {
          type: "message/tool-result",
          data: { callId: answered.id, name: answered.name, content: answered.content, counts }
        }
  }),
  { type: "step/start", data: { turn: 0, step: 0, generation: 0 } },
  { type: "step/end", data: { turn: 0, step: 0, outcome: "refused", ...refused } }
]

const stateOf = (messages: ReadonlyArray<Message.Message>, refused: Refused): SessionState.SessionState =>
  Either.getOrThrow(
    applyAll(
      SessionState.empty(estimator),
      logOf(messages, refused).map((body, seq) => ({ ...body, seq, time: 0 })),
      estimator
    )
  )

const assess = (messages: ReadonlyArray<Message.Message>, carries?: Carries, refused: Refused = { unit: "bytes" }) =>
  Situation.assess({
    trigger: "context-overflow",
    state: stateOf(messages, refused),
    estimator,
    policy: Policy.defaults,
    known: () => ({ window: 100_000 }),
    summaryBounded: true,
    ...(carries === undefined ? {} : { carries })
  })

const propose = (messages: ReadonlyArray<Message.Message>, carries?: Carries) =>
  Media.propose(Either.getOrThrow(assess(messages, carries)))

/** Each of the messages as the proposal would leave it. */
const after = (messages: ReadonlyArray<Message.Message>, proposal: Media.MediaProposal | undefined) =>
  messages.map((message, i) => {
    const by = proposal?.replaced.find(({ seq }) => seq === i + 1)?.by
    return by === undefined ? message : SessionEvent.messageOf(by as SessionEvent.SurfaceBody)
  })

const kinds = (messages: ReadonlyArray<Message.Message>) =>
  messages.map(({ content }) =>
    content
      .flatMap((block): ReadonlyArray<Message.Block> => (block.type === "tool-result" ? block.content : [block]))
      .map(({ type }) => type)
      .join(" ")
  )

describe("media", () => {
  it("goes oldest first, until half of the request's bytes are gone", () => {
    const messages = [
      Message.user([text("one"), image(4_000)]),
      Message.assistant("seen"),
      Message.user([text("two"), image(4_000), image(4_000)]),
      Message.assistant("seen"),
      Message.user([text("three"), image(4_000)]),
      Message.assistant("seen"),
      Message.user("go on")
    ]
    const proposal = propose(messages)
    assert.deepStrictEqual(kinds(after(messages, proposal)), [
      "text text",
      "text",
      "text text text",
      "text",
      "text image",
      "text",
      "text"
    ])
    assert.deepInclude(proposal, { first: 1, last: 3 })
    const before = proposal?.bytes.before ?? 0
    assert.strictEqual(
      before - (proposal?.bytes.after ?? 0),
      messagesBytes(messages) - messagesBytes(after(messages, proposal))
    )
    assert.include(proposal?.why ?? "", "3 images and files hold")
  })

  it("is named where it stood: name, media type, size, and the original's seq", () => {
    const messages = [
      Message.user([text("before"), file(6_000), text("between"), image(4_000), text("after")]),
      Message.user("go on")
    ]
    const [changed] = after(messages, propose([...messages.slice(0, 1), Message.user("go on")]))
    assert.deepStrictEqual(
      changed?.content.map((block) => (block.type === "text" ? block.text : block.type)),
      [
        "before",
        `[file "report.pdf" (application/pdf, 4500 bytes) was taken out, because the request had too many bytes; the original is seq 1 of this session's log]`,
        "between",
        "image",
        "after"
      ]
    )
    assert.include(Media.placeholder(image(4_000), 7).text, "[image (image/png, 3000 bytes) was taken out")
    assert.include(Media.placeholder(image(4_000), 7).text, "seq 7")
    // a name is anybody's text
    const long = Media.placeholder(file(10, `a\n\n${"b".repeat(5_000)}`), 7).text
    assert.isBelow(long.length, 400)
    assert.notInclude(long, "\n")
    // without a name, a media type, and in a URL
    const source = { type: "url", url: `data:image/png;base64,${"A".repeat(400)}` } as const
    assert.include(Media.placeholder({ type: "file", source }, 7).text, "[file (300 bytes) was taken out")
  })

  it("is found in tool results too, whose other blocks stay in order [A125]", () => {
    const unknown = { type: "unknown" as const, value: { kept: true } }
    const messages = [
      Message.user("look"),
      Message.assistant([call]),
      result(text("before"), image(4_000), unknown, text("after")),
      Message.assistant("seen"),
      Message.user("go on")
    ]
    const changed = after(messages, propose(messages))
    assert.deepStrictEqual(kinds(changed), ["text", "tool-call", "text text unknown text", "text", "text"])
    assert.deepInclude(Message.toolResults(changed[2]!)[0], { id: "c1", name: "look" })
  })

  it("of the newest unit stays: it is what is asked about", () => {
    const messages = [
      Message.user([text("one"), image(4_000)]),
      Message.assistant([call]),
      result(text("now"), image(4_000))
    ]
    assert.deepStrictEqual(kinds(after(messages, propose(messages))), ["text text", "tool-call", "text image"])
  })

  it("that is the newest unit's alone is no remedy: declined, with the numbers", () => {
    const messages = [
      Message.user([text("one"), image(400)]),
      Message.assistant("seen"),
      Message.user([text("two"), image(40_000)])
    ]
    const assessed = assess(messages)
    assert.isTrue(Either.isLeft(assessed))
    const { bytes, reason } = Either.getOrThrow(Either.flip(assessed))
    assert.strictEqual(reason, "unit-too-large")
    assert.isAbove(bytes?.newest ?? 0, 40_000)
    assert.isBelow(bytes?.request ?? Infinity, 41_000)
  })

  it("that is only a URL or a reference carries nothing, and an inline URL does", () => {
    const sources: ReadonlyArray<Message.Source> = [
      { type: "url", url: "https://example.test/a.png" },
      { type: "blob", blob: "b1" }
    ]
    const bare = sources.map((source) => Message.user([{ type: "image", source }, text("x".repeat(2_000))]))
    assert.isUndefined(propose([...bare, Message.user("go on")]))
    const inline = Message.user([
      { type: "image", source: { type: "url", url: `data:image/png;base64,${"A".repeat(2_000)}` } }
    ])
    assert.deepStrictEqual(kinds(after([inline, Message.user("go on")], propose([inline, Message.user("go on")]))), [
      "text",
      "text"
    ])
  })

  it("that the route's requests do not carry is neither counted nor dropped", () => {
    const onlyImagesOfUsers: Carries = (block, role) => block.type === "image" && role === "user"
    const messages = [
      Message.user([text("x".repeat(3_000)), file(4_000), image(3_000)]),
      Message.assistant([call]),
      result(image(4_000)),
      Message.assistant("seen"),
      // by itself it would be most of the bytes
      Message.user([text("y".repeat(1_000)), file(90_000)])
    ]
    const proposal = propose(messages, onlyImagesOfUsers)
    assert.deepStrictEqual(kinds(after(messages, proposal)), [
      "text file text",
      "tool-call",
      "image",
      "text",
      "text file"
    ])
    assert.isBelow(proposal?.bytes.before ?? Infinity, 8_000)
    assert.isUndefined(propose(messages, () => false))
  })

  it("that weighs less than its name stays", () => {
    const small = [Message.user([text("x".repeat(2_000)), image(40)]), Message.user("go on")]
    assert.isUndefined(propose(small))
    // few pixels, many bytes: fewer tokens than its placeholder has, and the surface takes no such replacement
    const odd = [
      Message.user([image(4_000, { width: 1, height: 1 })]),
      Message.user([image(4_000)]),
      Message.user("go on")
    ]
    const proposal = propose(odd)
    for (const { by, seq } of proposal?.replaced ?? []) {
      const message = SessionEvent.messageOf(by as SessionEvent.SurfaceBody)
      const weights = estimator.weights(route)
      const price = (of: Message.Message) => estimator.message(of).reduce((sum, n, k) => sum + n * (weights[k] ?? 0), 0)
      assert.isBelow(price(message), price(odd[seq - 1]!))
    }
    assert.isDefined(proposal)
  })

  it("has nothing to do with an overflow of tokens", () => {
    const messages = [Message.user([text("one"), image(4_000)]), Message.assistant("seen"), Message.user("go on")]
    const situation = Either.getOrThrow(assess(messages, undefined, {}))
    assert.isUndefined(situation.bytes)
    assert.isUndefined(Media.propose(situation))
  })

  const block = FastCheck.oneof(
    FastCheck.nat(3_000).map((size) => image(size)),
    FastCheck.nat(3_000).map((size) => file(size)),
    FastCheck.string({ maxLength: 60 }).map(text)
  )
  const content = FastCheck.array(block, { minLength: 1, maxLength: 4 })
  const unit = FastCheck.oneof(
    content.map((blocks) => [Message.user(blocks)]),
    content.map((blocks) => [Message.assistant([call]), result(...blocks)])
  )

  it.effect.prop(
    "becomes fewer bytes and fewer tokens, and everything else stays as it was",
    [FastCheck.array(unit, { minLength: 1, maxLength: 6 })],
    ([units]) =>
      Effect.sync(() => {
        const messages = [...units.flat(), Message.user("go on")]
        const proposal = propose(messages)
        if (proposal === undefined) return
        const changed = after(messages, proposal)
        assert.isBelow(messagesBytes(changed), messagesBytes(messages))
        assert.strictEqual(
          proposal.bytes.before - proposal.bytes.after,
          messagesBytes(messages) - messagesBytes(changed)
        )
        const flat = (list: ReadonlyArray<Message.Message>) =>
          list.flatMap(({ content }) =>
            content.flatMap((one): ReadonlyArray<Message.Block> => (one.type === "tool-result" ? one.content : [one]))
          )
        const [was, is] = [flat(messages), flat(changed)]
        assert.strictEqual(was.length, is.length)
        for (const [i, one] of was.entries()) {
          if (is[i] === one) continue
          assert.include(["image", "file"], one.type)
          assert.include(is[i]?.type === "text" ? is[i].text : "", `[${one.type} `)
        }
        // what is left is the newest of what could go, or half was reached
        const enough = proposal.bytes.after <= proposal.bytes.before / 2
        const left = Media.propose({
          ...Either.getOrThrow(assess(changed)),
          bytes: { request: proposal.bytes.before * 1_000, newest: 0 }
        })
        assert.isTrue(enough || left === undefined)
        assert.strictEqual(SurfaceState.nodes(stateOf(changed, {}).surface).length, messages.length)
      })
  )
})
