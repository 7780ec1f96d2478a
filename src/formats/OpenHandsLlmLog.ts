/**
 * OpenHands' logs of completions: one file a request, the successive requests of a conversation in one folder.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { type Format, type Input, isRecord } from "./Format.ts"
import { transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import * as RequestLog from "./internal/requestLog.ts"
import { chatUsage, fields, list, nonEmpty } from "./internal/values.ts"

const isOwn = (json: unknown): boolean =>
  isRecord(json) && Array.isArray(json["messages"]) && isRecord(json["response"]) && "latency_sec" in json

const isOwnInput = (input: Input): boolean => isOwn(Either.getOrUndefined(input.json()))

const filesOf = (input: Input): ReadonlyArray<Input> => (input.folder.length === 0 ? [input] : input.folder)

const logged = (input: Input, json: unknown): RequestLog.Logged => {
  const file = fields(json)
  const response = fields(file["response"])
  const answer = fields(list(response["choices"])[0])["message"]
  return {
    place: input.name ?? "the request",
    messages: list(file["messages"]),
    // where the tools are told in the system prompt they are not sent again
    tools: "raw_messages" in file ? [] : list(file["tools"]),
    answer,
    usage: chatUsage(response["usage"]),
    model: nonEmpty(response["model"])
  }
}

const decode: Format["decode"] = (input, options) => {
  const log = RequestLog.make("provider", options)
  for (const file of filesOf(input)) {
    const json = file.json()
    if (Either.isRight(json) && isOwn(json.right)) log.take(logged(file, json.right))
    else {
      const name = file.name ?? "the file"
      Recording.remark(log.recording, name, "it is no log of a completion and was left out")
    }
  }
  return transcript(format.name, [{ recording: log.end(), id: "session", visible: "full" }], options)
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = {
  name: "openhands-llm-log",
  description:
    'OpenHands\' log of a completion {"messages": […], "response": …, "latency_sec": …}, or a folder of them',
  folder: true,
  recognises: (input) => filesOf(input).some(isOwnInput),
  decode
}
