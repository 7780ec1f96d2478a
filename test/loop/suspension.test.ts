import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { asked, inSession, logLines, next, sent, tool, turnLines, world } from "./world.ts"

const { call, say } = SimulatedProvider

const tools = {
  approve: tool(() => Effect.succeed({ suspend: "asks a person" })),
  read: tool(() => Effect.succeed("contents"))
}
const twoApprovals = call(
  Message.toolCall("a", "approve", {}),
  Message.toolCall("b", "read", {}),
  Message.toolCall("c", "approve", {})
)

const rolesOf = (text: string) =>
  (JSON.parse(text) as { messages: ReadonlyArray<{ role: string; tool_call_id?: string; content: string }> }).messages

describe("a turn that waits for answers, through the loop and over HTTP", () => {
  it.live("ends as suspended, keeps the results in hand, and refuses a prompt at once [CONTINUE-1]", () =>
    Effect.gen(function* () {
      yield* next(twoApprovals)
      const end = yield* AgentLoop.run("Deploy")
      assert.deepInclude(end, { outcome: "suspended", pending: ["a", "c"] })
      assert.deepStrictEqual(yield* AgentLoop.state, { _tag: "Suspended", turn: 0, pending: ["a", "c"] })
      assert.deepStrictEqual((yield* turnLines).slice(-3), [
        "message/tool-result b",
        "step/end 0 completed",
        "turn/end 0 suspended"
      ])
      const busy = yield* Effect.flip(AgentLoop.run("Something else"))
      assert.deepInclude(busy, { _tag: "SessionBusy", turn: 0, state: "suspended" })
      assert.lengthOf(yield* asked, 1)
    }).pipe(inSession, Effect.provide(world({ tools })))
  )

  it.live("goes on when all are answered, and not before", () =>
    Effect.gen(function* () {
      yield* next(twoApprovals, say("deployed"))
      yield* AgentLoop.run("Deploy")
      const still = yield* AgentLoop.resume({ c: "yes, c" })
      assert.deepInclude(still, { outcome: "suspended", pending: ["a"] })
      assert.lengthOf(yield* asked, 1)
      const end = yield* AgentLoop.resume({ a: "yes, a" })
      assert.deepInclude(end, { outcome: "completed", text: "deployed" })
      const results = rolesOf(yield* sent(1)).filter(({ role }) => role === "tool")
      assert.sameDeepMembers(
        results.map(({ content, tool_call_id }) => [tool_call_id, content]),
        [
          ["a", "yes, a"],
          ["b", "contents"],
          ["c", "yes, c"]
        ]
      )
    }).pipe(inSession, Effect.provide(world({ tools })))
  )

  it.live("goes on after the session was reopened, as the same turn", () =>
    Effect.gen(function* () {
      yield* next(call(Message.toolCall("a", "approve", {})), say("deployed"), say("next"))
      yield* AgentLoop.run("Deploy").pipe(inSession)
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* AgentLoop.state, { _tag: "Suspended", turn: 0, pending: ["a"] })
        assert.strictEqual((yield* AgentLoop.resume({ a: "yes" })).text, "deployed")
        const lines = yield* logLines
        assert.deepStrictEqual(lines.slice(lines.indexOf("turn/end 0 suspended") + 1), [
          "turn/start 0",
          "message/tool-result a",
          "step/start 1",
          "message/assistant",
          "step/end 1 completed",
          "turn/end 0 completed"
        ])
        assert.strictEqual((yield* AgentLoop.run("And now?")).text, "next")
      }).pipe(inSession)
    }).pipe(Effect.provide(world({ tools })))
  )

  it.live("context that comes meanwhile waits until the calls are answered", () =>
    Effect.gen(function* () {
      yield* next(call(Message.toolCall("a", "approve", {})), say("deployed"))
      yield* AgentLoop.run("Deploy")
      yield* AgentLoop.inject(Message.user("CI is red"))
      yield* AgentLoop.resume({ a: "yes" })
      const { length } = (yield* logLines).filter((line) => line === "message/user context")
      assert.strictEqual(length, 1)
    }).pipe(inSession, Effect.provide(world({ tools })))
  )

  it.live("nothing waits: resume says so", () =>
    Effect.gen(function* () {
      yield* next(say("done"))
      assert.strictEqual((yield* Effect.flip(AgentLoop.resume({ a: "yes" })))._tag, "NotSuspended")
      yield* AgentLoop.run("Go")
      assert.strictEqual((yield* Effect.flip(AgentLoop.resume({ a: "yes" })))._tag, "NotSuspended")
    }).pipe(inSession, Effect.provide(world({ tools })))
  )
})
