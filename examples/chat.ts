// A chat on Effect AI that outlives its process, and an agent loop on a provider package of Effect AI. Both keep their log in
// files: the same id goes on where it stopped.
//
//   npm run example chat
import { AnthropicClient, AnthropicLanguageModel } from "@effect/ai-anthropic"
import { Chat, Tool, Toolkit } from "@effect/ai"
import { FetchHttpClient } from "@effect/platform"
import { Effect, Layer, Ref, Schema } from "effect"
import { Agent, AgentLoop, Message, Session, Summarizer } from "effect-compaction"
import { CompactingChat, HttpEvidence, LanguageModelAdapter, ToolkitRunner } from "effect-compaction/ai"
import { layerLogStoreFile } from "effect-compaction/node"
import { SimulatedProvider } from "effect-compaction/testing"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"

const model = "claude-sonnet-4-5"

const Model = Layer.unwrapEffect(
  Effect.map(SimulatedProvider.SimulatedProvider, ({ baseUrl }) =>
    AnthropicLanguageModel.layer({ model, config: { max_tokens: 500 } }).pipe(
      Layer.provide(AnthropicClient.layer({ apiUrl: baseUrl })),
      Layer.provide(HttpEvidence.layer)
    )
  )
)

// What uses Effect AI's `Chat.Chat` does not change. Here it talks for a while, and says how long the history is.
const talk = (questions: number) =>
  Effect.gen(function* () {
    const chat = yield* Chat.Chat
    const { content } = yield* Ref.get(chat.history)
    for (let n = 0; n < questions; n++) {
      yield* chat.generateText({ prompt: `Question ${content.length / 2 + n}: and what of the next chapter?` })
    }
    return (yield* Ref.get(chat.history)).content.length
  })

const Support = CompactingChat.layer("support-7", {
  route: { provider: "anthropic", model },
  window: 4_000,
  maxOutputTokens: 500
})

// The agent loop on the same package: its model is an adapter over the `LanguageModel`, its tools are a `Toolkit`.
const Tools = Toolkit.make(
  Tool.make("find_page", { parameters: { chapter: Schema.Number }, success: Schema.Struct({ text: Schema.String }) })
)
const Handlers = Tools.toLayer({ find_page: ({ chapter }) => Effect.succeed({ text: `Chapter ${chapter} is short.` }) })

const Librarian = Session.layerOne("librarian").pipe(
  Layer.provide([
    Agent.layer({ provider: "anthropic", model, system: "You are terse.", maxOutputTokens: 500 }),
    Summarizer.layer,
    ToolkitRunner.layer(Tools)
  ]),
  Layer.provide([LanguageModelAdapter.layer({ provider: "anthropic" }), Handlers])
)

const directory = mkdtempSync(`${tmpdir()}/chat-`)

export const main = Effect.gen(function* () {
  const { next, requests } = yield* SimulatedProvider.SimulatedProvider
  // each `provide` opens the chat anew, as another process would
  for (const questions of [15, 15]) {
    const length = yield* Effect.provide(talk(questions), Support)
    yield* Effect.log(`${length} messages were said`)
  }
  const summaries = (yield* requests).filter(({ kind }) => kind === "summary").length
  yield* Effect.log(`all answered, with ${summaries > 0 ? "summaries" : "no summary"} of what came before`)
  yield* next(
    SimulatedProvider.call(Message.toolCall("call_1", "find_page", { chapter: 7 })),
    SimulatedProvider.say("It is short.")
  )
  const { text } = yield* AgentLoop.run("How long is chapter 7?").pipe(Effect.provide(Librarian))
  yield* Effect.log(`the librarian says: ${text}`)
}).pipe(
  Effect.ensuring(Effect.sync(() => rmSync(directory, { recursive: true }))),
  Effect.provide(
    Model.pipe(
      Layer.provideMerge(
        SimulatedProvider.layer({
          window: 4_000,
          as: "anthropic",
          answers: () => SimulatedProvider.say("It tells of a long journey and of those who made it. ".repeat(15))
        })
      ),
      Layer.provide(FetchHttpClient.layer),
      Layer.merge(layerLogStoreFile({ directory }))
    )
  )
)
