import * as AiError from "@effect/ai/AiError"
import * as Chat from "@effect/ai/Chat"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Guarded from "../../src/ai/Guarded.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import { Surface } from "../../src/services/Surface.ts"
import * as countingModel from "./countingModel.ts"
import * as scripted from "./scriptedModel.ts"
import { call, text, tokensOf, words } from "./countingModel.ts"

class SubAgentFailed extends Schema.TaggedError<SubAgentFailed>()("SubAgentFailed", {
  status: Schema.Number,
  message: Schema.String
}) {}

const Read = Tool.make("read", {
  description: "Reads a page",
  parameters: { page: Schema.Number },
  success: Schema.Struct({ text: Schema.String }),
  failure: Schema.Union(SubAgentFailed, AiError.UnknownError)
})
const Note = Tool.make("note", { description: words(200), parameters: { text: Schema.String }, success: Schema.String })
const Tools = Toolkit.make(Read, Note)

const tools = (
  read: (page: number) => Effect.Effect<{ readonly text: string }, SubAgentFailed | AiError.UnknownError>
) => Tools.toLayer({ read: ({ page }) => read(page), note: ({ text }) => Effect.succeed(text) })

const guarded = (model: Layer.Layer<LanguageModel.LanguageModel>, window = 8_000) =>
  Layer.provide(Guarded.layer({ window }), model)

/** Each call has its result behind it, and each result its call before it. */
const isPaired = ({ content }: Prompt.Prompt) => {
  const open = new Set<string>()
  for (const message of content) {
    if (message.role === "tool") for (const part of message.content) if (!open.delete(part.id)) return false
    if (message.role === "assistant") {
      if (open.size > 0) return false
      for (const part of message.content) if (part.type === "tool-call") open.add(part.id)
    }
    if (message.role === "user" && open.size > 0) return false
  }
  return open.size === 0
}

const parts = ({ content }: Prompt.Prompt) =>
  content.flatMap((message) => (message.role === "system" ? [] : message.content))

/** Questions and answers of about 150 tokens a pair, the last one a question. */
const conversation = (pairs: number) =>
  Prompt.fromMessages(
    Array.from({ length: 2 * pairs + 1 }, (_, i) =>
      i % 2 === 0
        ? Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text: `${i}: ${words(20)}` })] })
        : Prompt.makeMessage("assistant", { content: [Prompt.makePart("text", { text: words(130) })] })
    )
  )

