/**
 * Recorded streams of LangGraph: a list of pairs of a mode and what came. The newest state that holds messages is the
 * conversation; the pieces of answers before it lead to it.
 *
 * @since 0.1.0
 */
import { type Format, isRecord } from "./Format.ts"
import { documentFormat } from "./internal/documentFormat.ts"
import { isKnown, open, take } from "./internal/langChainMessage.ts"
import * as Recording from "./internal/Recording.ts"
import { fields, list, text } from "./internal/values.ts"

const isEvent = (value: unknown): boolean => Array.isArray(value) && value.length >= 2 && typeof value[0] === "string"

interface State {
  readonly messages: ReadonlyArray<unknown>
  readonly waits: boolean
  /** for the id of an answer the newest event that holds its count */
  readonly counts: ReadonlyMap<unknown, number>
  readonly unknown: ReadonlyMap<string, number>
}

const isCounted = (value: unknown): boolean => {
  const counted = fields(open(value)?.given["usage_metadata"])["input_tokens"]
  return typeof counted === "number" && counted > 0
}

const known = new Set(["values", "messages", "updates", "custom", "debug", "checkpoints", "tasks"])

const stateOf = (events: ReadonlyArray<unknown>): State => {
  let messages: ReadonlyArray<unknown> = []
  let waits = false
  const counts = new Map<unknown, number>()
  const unknown = new Map<string, number>()
  for (const [index, event] of events.entries()) {
    const [mode, payload] = list(event)
    if (mode === "messages") {
      const [piece] = list(payload)
      const id = open(piece)?.given["id"]
      if (id !== undefined && isCounted(piece)) counts.set(id, index)
    } else if (mode === "values") {
      const all = fields(payload)["messages"]
      if (Array.isArray(all)) messages = all
      waits = "__interrupt__" in fields(payload)
    } else if (!known.has(text(mode))) {
      const name = JSON.stringify(mode) ?? "undefined"
      unknown.set(name, (unknown.get(name) ?? 0) + 1)
    }
  }
  return { messages, waits, counts, unknown }
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = documentFormat({
  name: "langgraph-stream",
  description: 'a recorded stream of LangGraph, a JSON list [["values", {"messages": …}], ["messages", […]]]',
  isOwn: (json) =>
    list(json).length > 0 &&
    list(json).every(isEvent) &&
    list(json).some((event) => {
      const [mode, payload] = list(event)
      return (mode === "values" && isRecord(payload)) || (mode === "messages" && isKnown(list(payload)[0]))
    }),
  read: (json, options) => {
    const { counts, messages, unknown, waits } = stateOf(list(json))
    const recording = Recording.make(options)
    for (const [mode, times] of unknown)
      recording.notes.push(`${times} events of the unknown mode ${mode} were left out`)
    for (const [index, value] of messages.entries()) {
      const event = counts.get(open(value)?.given["id"])
      const place = `message ${index}`
      take(recording, value, place, event === undefined ? place : `event ${event}`)
    }
    if (waits) recording.notes.push("the graph waits for a person, so that its last calls have no results yet")
    return [{ recording, id: "session", visible: "full" }]
  }
})
