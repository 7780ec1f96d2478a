import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import { messagesBytes } from "../../src/compaction/requestBytes.ts"
import { PayloadTooLarge } from "../../src/errors/ModelError.ts"
import { LogStore, Message, OverflowRescue, Surface, SurfaceState } from "../../src/index.ts"
import type { ModelRequest } from "../../src/services/ModelAdapter.ts"
import { lies } from "../../src/testing/index.ts"
import { runs, type World, worlds } from "./conversation.ts"
import { failure, others, send } from "./failing.ts"
import { drive, layerSession, makeModel, play, route } from "./play.ts"
import { readLog } from "./reading.ts"

/** A message that shows an image of so many bytes, or a tool's result that does, and what was said to it. */
const shown = (bytes: number): ReadonlyArray<Message.Message> => {
  const image = { type: "image" as const, source: { type: "base64" as const, base64: "A".repeat(bytes) } }
  const prompt =
    bytes % 2 === 0
      ? [Message.user([Message.textBlock("look"), image])]
      : [
          Message.assistant([Message.toolCall("c", "tool", {})]),
          Message.toolResult({ id: "c", name: "tool", content: [image] })
        ]
  return [...prompt, Message.assistant("a long story. ".repeat(40))]
}

const rungsForBytes = FastCheck.array(
  FastCheck.oneof(FastCheck.constant("drop-media" as const), FastCheck.constantFrom("summarise" as const, ...lies)),
  { minLength: 1, maxLength: 3 }
)

describe("I12 only the request's own overflow is rescued", () => {
  it.effect.prop(
    "I12 any other error passes through unchanged: one request, no compaction for it [A107 P7 LOOP-8]",
    [worlds, failure],
    ([given, name]) =>
      Effect.gen(function* () {
        // no pressure, so that whatever is compacted is compacted for the error
        const world = { ...given, told: undefined }
        const store = yield* LogStore.makeMemory
        const { exit, generation, thrown } = yield* Effect.gen(function* () {
          const sent = yield* send(world, [others[name]!])
          return { ...sent, generation: yield* Surface.generation }
        }).pipe(Effect.provide(layerSession(world, store, makeModel(world))))
        assert.strictEqual(thrown.length, 1)
        assert.isTrue(Exit.isFailure(exit))
        assert.isTrue(
          Exit.isFailure(exit) && Cause.originalError(Cause.squash(exit.cause)) === thrown[0],
          "it came out as another value"
        )
        assert.strictEqual(generation, 0)
        const events = yield* readLog(store, "s")
        assert.deepStrictEqual(
          events.filter(({ type }) => type.startsWith("compaction/") || type === "rescue/end").map(({ type }) => type),
          []
        )
        assert.deepStrictEqual(
          events.flatMap((event) => (event.type === "step/end" ? [event.data.outcome] : [])),
          ["failed"]
        )
      }),
    runs
  )

  it.effect.prop(
    "I12 too many bytes earn one retry, with fewer bytes at a higher generation, and never a summary",
    [
      worlds,
      FastCheck.array(FastCheck.nat(4_000), { minLength: 1, maxLength: 5 }),
      FastCheck.integer({ min: 1, max: 3 }),
      rungsForBytes
    ],
    ([given, images, refusals, rungs]) =>
      Effect.gen(function* () {
        const world: World = {
          ...given,
          told: undefined,
          backend: { is: "a ladder", rungs, reduces: "bytes" }
        }
        const store = yield* LogStore.makeMemory
        const requests: Array<ModelRequest> = []
        const errors: Array<unknown> = []
        const { exit, state } = yield* Effect.gen(function* () {
          const surface = yield* Surface.Surface
          for (const bytes of images) yield* surface.append(...shown(bytes))
          yield* surface.append(Message.user("go on"))
          const exit = yield* drive(
            OverflowRescue.retry({
              envelope: { route },
              send: (request) =>
                Effect.suspend(() => {
                  requests.push(request)
                  if (requests.length > refusals) return Effect.succeed("an answer")
                  const error = new PayloadTooLarge({ route, detail: "a gateway's" })
                  errors.push(error)
                  return Effect.fail(error)
                })
            })
          )
          return { exit, state: yield* surface.state }
        }).pipe(Effect.provide(layerSession(world, store, makeModel(world))))
        const allowed = Math.min(world.policy.maxOverflowRetries ?? 1, 1)
        assert.isAtMost(requests.length, 1 + allowed)
        const [first, second] = requests
        if (second !== undefined) {
          assert.isAbove(second.generation, first!.generation)
          assert.isBelow(messagesBytes(second.messages), messagesBytes(first!.messages))
        }
        const moved =
          state.surface.generation > first!.generation &&
          messagesBytes(SurfaceState.messages(state.surface)) < messagesBytes(first!.messages)
        if (moved && allowed > 0) assert.lengthOf(requests, 2, "it should have been sent again")
        if (Exit.isFailure(exit)) {
          assert.isTrue(Cause.originalError(Cause.squash(exit.cause)) === errors.at(-1), "it came out as another value")
        }
        assert.deepInclude(state, { refusals: 0, byteRefusals: 0 })
        const events = yield* readLog(store, "s")
        assert.isFalse(events.some(({ type }) => type === "compaction/call" || type === "compaction/summary"))
      }),
    runs
  )

  it.effect.prop(
    "I12 an overflow inside a tool is that tool's result, and nothing is rescued",
    [worlds],
    ([given]) =>
      Effect.gen(function* () {
        const world = {
          ...given,
          told: undefined,
          window: 1_000_000,
          turns: given.turns.map((turn) => ({
            ...turn,
            answers: turn.answers.map((answer) =>
              answer.does === "calls"
                ? { ...answer, tools: answer.tools.map((tool) => ({ ...tool, answers: "overflows" as const })) }
                : answer
            )
          }))
        }
        const model = makeModel(world)
        const store = yield* LogStore.makeMemory
        const messages = yield* Effect.gen(function* () {
          for (const { exit } of yield* play(world, model)) assert.isTrue(Exit.isSuccess(exit))
          return yield* Surface.messages
        }).pipe(Effect.provide(layerSession(world, store, model)))
        for (const result of messages.flatMap(Message.toolResults)) {
          assert.isTrue(result.isError)
          assert.include(JSON.stringify(result.content), "the tool's own request was too long")
        }
        const events = yield* readLog(store, "s")
        assert.isFalse(events.some(({ type }) => type === "rescue/end" || type.startsWith("compaction/")))
      }),
    runs
  )
})
