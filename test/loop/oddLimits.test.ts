import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as ModelAdapter from "../../src/layers/ModelAdapter.ts"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Session from "../../src/layers/Session.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import { words } from "./world.ts"

const envelope = { route: { provider: "theirs", model: "m" } }

describe("an adapter that says an output limit that is none", () => {
  for (const outputLimit of [0, -1, NaN]) {
    it.effect(`${outputLimit}: the summary is capped as if nothing had been said`, () => {
      const caps: Array<number | undefined> = []
      return Effect.gen(function* () {
        yield* Surface.append(
          ...Array.from({ length: 4 }, () => [Message.user("go on"), Message.assistant(words(400))]).flat()
        )
        yield* OverflowRescue.retry({ envelope, send: () => Effect.void })
        assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced" })
        assert.deepStrictEqual(caps, [500])
      }).pipe(
        Effect.provide(
          Session.layerWithoutLoop.pipe(
            Layer.provide([
              Layer.succeed(Session.SessionId, "s"),
              LogStore.layerMemory,
              ModelAdapter.layerInfo(() => ({ window: 4_000, outputLimit })),
              Summarizer.layerWith(({ envelope: { maxOutputTokens } }) =>
                Effect.sync(() => (caps.push(maxOutputTokens), "what was said"))
              )
            ])
          )
        )
      )
    })
  }
})
