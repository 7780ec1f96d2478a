// An ordinary chat application on Effect AI, with two tools, in a window that its conversation fills: first with the model as
// it is, then with the model guarded. The application is one program; what differs is one layer.
//
//   npm run example:ai
import { AnthropicClient, AnthropicLanguageModel } from "@effect/ai-anthropic"
import { OpenAiClient, OpenAiLanguageModel } from "@effect/ai-openai"
import { Chat, type LanguageModel, Tool, Toolkit } from "@effect/ai"
import { FetchHttpClient } from "@effect/platform"
import { Effect, Either, Layer, Redacted, Schema } from "effect"
import { Message } from "effect-compaction"
import { Guarded, HttpEvidence } from "effect-compaction/ai"
import { SimulatedProvider } from "effect-compaction/testing"

// the application: it knows nothing of windows

const FindOrder = Tool.make("find_order", {
  description: "Finds an order by its number",
  parameters: { number: Schema.Number },
  success: Schema.Struct({ number: Schema.Number, lines: Schema.Array(Schema.String) })
})
const ReadPolicy = Tool.make("read_policy", {
  description: "Reads a page of the shop's policy",
  parameters: { page: Schema.Number },
  success: Schema.String
})
const Tools = Toolkit.make(FindOrder, ReadPolicy)

const ToolsLive = Tools.toLayer({
  find_order: ({ number }) =>
    Effect.succeed({
      number,
      lines: Array.from(
        { length: 12 },
        (_, line) => `line ${line}: part ${(number * 37 + line * 11) % 997}, ${line + 1} pieces`
      )
    }),
  read_policy: ({ page }) =>
    Effect.succeed(`Page ${page}. `.concat("What was sent within thirty days may come back. ".repeat(20)))
})

/** One question, answered when the model calls no more tools. */
const ask = (chat: Chat.Service, question: string) =>
  Effect.gen(function* () {
    let answer = yield* chat.generateText({ prompt: question, toolkit: Tools })
    while (answer.toolCalls.length > 0) answer = yield* chat.generateText({ prompt: [], toolkit: Tools })
    return answer.text
  })

/** How many of the turns were answered before one failed. */
const converse = (turns: number) =>
  Effect.gen(function* () {
    const chat = yield* Chat.empty
    for (let turn = 1; turn <= turns; turn++) {
      const answer = yield* Effect.either(ask(chat, `Question ${turn}: may order ${turn} come back?`))
      if (Either.isLeft(answer)) return turn - 1
    }
    return turns
  }).pipe(Effect.provide(ToolsLive))

// the two providers, as their packages offer them

const apiKey = Redacted.make("none is needed here")
const maxOutputTokens = 1_000

const client = HttpEvidence.layer.pipe(Layer.provide(FetchHttpClient.layer))

const OpenAi = (apiUrl: string) =>
  OpenAiLanguageModel.layer({ model: "gpt-5", config: { max_output_tokens: maxOutputTokens } }).pipe(
    Layer.provide(OpenAiClient.layer({ apiKey, apiUrl })),
    Layer.provide(client)
  )

const Anthropic = (apiUrl: string) =>
  AnthropicLanguageModel.layer({ model: "claude-sonnet-4-5", config: { max_tokens: maxOutputTokens } }).pipe(
    Layer.provide(AnthropicClient.layer({ apiKey, apiUrl })),
    Layer.provide(client)
  )

// the line that differs

const window = 16_000

const guarded = (Model: Layer.Layer<LanguageModel.LanguageModel>) =>
  Guarded.layer({ window, maxOutputTokens }).pipe(Layer.provide(Model))

// what it takes to compare them: a provider on this machine that counts, and refuses what is too long

const turns = 60

/** It looks up the order, then the policy, and then answers. */
const answers = (): NonNullable<SimulatedProvider.Options["answers"]> => {
  let calls = 0
  const call = (name: string, args: object) => SimulatedProvider.call(Message.toolCall(`call_${calls++}`, name, args))
  return ({ messages }) => {
    const last = messages.at(-1)
    if (last?.role === "user") return call("find_order", { number: calls })
    if (JSON.stringify(last?.content).includes("pieces")) return call("read_policy", { page: calls })
    return SimulatedProvider.say("Yes: it was sent less than thirty days ago, and nothing of it was used. ".repeat(3))
  }
}

interface Figures {
  /** turns that were answered */
  readonly answered: number
  /** tokens of all requests that were answered, by the provider's count */
  readonly sent: number
  /** of the largest of them */
  readonly largest: number
  readonly summaries: number
  readonly overflows: number
}

const measured = (
  as: "openai" | "anthropic",
  providerWindow: number,
  Model: (url: string) => Layer.Layer<LanguageModel.LanguageModel>
) =>
  Effect.gen(function* () {
    const provider = yield* SimulatedProvider.SimulatedProvider
    const answered = yield* Effect.provide(converse(turns), Model(provider.baseUrl))
    const requests = yield* provider.requests
    const taken = requests.filter(({ outcome }) => outcome === "answered")
    const figures: Figures = {
      answered,
      sent: taken.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      largest: Math.max(...taken.map(({ inputTokens }) => inputTokens)),
      summaries: requests.filter(({ kind }) => kind === "summary").length,
      overflows: requests.filter(({ outcome }) => outcome === "refused").length
    }
    return figures
  }).pipe(
    Effect.provide(SimulatedProvider.layer({ window: providerWindow, as, answers: answers(), keepBodies: false }))
  )

/** The most that may be paid for a history of so many tokens: a summary each time that half a window is new. */
const most = (history: number) => Math.ceil(1 + (history - 0.8 * window) / (0.5 * window))

const row = (name: string, { answered, largest, overflows, sent, summaries }: Figures) =>
  `${name.padEnd(8)} ${String(answered).padStart(2)} of ${turns} turns, ${sent} tokens sent, ${largest} at most, ${summaries} summaries, ${overflows} overflows`

const compare = (as: "openai" | "anthropic", Model: typeof OpenAi) =>
  Effect.gen(function* () {
    const { largest: history } = yield* measured(as, Number.MAX_SAFE_INTEGER, Model)
    const plain = yield* measured(as, window, Model)
    const kept = yield* measured(as, window, (url) => guarded(Model(url)))
    yield* Effect.log(`${as}: a history of ${history} tokens in a window of ${window}`)
    yield* Effect.log(row("plain", plain) + (plain.answered < turns ? `, died at turn ${plain.answered + 1}` : ""))
    yield* Effect.log(row("guarded", kept))
    yield* Effect.log(`at most ${most(history)} summaries may be paid`)
    return plain.answered < turns && kept.answered === turns && kept.summaries <= most(history)
  })

export const main = Effect.gen(function* () {
  yield* Effect.log("- Effect.provide(converse, Model)")
  const settings = `{ window: ${window}, maxOutputTokens: ${maxOutputTokens} }`
  yield* Effect.log(`+ Effect.provide(converse, Guarded.layer(${settings}).pipe(Layer.provide(Model)))`)
  const held = [yield* compare("openai", OpenAi), yield* compare("anthropic", Anthropic)]
  if (!held.every(Boolean)) return yield* Effect.dieMessage("the guard did not keep its promise")
})
