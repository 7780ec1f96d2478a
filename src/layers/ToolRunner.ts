/**
 * Runs the tools that a model calls.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { errorText } from "../errors/errorRecord.ts"
import { type ToolAnswer, ToolRunner } from "../services/ToolRunner.ts"
import type { ToolSchema } from "../session/Envelope.ts"

export { type ToolAnswer, type ToolCall, ToolRunner } from "../services/ToolRunner.ts"

/**
 * One tool: what the model is told of it, and what it does. What `run` fails or dies with becomes a result that the model
 * reads, marked as an error; so does an overflow of a model call that the tool makes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tool<R> {
  readonly schema: Omit<ToolSchema, "name">
  readonly run: (args: unknown, call: { readonly id: string }) => Effect.Effect<ToolAnswer, unknown, R>
}

/**
 * Tools by name. `Needs` is what each of them needs; the layer needs all of it.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <Needs = Record<never, never>>(tools: {
  readonly [Name in keyof Needs]: Tool<Needs[Name]>
}): Layer.Layer<ToolRunner, never, Needs[keyof Needs]> => layerOf<Needs[keyof Needs]>(tools)

const layerOf = <R>(tools: { readonly [name: string]: Tool<R> }): Layer.Layer<ToolRunner, never, R> =>
  Layer.effect(
    ToolRunner,
    Effect.map(Effect.context<R>(), (context) => ({
      tools: Object.entries(tools).map(([name, tool]) => ({ name, ...tool.schema })),
      run: (call) => {
        const tool = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined
        if (tool === undefined) {
          return Effect.succeed({ content: `there is no tool named "${call.name}"`, isError: true })
        }
        return Effect.suspend(() => tool.run(call.arguments, { id: call.id })).pipe(
          Effect.catchAllCause((cause) =>
            Cause.isInterruptedOnly(cause)
              ? Effect.failCause(cause as Cause.Cause<never>)
              : Effect.succeed({ content: errorText(Cause.squash(cause)), isError: true })
          ),
          Effect.provide(context)
        )
      }
    }))
  )

/**
 * An agent without tools.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerNone: Layer.Layer<ToolRunner> = layer({})