describe("Guarded.layer and toolkits", () => {
  it.effect("calls and results stay paired over 50 turns with two calls each, and every tool runs once", () => {
    const ran: Array<number> = []
    const model = countingModel.make({
      window: 8_000,
      answers: ({ prompt }, number) =>
        prompt.content.at(-1)?.role === "user"
          ? [...call(`a${number}`, "read", { page: number }), ...call(`b${number}`, "read", { page: -number })]
          : text(words(40))
    })
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      for (let turn = 0; turn < 50; turn++) {
        yield* chat.generateText({ prompt: `Turn ${turn}`, toolkit: Tools })
        // the results are in the chat's history: no new message
        const { text } = yield* chat.generateText({ prompt: [], toolkit: Tools })
        assert.isAbove(text.length, 0)
      }
      assert.strictEqual(ran.length, 100)
      assert.strictEqual(model.refusals(), 0)
      assert.isAbove(model.summaries(), 0)
      for (const { prompt } of model.conversation()) assert.isTrue(isPaired(prompt))
    }).pipe(
      Effect.provide([guarded(model.layer), tools((page) => Effect.sync(() => (ran.push(page), { text: words(60) })))])
    )
  })

  it.effect("an oversized result is cut, and the result beside it is the one that came", () => {
    const model = countingModel.make({ window: 8_000 })
    return Effect.gen(function* () {
      const result = (id: string, text: string) =>
        Prompt.makePart("tool-result", { id, name: "read", isFailure: false, result: text, providerExecuted: false })
      const small = result("b", "small")
      const messages = [
        Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text: "Read both" })] }),
        Prompt.makeMessage("assistant", {
          content: ["a", "b"].map((id) =>
            Prompt.makePart("tool-call", { id, name: "read", params: { page: 1 }, providerExecuted: false })
          )
        }),
        Prompt.makeMessage("tool", { content: [result("a", words(7_000)), small] }),
        Prompt.makeMessage("assistant", { content: [Prompt.makePart("text", { text: "Read." })] }),
        Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text: "And?" })] })
      ]
      yield* LanguageModel.generateText({ prompt: Prompt.fromMessages(messages) })
      const sent = model.conversation()[0]!.prompt
      assert.strictEqual(model.summaries(), 0)
      assert.isTrue(isPaired(sent))
      assert.deepStrictEqual(
        sent.content.map(({ role }) => role),
        ["user", "assistant", "tool", "assistant", "user"]
      )
      assert.isBelow(model.asked[0]!.tokens, 3_000)
      const [cut, beside] = parts(Prompt.fromMessages([sent.content[2]!]))
      assert.include(JSON.stringify(cut), "…")
      assert.deepStrictEqual(beside, small)
      for (const place of [0, 1, 3, 4]) assert.strictEqual(sent.content[place], messages[place])
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("an object that is cut stays an object, and calls whose results never came are mended", () => {
    const model = countingModel.make({ window: 8_000 })
    const say = (text: string) => Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text })] })
    const asking = (id: string) =>
      Prompt.makeMessage("assistant", {
        content: [Prompt.makePart("tool-call", { id, name: "read", params: { page: 1 }, providerExecuted: false })]
      })
    return Effect.gen(function* () {
      yield* LanguageModel.generateText({
        prompt: Prompt.fromMessages([
          say("Read"),
          asking("a"),
          Prompt.makeMessage("tool", {
            content: [
              Prompt.makePart("tool-result", {
                id: "a",
                name: "read",
                isFailure: false,
                result: { text: words(7_000) },
                providerExecuted: false
              })
            ]
          }),
          asking("b"),
          say("And?")
        ])
      })
      const { prompt } = model.conversation()[0]!
      assert.isTrue(isPaired(prompt))
      const [cut, mended] = parts(prompt).filter((part) => part.type === "tool-result")
      assert.deepStrictEqual(Object.keys(cut!.result as object), ["output"])
      assert.strictEqual(mended!.id, "b")
      assert.isTrue(mended!.isFailure)
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  const overflows = [
    new SubAgentFailed({ status: 400, message: "prompt is too long: 9000 tokens > 8000 maximum" }),
    new AiError.UnknownError({
      module: "Sub",
      method: "x",
      description: "prompt is too long: 9000 tokens > 8000 maximum"
    })
  ]
  for (const error of overflows) {
    it.effect(`a tool's own overflow is the tool's failure, ran once, asked once (${error._tag})`, () => {
      let ran = 0
      const model = countingModel.make({ window: 8_000, answers: () => call("a", "read", { page: 1 }) })
      // enough that a rescue would find something to make smaller
      const asking = { prompt: conversation(30), toolkit: Tools }
      return Effect.gen(function* () {
        const whole = yield* Effect.exit(LanguageModel.generateText(asking))
        assert.deepStrictEqual([ran, model.asked.length], [1, 1])
        const streamed = yield* Effect.exit(Stream.runDrain(LanguageModel.streamText(asking)))
        assert.deepStrictEqual([ran, model.asked.length], [2, 2])
        const exits: ReadonlyArray<Exit.Exit<unknown, unknown>> = [whole, streamed]
        for (const exit of exits) {
          const cause = Option.getOrThrow(Exit.causeOption(exit))
          assert.strictEqual(Option.getOrThrow(Cause.failureOption(cause)), error)
        }
      }).pipe(Effect.provide([guarded(model.layer), tools(() => Effect.suspend(() => (ran++, Effect.fail(error))))]))
    })
  }

  it.effect("an answer whose tool ran is not asked for again, whatever was counted for it", () => {
    let ran = 0
    const refusal = countingModel.refusal(9_000, 8_000)
    const called: scripted.Line = [
      { type: "tool-call", id: "a", name: "read", params: { page: 1 } },
      scripted.finish({ input: 9_500, output: 5 }, "tool-calls")
    ]
    const model = Guarded.layer({ summarizer: Summarizer.layerWith(() => Effect.succeed("what was said")) }).pipe(
      Layer.provideMerge(scripted.layer)
    )
    return Effect.gen(function* () {
      const script = yield* scripted.ScriptedModel
      // the provider states its window, and then counts more for an answer
      yield* script.next(refusal, scripted.say("ok", { input: 4_000, output: 5 }), called, scripted.say("again"))
      yield* LanguageModel.generateText({ prompt: conversation(30) })
      const answer = yield* LanguageModel.generateText({ prompt: conversation(31), toolkit: Tools })
      assert.strictEqual(answer.toolCalls.length, 1)
      assert.deepStrictEqual([ran, (yield* script.asked).length], [1, 3])
    }).pipe(Effect.provide([model, tools(() => Effect.sync(() => (ran++, { text: "page" })))]))
  })

  it.effect("a tool that asks the guarded model itself is another conversation", () => {
    const model = countingModel.make({
      window: 8_000,
      answers: ({ prompt }) =>
        JSON.stringify(prompt).includes("inner question") ? text("inner answer") : call("a", "read", { page: 1 })
    })
    return Effect.gen(function* () {
      const { toolResults } = yield* LanguageModel.generateText({ prompt: "Read", toolkit: Tools })
      assert.deepStrictEqual(
        toolResults.map(({ result }) => result),
        [{ text: "inner answer" }]
      )
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          Tools.toLayer(
            Effect.map(LanguageModel.LanguageModel, (model) => ({
              read: () =>
                Effect.map(model.generateText({ prompt: "inner question" }), (response) => ({
                  text: response.text
                })).pipe(Effect.orDie),
              note: ({ text }: { readonly text: string }) => Effect.succeed(text)
            }))
          ),
          guarded(model.layer)
        )
      )
    )
  })

  it.effect("a session of the caller's own is not hidden from its tools by the guard's", () => {
    const model = countingModel.make({ window: 8_000, answers: () => call("a", "note", { text: "x" }) })
    const own = { id: "the caller's" } as typeof Surface.Service
    const seen: Array<string> = []
    return Effect.gen(function* () {
      const toolkit = yield* Tools
      const looking: typeof toolkit = {
        ...toolkit,
        handle: (name, params) =>
          Effect.zipRight(
            Effect.map(Effect.serviceOption(Surface), (surface) =>
              seen.push(Option.match(surface, { onNone: () => "none", onSome: ({ id }) => id }))
            ),
            toolkit.handle(name, params)
          )
      }
      yield* LanguageModel.generateText({ prompt: "x", toolkit: looking })
      yield* Effect.provide(LanguageModel.generateText({ prompt: "y", toolkit: looking }), Context.make(Surface, own))
      assert.deepStrictEqual(seen, ["none", "the caller's"])
    }).pipe(Effect.provide([guarded(model.layer), tools(() => Effect.succeed({ text: "" }))]))
  })

  it.effect("the schemas of tools and of a structured answer are part of what is priced", () => {
    // as long as the window's room for the conversation: without them there would be no pressure
    const Big = Schema.Struct({ field: Schema.String.annotations({ description: words(4_000) }) })
    const model = countingModel.make({ window: 8_000, answers: () => text(JSON.stringify({ field: "x" })) })
    const prompt = conversation(20)
    return Effect.gen(function* () {
      yield* LanguageModel.generateText({ prompt })
      assert.strictEqual(model.summaries(), 0)
      const { value } = yield* LanguageModel.generateObject({ prompt, schema: Big, objectName: "big" })
      assert.deepStrictEqual(value, { field: "x" })
      assert.isAbove(model.summaries(), 0)
      assert.strictEqual(model.refusals(), 0)
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("tool choice, concurrency and unresolved calls reach the model as they were given", () => {
    const model = countingModel.make({ window: 8_000, answers: () => call("a", "read", { page: 1 }) })
    return Effect.gen(function* () {
      const { toolCalls, toolResults } = yield* LanguageModel.generateText({
        prompt: "x",
        toolkit: Tools,
        toolChoice: { mode: "required", oneOf: ["read"] },
        disableToolCallResolution: true
      })
      assert.deepStrictEqual([toolCalls.length, toolResults.length], [1, 0])
      const { options } = model.asked[0]!
      assert.deepStrictEqual(options.toolChoice, { mode: "required", oneOf: ["read"] })
      assert.deepStrictEqual(
        options.tools.map(({ name }) => name),
        ["read"]
      )
    }).pipe(Effect.provide([guarded(model.layer), tools(() => Effect.die("not to be run"))]))
  })

  it.effect("arguments and results that have no JSON cost no summary more than others", () => {
    const model = countingModel.make({ window: 8_000 })
    const user = (text: string) => Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text })] })
    const answer = Prompt.makeMessage("assistant", { content: [Prompt.makePart("text", { text: words(130) })] })
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    return Effect.gen(function* () {
      let said: ReadonlyArray<Prompt.Message> = [cycle, { n: 1n }].flatMap((odd, i) => [
        user("Look"),
        Prompt.makeMessage("assistant", {
          content: [Prompt.makePart("tool-call", { id: `${i}`, name: "look", params: odd, providerExecuted: false })]
        }),
        Prompt.makeMessage("tool", {
          content: [
            Prompt.makePart("tool-result", {
              id: `${i}`,
              name: "look",
              isFailure: false,
              result: odd,
              providerExecuted: false
            })
          ]
        })
      ])
      for (let turn = 0; turn < 80; turn++) {
        said = [...said, user(`${turn}: ${words(15, "ask")}`)]
        yield* LanguageModel.generateText({ prompt: Prompt.fromMessages(said) })
        said = [...said, answer]
      }
      assert.strictEqual(model.refusals(), 0)
      assert.isAbove(model.summaries(), 0)
      const tokens = tokensOf(Prompt.fromMessages(said))
      assert.isAtMost(model.summaries(), Math.ceil(1 + (tokens - 0.8 * 8_000) / (0.5 * 8_000)))
    }).pipe(Effect.provide(Layer.provide(Guarded.layer({ window: 8_000 }), model.layer)))
  })

  it.effect("a prompt that ends with open calls is sent as it is", () => {
    const model = countingModel.make({ window: 8_000 })
    const prompt = Prompt.fromMessages([
      Prompt.makeMessage("assistant", {
        content: [Prompt.makePart("tool-call", { id: "a", name: "read", params: {}, providerExecuted: false })]
      })
    ])
    return Effect.gen(function* () {
      yield* LanguageModel.generateText({ prompt })
      assert.strictEqual(model.asked[0]!.prompt, prompt)
    }).pipe(Effect.provide(guarded(model.layer)))
  })
})
