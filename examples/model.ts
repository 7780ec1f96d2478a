// The model that the other examples talk to: DeepSeek where there is a key for it, else a provider that is simulated on
// this machine, so that every example runs without one. An app of your own needs the first of the two only.
import { FetchHttpClient } from "@effect/platform"
import { Config, Effect, Layer, Option } from "effect"
import { Message, OpenAiChat } from "effect-compaction"
import { SimulatedProvider } from "effect-compaction/testing"

const apiKey = Config.redacted("DEEPSEEK_API_KEY")

export const deepSeek = OpenAiChat.layerConfig({ provider: "deepseek", apiKey }).pipe(
  Layer.provide(FetchHttpClient.layer)
)

// It calls the tool that it is given, and else says that it is done.
const answer: NonNullable<SimulatedProvider.Options["answers"]> = ({ messages, tools }) =>
  tools.length > 0 && messages.at(-1)?.role === "user"
    ? SimulatedProvider.call(Message.toolCall(`call_${messages.length}`, "read_file", { path: "package.json" }))
    : SimulatedProvider.say("Done.")

/** A real HTTP server on loopback. Its window is small, so that a short conversation is too long for it already. */
export const simulated = SimulatedProvider.layerAdapter({ windows: { "deepseek-flash": { window: 4_000 } } }).pipe(
  Layer.provide(SimulatedProvider.layer({ window: 4_000, as: "deepseek", answers: answer })),
  Layer.provide(FetchHttpClient.layer)
)

export const Model = Layer.unwrapEffect(
  Effect.map(Config.option(apiKey), (key) => (Option.isSome(key) ? deepSeek : simulated))
)
