/**
 * Effect AI's tools as the model is told of them.
 *
 * @since 0.1.0
 */
import * as Tool from "@effect/ai/Tool"
import type { ToolSchema } from "../session/Envelope.ts"

type AnyTool = Parameters<typeof Tool.getJsonSchema>[0]

/** A tool of a provider's own has no schema of ours: its id and arguments are all that is sent of it. */
const parametersOf = (tool: Tool.Any): unknown =>
  Tool.isProviderDefined(tool) ? { id: tool.id, args: tool.args } : Tool.getJsonSchema(tool as unknown as AnyTool)

const toolSchema = (tool: Tool.Any): ToolSchema => {
  const description = Tool.isProviderDefined(tool) ? undefined : Tool.getDescription(tool as unknown as AnyTool)
  return {
    name: tool.name,
    ...(description === undefined ? {} : { description }),
    parameters: parametersOf(tool)
  }
}

/** By name, the same for the same tools: a toolkit is one object for the life of an application. */
const known = new WeakMap<Tool.Any, ToolSchema>()

/**
 * The tools of a toolkit for the envelope, so that they are counted as what they are. What a request is not to offer
 * is the caller's to leave out.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toolSchemas = (tools: Readonly<Record<string, Tool.Any>>): ReadonlyArray<ToolSchema> =>
  Object.values(tools).map((tool) => {
    const schema = known.get(tool) ?? toolSchema(tool)
    known.set(tool, schema)
    return schema
  })
