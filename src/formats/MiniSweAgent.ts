/**
 * Trajectories of mini-swe-agent: chat messages, each answer with the provider's own response beside it.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { type Format, isRecord } from "./Format.ts"
import { decodeOne, type Reading } from "./internal/chatDecode.ts"
import { transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import { chatUsage, fields, list, nonEmpty, text } from "./internal/values.ts"

/** The part before the slash of a name such as "deepseek/deepseek-chat". */
const providerOf = (name: unknown): string | undefined => /^([^/]+)\//u.exec(text(name))?.[1]

const decode: Format["decode"] = (input, options) =>
  Either.flatMap(input.json(), (json) => {
    const file = fields(json)
    const config = fields(fields(fields(file["info"])["config"])["model"])
    const provider = providerOf(config["model_name"])
    const recording = Recording.make(options)
    const reading: Reading = { system: [], begun: false, notes: recording.notes }
    for (const [index, value] of list(file["messages"]).entries()) {
      const said = fields(value)
      if (said["role"] === "exit") continue
      const message = decodeOne(reading, value, index)
      if (message === undefined) continue
      const place = `message ${index}`
      const at = Recording.say(recording, message, place)
      const response = fields(fields(said["extra"])["response"])
      const model = nonEmpty(response["model"])
      Recording.request(recording, chatUsage(response["usage"]), { at, place, provider, model })
    }
    if (reading.system.length > 0) recording.system = reading.system.join("\n\n")
    return transcript(
      format.name,
      [{ recording, id: nonEmpty(file["instance_id"]) ?? "session", visible: "no-tool-schemas" }],
      options
    )
  })

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = {
  name: "mini-swe-agent",
  description: 'a trajectory of mini-swe-agent {"messages": […], "trajectory_format": "mini-swe-agent-…"}',
  recognises: (input) => {
    const json = Either.getOrUndefined(input.json())
    return isRecord(json) && text(json["trajectory_format"]).startsWith("mini-swe-agent")
  },
  decode
}
