/**
 * Effect AI's tools as the model is told of them.
 *
 * @since 0.1.0
 */
import * as Tool from "@effect/ai/Tool"
import type { ToolSchema } from "../session/Envelope.ts"

type AnyTool = Parameters<typeof Tool.getJsonSchema>[0]

const made = (tool: Tool.Any): ToolSchema => {
  const description = Tool.getDescription(tool as unknown as AnyTool)
  return {
    name: tool.name,
    ...(description === undefined ? {} : { description }),
    parameters: Tool.getJsonSchema(tool as unknown as AnyTool)
  }
}

/** The same for the same tool: a toolkit is one object for the life of an application. */
const known = new WeakMap<Tool.Any, ToolSchema>()

/** A tool that the application runs, whoever defined it. */
export const toolSchema = (tool: Tool.Any): ToolSchema => {
  const schema = known.get(tool) ?? made(tool)
  known.set(tool, schema)
  return schema
}

/**
 * The tools of a toolkit for the envelope, so that they are counted as what they are. A tool that the provider defines has
 * no schema in a request: its id and arguments are all that is sent of it.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toolSchemas = (tools: Readonly<Record<string, Tool.Any>>): ReadonlyArray<ToolSchema> =>
  Object.values(tools).map((tool) =>
    Tool.isProviderDefined(tool) ? { name: tool.name, parameters: { id: tool.id, args: tool.args } } : toolSchema(tool)
  )
