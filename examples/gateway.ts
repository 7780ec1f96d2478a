// A gateway that refuses in words of its own. One row of data says what they mean, and its overflows are rescued.
//
//   npm run example gateway
import { FetchHttpClient } from "@effect/platform"
import { Effect, Layer, Stream } from "effect"
import { ErrorClassifier, Message, ModelAdapter, OpenAiChat } from "effect-compaction"

const houseRows = ErrorClassifier.layerRows([
  {
    id: "house-gateway",
    tag: "ContextWindowExceeded",
    wording: /weigh (?<input>\d+) of (?<limit>\d+)/i,
    limitCounts: "input"
  }
])

export const House = OpenAiChat.layer({ provider: "house", baseUrl: "https://models.house.example/v1" }).pipe(
  Layer.provide([houseRows, FetchHttpClient.layer])
)

// In place of the network: the gateway refuses whatever it is sent.
const refusing = Layer.succeed(FetchHttpClient.Fetch, () =>
  Promise.resolve(new Response('{"error": "Your pages weigh 9200 of 8000"}', { status: 400 }))
)

export const main = Effect.gen(function* () {
  const adapter = yield* ModelAdapter.ModelAdapter
  const error = yield* adapter
    .stream({
      id: "t/1",
      generation: 0,
      envelope: { route: { provider: "house", model: "small" } },
      messages: [Message.user("Summarise these pages: …")]
    })
    .pipe(Stream.runDrain, Effect.flip)
  yield* Effect.log(error.message)
}).pipe(Effect.provide(House.pipe(Layer.provide(refusing))))
