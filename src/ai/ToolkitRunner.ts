/**
 * Runs the tools of a `Toolkit` of Effect AI for `AgentLoop`.
 *
 * @since 0.1.0
 */
import * as AiError from "@effect/ai/AiError"
import * as Tool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ParseResult from "effect/ParseResult"
import * as ToolRunner from "../layers/ToolRunner.ts"
import { jsonOf } from "./promptDecode.ts"
import { toolSchema } from "./toolSchemas.ts"

/**
 * @since 0.1.0
 * @category re-exports
 */
export { toolSchemas } from "./toolSchemas.ts"

type AnyHandler = Toolkit.WithHandler<Record<string, Tool.Any>>

/** What the model has to put right, and not what the schema library would tell a developer. */
const readable =
  (name: string) =>
  (error: unknown): unknown =>
    AiError.isAiError(error) &&
    error._tag === "MalformedOutput" &&
    error.method === `${name}.handle` &&
    ParseResult.isParseError(error.cause)
      ? `the arguments do not fit the tool "${name}": ${ParseResult.TreeFormatter.formatErrorSync(error.cause)}`
      : error

const toolOf = (tool: Tool.Any, toolkit: AnyHandler): ToolRunner.Tool<never> => {
  const { name: _name, ...schema } = toolSchema(tool)
  return {
    schema,
    run: (args) =>
      // what a handler needs is in the layer, as its type says
      (toolkit.handle(tool.name, args as never) as Effect.Effect<Tool.HandlerResult<Tool.Any>, unknown>).pipe(
        Effect.map(({ encodedResult, isFailure }) => ({
          content: typeof encodedResult === "string" ? encodedResult : (jsonOf(encodedResult) ?? ""),
          isError: isFailure
        })),
        Effect.mapError(readable(tool.name))
      )
  }
}

/**
 * A `ToolRunner` of a toolkit and its handlers. Arguments are decoded by the tool's schema, and what does not fit is told to
 * the model in words; results are encoded by it, text as text and anything else as JSON. What a handler fails or dies with
 * becomes a result that the model reads, whatever the tool's failure mode; an overflow of a model call in there does too.
 *
 * Tools that the provider runs itself are left out: a request of ours cannot offer them.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <Tools extends Record<string, Tool.Any>>(
  toolkit: Toolkit.Toolkit<Tools>
): Layer.Layer<ToolRunner.ToolRunner, never, Tool.HandlersFor<Tools> | Tool.Requirements<Tools[keyof Tools]>> =>
  Layer.unwrapEffect(
    Effect.map(toolkit, (handler) => {
      const withHandler = handler as unknown as AnyHandler
      const tools = Object.values(toolkit.tools).filter(
        (tool) => !Tool.isProviderDefined(tool) || (tool as unknown as Tool.AnyProviderDefined).requiresHandler
      )
      return ToolRunner.layer<{ readonly [name: string]: Tool.Requirements<Tools[keyof Tools]> }>(
        Object.fromEntries(tools.map((tool) => [tool.name, toolOf(tool, withHandler)]))
      )
    })
  )
