/**
 * Writes a request as a body of Anthropic's messages.
 *
 * The same message gives the same bytes in every request but for the markers of the cache, and what may differ from
 * request to request stands behind the messages.
 *
 * @since 0.1.0
 */
import type { ToolSchema } from "../../session/Envelope.ts"
import type { ModelRequest } from "../../services/ModelAdapter.ts"
import * as Cache from "./anthropicCache.ts"
import * as Names from "./anthropicNames.ts"
import * as Turns from "./anthropicTurns.ts"
import { type Fields, fieldsOf } from "./looseJson.ts"
import { summarySettings } from "./summarySettings.ts"

/**
 * What a body depends on beside the request. `outputLimit` is the model's, in tokens. `dropsStaleThinking`: the model
 * binds its reasoning to all that stands before it, so that it no longer holds after a compaction; the API is then told to
 * leave it out and not to refuse the request.
 *
 * @since 0.1.0
 * @category models
 */
export interface BodyOptions {
  readonly cache: Cache.CacheOptions | false
  readonly outputLimit: number | undefined
  readonly dropsStaleThinking: boolean
}

/**
 * Tokens of output that are asked for where neither the request nor what is known of its model says how many: the API
 * wants a figure, and this one is within the limit of all its models of the last years.
 */
const defaultMaxTokens = 8_192

const schemaOf = (parameters: unknown): Fields => {
  const schema = fieldsOf(parameters) ?? {}
  return schema["type"] === "object" ? schema : { ...schema, type: "object" }
}

const toolAsSent = ({ description, name, parameters }: ToolSchema): Fields => ({
  name: Names.encode(name),
  ...(description === undefined ? {} : { description }),
  input_schema: schemaOf(parameters)
})

/** Tokens; what thinking takes that has no budget. */
const unboundedThinking = 8_192

/**
 * The cap of a summary is for its text: a model that thinks gets room for that beside it, as far as its output limit goes.
 * Less thinking than in the conversation would void its cached messages, and a summary that thinking has cut is refused.
 */
const withRoom = (cap: number, settings: Fields, { dropsStaleThinking, outputLimit }: BodyOptions): number => {
  const thinking = fieldsOf(settings["thinking"]) ?? (dropsStaleThinking ? { type: "adaptive" } : {})
  const room = thinking["type"] === "adaptive" ? unboundedThinking : (positive(thinking["budget_tokens"]) ?? 0)
  return Math.max(cap, Math.min(cap + room, outputLimit ?? 0))
}

/** What the adapter decides by itself. */
const ownFields = new Set(["model", "tools", "system", "messages", "max_tokens", "stream"])

const positive = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined

/** Reasoning that an edit before it has made void is to be left out; a model that binds it thinks by default. */
const droppingStale = (settings: Fields): Fields => {
  const thinking = fieldsOf(settings["thinking"]) ?? { type: "adaptive" }
  return thinking["type"] === "disabled" || thinking["block_binding"] !== undefined
    ? settings
    : { ...settings, thinking: { ...thinking, block_binding: { prefix_mismatch_behavior: "drop_block" } } }
}

/**
 * The body of a streamed request. The envelope's settings go in as they are, but cannot change what the adapter itself
 * relies on; those of a summary request fit what it asks for. `max_tokens` is the envelope's, else the setting of that
 * name, else the model's output limit, else `defaultMaxTokens`. A summary request is told to call no tools where that costs
 * no cache; its instruction says so in any case.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encodeBody = ({ envelope, messages, toolUse }: ModelRequest, options: BodyOptions): Fields => {
  const { prefix = [], route, settings = {}, system = "", tools = [] } = envelope
  const { cache, outputLimit } = options
  const forbids = toolUse === "none"
  const asked = envelope.maxOutputTokens ?? positive(settings["max_tokens"]) ?? outputLimit ?? defaultMaxTokens
  const maxTokens = forbids ? withRoom(asked, settings, options) : asked
  const given = forbids ? summarySettings(settings, maxTokens) : settings
  const set = options.dropsStaleThinking ? droppingStale(given) : given
  // another choice than the conversation's would void its cached messages, which cost ten times as much anew
  const isReadable = cache !== false && settings["tool_choice"] === undefined
  const mark = (blocks: ReadonlyArray<Fields>) => (cache === false ? blocks : Cache.markLast(blocks, cache))
  const turns = Turns.encode([...prefix, ...messages], Turns.sendsOf(route.provider))
  return {
    model: route.model,
    ...(tools.length === 0 ? {} : { tools: mark(tools.map(toolAsSent)) }),
    ...(system.trim() === "" ? {} : { system: mark([{ type: "text", text: system }]) }),
    messages: cache === false ? turns : Cache.markTurns(turns, cache, { closing: forbids }),
    ...Object.fromEntries(
      // its own marker would be the fifth, which is refused
      Object.entries(set).filter(([name]) => !ownFields.has(name) && (cache === false || name !== "cache_control"))
    ),
    ...(forbids && tools.length > 0 && !isReadable ? { tool_choice: { type: "none" } } : {}),
    max_tokens: maxTokens,
    stream: true
  }
}

/**
 * Headers that a body needs beside those of each request.
 *
 * @since 0.1.0
 * @category conversions
 */
export const betasOf = (body: Fields): ReadonlyArray<string> =>
  fieldsOf(body["thinking"])?.["block_binding"] === undefined ? [] : ["thinking-binding-controls-2026-08-01"]
