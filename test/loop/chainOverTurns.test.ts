import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as Message from "../../src/session/Message.ts"
import { conversations, counting } from "./countingModel.ts"
import { inSession, tool } from "./world.ts"

const call = Message.assistant([Message.toolCall("a", "read", {}), Message.toolCall("b", "read", {})])

describe("a route that refuses turn after turn", () => {
  it.effect("each turn asks for much less than the one before, whatever a single turn may retry", () =>
    inSession(
      Effect.gen(function* () {
        yield* Effect.exit(AgentLoop.run("x".repeat(2_600)))
        let turns = 1
        while ((yield* Effect.exit(AgentLoop.run("go on")))._tag === "Failure" && turns < 9) turns++
        assert.isAtMost(turns, 3)
        const asked = yield* conversations
        assert.isFalse(asked.at(-1)?.refused)
      })
    ).pipe(
      Effect.provide(
        counting({
          windows: { m: 8_000 },
          states: "limit",
          reports: false,
          factor: 2.2,
          answers: [call],
          tools: { read: tool(() => Effect.succeed("line ".repeat(200))) },
          policy: { maxOverflowRetries: 1, auto: { pressure: false }, summary: { attempts: 1 } }
        })
      )
    )
  )
})
