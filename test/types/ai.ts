// What the types of the bridge to Effect AI say, and what must not compile. Checked by `npm run check`, never run.
import { type AiError, type Chat, type LanguageModel, type Model, Tool, Toolkit } from "@effect/ai"
import { Context, type Effect, type Layer } from "effect"
import type { Errors } from "effect-compaction"
import { CompactingChat, Guarded, LanguageModelAdapter, ToolkitRunner } from "effect-compaction/ai"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** The two types are the same. */
declare const same: <A, B>(equal: Equal<A, B>) => void

// a layer in place of another one: what it gives is what it takes
const plain = Guarded.layer({ window: 8_000, conversations: 4 })
same<typeof plain, Layer.Layer<LanguageModel.LanguageModel, never, LanguageModel.LanguageModel>>(true)
const unknownWindow = Guarded.layer()
same<typeof unknownWindow, typeof plain>(true)

// settings of one's own may be wrong, and only they
const withPolicy = Guarded.layer({ window: 8_000, policy: { threshold: 0.7 } })
same<typeof withPolicy, Layer.Layer<LanguageModel.LanguageModel, Errors.PolicyInvalid, LanguageModel.LanguageModel>>(
  true
)

// @ts-expect-error a window is a number of tokens
Guarded.layer({ window: "8k" })
// @ts-expect-error a policy's field that nobody knows
Guarded.layer({ window: 8_000, policy: { treshold: 0.7 } })

// a chat is Effect AI's, with what opening a log may fail with
const chat = CompactingChat.open("c", { window: 8_000 })
declare const opened: Effect.Effect.Success<typeof chat>
const asChat: Chat.Service = opened
same<Effect.Effect.Error<typeof chat>, Errors.OpenError | Errors.LogWriteFailed | Errors.PolicyInvalid>(true)
const asked = asChat.generateText({ prompt: "hi" })
same<Effect.Effect.Error<typeof asked>, AiError.AiError>(true)

// an adapter needs a name for its provider: its own, or that of a model that has one
const named = LanguageModelAdapter.layer({ provider: "mine" })
same<Layer.Layer.Context<typeof named>, LanguageModel.LanguageModel>(true)
const byModel = LanguageModelAdapter.layer()
same<Layer.Layer.Context<typeof byModel>, LanguageModel.LanguageModel | Model.ProviderName>(true)

// a runner needs its toolkit's handlers, and what they need
class Db extends Context.Tag("Db")<Db, string>() {}
const toolkit = Toolkit.make(Tool.make("query", { dependencies: [Db] }))
const runner = ToolkitRunner.layer(toolkit)
same<Layer.Layer.Context<typeof runner>, Tool.Handler<"query"> | Db>(true)
