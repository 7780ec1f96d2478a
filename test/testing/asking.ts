import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { ModelAdapter, type ModelRequest, type Part } from "../../src/services/ModelAdapter.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"

export const route = { provider: "deepseek", model: "deepseek-chat" }

export const request = (
  messages: ReadonlyArray<Message.Message>,
  more: Partial<ModelRequest["envelope"]> = {}
): ModelRequest => ({
  id: "s/1",
  generation: 0,
  envelope: { route, ...more },
  messages
})

/** One request through the adapter, as its parts. */
export const ask = Effect.fnUntraced(function* (
  messages: ReadonlyArray<Message.Message> | string,
  more: Partial<ModelRequest["envelope"]> = {}
) {
  const adapter = yield* ModelAdapter
  const list = typeof messages === "string" ? [Message.user(messages)] : messages
  return Chunk.toReadonlyArray(yield* Stream.runCollect(adapter.stream(request(list, more))))
})

export const textOf = (parts: ReadonlyArray<Part>) =>
  parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")
export const finishOf = (parts: ReadonlyArray<Part>) => parts.find((part) => part.type === "finish")

export const world = (
  options: Partial<SimulatedProvider.Options> = {},
  client: typeof FetchHttpClient.layer = FetchHttpClient.layer,
  adapter: Parameters<typeof SimulatedProvider.layerAdapter>[0] = {}
) =>
  SimulatedProvider.layerAdapter({ retry: false, ...adapter }).pipe(
    Layer.provideMerge(SimulatedProvider.layer({ window: 10_000, as: "deepseek", ...options })),
    Layer.provide(client)
  )

export const provider = SimulatedProvider.SimulatedProvider
