// A gateway that takes so many bytes, before a provider that sees images.
import * as Effect from "effect/Effect"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { next, type Options, world } from "./world.ts"

export const image = (letter: string, bytes: number): Message.ImageBlock => ({
  type: "image",
  source: { type: "base64", base64: letter.repeat(bytes) },
  mediaType: "image/png"
})

export const shown = (letter: string, bytes: number) =>
  Message.user([Message.textBlock(`Look at ${letter}`), image(letter, bytes)])

/** By default it takes 20,000 bytes. */
export const gateway = (options: Options = {}) =>
  world({ window: 100_000, byteLimit: 20_000, quirks: { images: "parts" }, ...options })

/** Two images, the older of which is most of what the gateway takes. */
export const shownTwo = Effect.gen(function* () {
  yield* next(SimulatedProvider.say("seen"), SimulatedProvider.say("seen"))
  yield* AgentLoop.run(shown("A", 14_000))
  yield* AgentLoop.run(shown("B", 5_000))
})
