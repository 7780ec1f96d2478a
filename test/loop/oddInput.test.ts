import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ContextWindowExceeded } from "../../src/errors/ModelError.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Surface from "../../src/layers/Surface.ts"
import type { ToolAnswer } from "../../src/services/ToolRunner.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { scripted } from "./scripted.ts"
import { inSession, onSurface, tool } from "./world.ts"

const script = (...lines: ReadonlyArray<Testing.Line>) =>
  Effect.flatMap(Testing.Script, (model) => model.next(...lines))
const calls = (...ids: ReadonlyArray<string>) =>
  Message.assistant(ids.map((id, i) => Message.toolCall(id, "look", { page: i })))
const result = (id: string, content: string) => Message.toolResult({ id, name: "look", content })

/** Roles and the ids of calls and results, in order. */
const shape = Effect.map(Surface.messages, (messages) =>
  messages.map(({ content, role }) =>
    [role, ...content.map((block) => ("id" in block ? `${block.type} ${block.id}` : block.type))].join(": ")
  )
)

describe("calls that share an id", () => {
  it.effect("appended: each takes one result, and what is missing is aborted", () =>
    inSession(
      Effect.gen(function* () {
        yield* Surface.append(
          calls("a", "a"),
          result("a", "one"),
          result("a", "two"),
          calls("b", "b"),
          result("b", "one")
        )
        yield* Surface.append(Message.user("on"))
        const both = (id: string) => [
          `assistant: tool-call ${id}: tool-call ${id}_2`,
          `tool: tool-result ${id}`,
          `tool: tool-result ${id}_2`
        ]
        assert.deepStrictEqual(yield* shape, [...both("a"), ...both("b"), "user: text"])
      })
    ).pipe(Effect.provide(scripted()))
  )

  it.effect("in a model's answer, or without any: each has its own id and its own result", () =>
    inSession(
      Effect.gen(function* () {
        yield* script(calls("a", "a", "", ""), Testing.say("done"))
        yield* AgentLoop.run("look")
        const ids = ["a", "a_2", "call", "call_2"]
        assert.deepStrictEqual((yield* shape).slice(1, -1), [
          `assistant: ${ids.map((id) => `tool-call ${id}`).join(": ")}`,
          ...ids.map((id) => `tool: tool-result ${id}`)
        ])
        for (const page of [0, 1, 2, 3]) assert.include(yield* onSurface, `page ${page}`)
      })
    ).pipe(
      Effect.provide(
        scripted({ tools: { look: tool((args) => Effect.succeed(`page ${(args as { page: number }).page}`)) } })
      )
    )
  )
})

it.effect("a call in a message of the user's is a text, and opens nothing", () =>
  inSession(
    Effect.gen(function* () {
      const cyclic: Record<string, unknown> = {}
      cyclic["self"] = cyclic
      const stray = Message.user([Message.toolCall("a", "look", { page: 1 }), Message.toolCall("b", "look", cyclic)])
      yield* Surface.append(stray, Message.user("on"))
      yield* script(Testing.say("done"))
      assert.strictEqual((yield* AgentLoop.run(stray)).outcome, "completed")
      assert.deepStrictEqual(yield* shape, ["user: text: text", "user: text", "user: text: text", "assistant: text"])
    })
  ).pipe(Effect.provide(scripted()))
)

it.effect("what an application leaves undefined is absent, in the envelope, in messages and in errors", () =>
  Effect.gen(function* () {
    // as from code that is compiled without exactOptionalPropertyTypes
    const loose = <A extends object>(value: A, ...fields: ReadonlyArray<string>): A => ({
      ...value,
      ...Object.fromEntries(fields.map((field) => [field, undefined]))
    })
    const envelope = loose({ route: Testing.route }, "system", "tools", "maxOutputTokens", "settings", "prefix")
    const image = loose({ type: "image" as const, source: { type: "url" as const, url: "u" } }, "mediaType", "width")
    const refusal = new ContextWindowExceeded(loose({ route: Testing.route, detail: "" }, "limit", "requested"))
    const ask = OverflowRescue.retry({ envelope, send: () => Effect.fail(refusal) })
    const exit = Effect.zipRight(Surface.append(loose(Message.user([image]), "metadata")), Effect.flip(ask))
    assert.strictEqual(yield* inSession(exit), refusal)
    assert.deepStrictEqual(yield* inSession(shape), ["user: image"])
  }).pipe(Effect.provide(scripted()))
)

describe("a tool that answers with what it must not", () => {
  const cyclic: Record<string, unknown> = {}
  cyclic["self"] = cyclic
  const wrong: ReadonlyArray<readonly [string, unknown]> = [
    ["nothing", undefined],
    ["null", null],
    ["a number", 5],
    ["no content", {}],
    ["content that is no list", { content: { a: 1 } }],
    ["a block that nobody knows", { content: [{ type: "json", value: 1 }] }],
    ["a BigInt", { content: [{ type: "unknown", value: 1n }] }],
    ["a cycle", { content: [{ type: "unknown", value: cyclic }] }]
  ]
  for (const [what, answer] of wrong) {
    it.effect(`${what}: the model is told, and the other answers are kept`, () =>
      inSession(
        Effect.gen(function* () {
          yield* script(calls("good", "bad"), Testing.say("done"))
          assert.strictEqual((yield* AgentLoop.run("look")).text, "done")
          assert.include(yield* onSurface, "a good answer")
          assert.include(yield* onSurface, "cannot be kept")
        })
      ).pipe(
        Effect.provide(
          scripted({
            tools: {
              look: tool((_, { id }) => Effect.succeed(id === "good" ? "a good answer" : (answer as ToolAnswer)))
            }
          })
        )
      )
    )
  }

  it.effect("an error whose message is no text is told too", () =>
    inSession(
      Effect.gen(function* () {
        yield* script(calls("a"), Testing.say("done"))
        assert.strictEqual((yield* AgentLoop.run("look")).text, "done")
      })
    ).pipe(
      Effect.provide(
        scripted({ tools: { look: tool(() => Effect.fail(Object.assign(new Error("x"), { message: { a: 1 } }))) } })
      )
    )
  )

  it.effect("an answer from outside that is no text does not end a suspended turn", () =>
    inSession(
      Effect.gen(function* () {
        yield* script(calls("a"), Testing.say("done"))
        assert.strictEqual((yield* AgentLoop.run("look")).outcome, "suspended")
        const answers = JSON.parse('{"a":null,"__proto__":"x"}') as { readonly [id: string]: string }
        assert.strictEqual((yield* AgentLoop.resume(answers)).text, "done")
      })
    ).pipe(Effect.provide(scripted({ tools: { look: tool(() => Effect.succeed({ suspend: "ask" })) } })))
  )
})
