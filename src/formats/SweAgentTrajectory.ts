/**
 * Trajectories of SWE-agent: the history of one run. Older ones have no tool calls: a command stands in the answer's
 * text, and what it gave in the user's message behind it.
 *
 * @since 0.1.0
 */
import { type Format, isRecord } from "./Format.ts"
import { decodeOne, type Reading } from "./internal/chatDecode.ts"
import { documentFormat } from "./internal/documentFormat.ts"
import * as Recording from "./internal/Recording.ts"
import { fields, list, nonEmpty, text } from "./internal/values.ts"

/** In newer files a result has the ids of calls as a list, which holds one. */
const asChat = (value: unknown): unknown => {
  if (!isRecord(value)) return value
  const [id] = list(value["tool_call_ids"])
  return typeof id === "string" ? { ...value, tool_call_id: id } : value
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = documentFormat({
  name: "swe-agent-traj",
  description: 'a trajectory of SWE-agent {"history": [{"role": …, "content": …}], "trajectory": […], "info": …}',
  isOwn: (json) => isRecord(json) && Array.isArray(json["history"]) && Array.isArray(json["trajectory"]),
  read: (json, options) => {
    const file = fields(json)
    const recording = Recording.make(options)
    const reading: Reading = { system: [], begun: false, notes: recording.notes }
    for (const [index, value] of list(file["history"]).entries()) {
      const message = decodeOne(reading, asChat(value), index)
      if (message === undefined) continue
      // a worked example: the model sees it, and nobody said it
      const demonstration = fields(value)["is_demo"] === true
      const said = demonstration ? { ...message, metadata: { ...message.metadata, source: "context" } } : message
      Recording.say(recording, said, `message ${index + 1}`)
    }
    if (reading.system.length > 0) recording.system = reading.system.join("\n\n")
    return [{ recording, id: nonEmpty(text(file["environment"])) ?? "session", visible: "no-tool-schemas" }]
  }
})
