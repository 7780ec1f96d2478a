import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as ToolkitRunner from "../../src/ai/ToolkitRunner.ts"
import { ContextWindowExceeded } from "../../src/errors/ModelError.ts"
import { ToolRunner } from "../../src/services/ToolRunner.ts"

class Notes extends Context.Tag("test/Notes")<Notes, ReadonlyArray<string>>() {}

const toolkit = Toolkit.make(
  Tool.make("search", {
    description: "Searches",
    parameters: { query: Schema.String, since: Schema.optional(Schema.DateFromString) },
    success: Schema.Struct({ found: Schema.Array(Schema.String), at: Schema.DateFromString }),
    dependencies: [Notes]
  }),
  Tool.make("read", { parameters: { path: Schema.NonEmptyString }, success: Schema.String }),
  Tool.make("write", {
    success: Schema.Void,
    failure: Schema.Struct({ reason: Schema.String }),
    failureMode: "return"
  }),
  Tool.make("ask", { failure: Schema.Unknown }),
  Tool.make("break")
)

const handlers = toolkit.toLayer({
  search: ({ query, since }) =>
    Effect.map(Notes, (notes) => ({
      found: notes.filter((note) => note.includes(query)),
      at: since ?? new Date(0)
    })),
  read: ({ path }) => Effect.succeed(`the text of ${path}`),
  write: () => Effect.fail({ reason: "read-only" }),
  ask: () =>
    Effect.fail(new ContextWindowExceeded({ route: { provider: "p", model: "m" }, detail: "a model of the tool's" })),
  break: () => Effect.die(new Error("broken"))
})

const layer = ToolkitRunner.layer(toolkit).pipe(Layer.provide([handlers, Layer.succeed(Notes, ["a note", "another"])]))

const run = (name: string, args: unknown) =>
  Effect.flatMap(ToolRunner, (tools) => tools.run({ id: "1", name, arguments: args }))

describe("ToolkitRunner", () => {
  it.effect("offers the toolkit's tools", () =>
    Effect.map(ToolRunner, ({ tools }) => assert.deepStrictEqual(tools, ToolkitRunner.toolSchemas(toolkit.tools))).pipe(
      Effect.provide(layer)
    )
  )

  it.effect("decodes arguments, gives a handler what it needs, and encodes the result", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run("search", { query: "note", since: "2026-01-02T00:00:00.000Z" }), {
        content: '{"found":["a note"],"at":"2026-01-02T00:00:00.000Z"}',
        isError: false
      })
      assert.deepStrictEqual(yield* run("read", { path: "x" }), { content: "the text of x", isError: false })
    }).pipe(Effect.provide(layer))
  )

  it.effect("tells the model what does not fit the schema", () =>
    Effect.gen(function* () {
      const answer = yield* run("read", { path: "" })
      assert.deepInclude(answer, { isError: true })
      const { content } = answer as { readonly content: string }
      assert.match(content, /^the arguments do not fit the tool "read"/)
      assert.match(content, /path/)
    }).pipe(Effect.provide(layer))
  )

  it.effect("makes results of failures and defects", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run("write", {}), { content: '{"reason":"read-only"}', isError: true })
      assert.deepInclude(yield* run("ask", {}), { isError: true })
      assert.deepStrictEqual(yield* run("break", {}), { content: "broken", isError: true })
      assert.deepStrictEqual(yield* run("gone", {}), { content: 'there is no tool named "gone"', isError: true })
    }).pipe(Effect.provide(layer))
  )
})
