/**
 * Logs of SWE-agent's model calls: request and response in turn, one a line.
 *
 * @since 0.1.0
 */
import { type Format, isRecord } from "./Format.ts"
import { lines } from "./internal/jsonLines.ts"
import { transcript } from "./internal/outcome.ts"
import * as RequestLog from "./internal/requestLog.ts"
import { chatUsage, fields, type Fields, list, nonEmpty } from "./internal/values.ts"

const decode: Format["decode"] = (input, options) => {
  const requests: Array<RequestLog.Logged> = []
  const notes: Array<string> = []
  let open: { readonly request: Fields; readonly line: number } | undefined
  const close = (response: Fields, line: number | undefined): void => {
    if (open === undefined) return void notes.push(`line ${line}: a response has no request before it`)
    const { request, line: at } = open
    open = undefined
    requests.push({
      place: line === undefined ? `request line ${at}` : `request line ${at}, response line ${line}`,
      messages: list(request["messages"]),
      tools: list(request["tools"]),
      answer: fields(list(response["choices"])[0])["message"],
      usage: chatUsage(response["usage"]),
      model: nonEmpty(response["model"]) ?? nonEmpty(request["model"])
    })
  }
  for (const line of lines(input.text)) {
    if (line.odd !== undefined) notes.push(`line ${line.number}: ${line.odd}`)
    for (const value of line.values.map(fields)) {
      if (value["type"] === "response") close(fields(value["response"]), line.number)
      if (value["type"] === "request") {
        if (open !== undefined) close({}, undefined)
        open = { request: fields(value["request_params"]), line: line.number }
      }
    }
  }
  if (open !== undefined) close({}, undefined)
  // the numbers of these logs come from a relay, whose counts are its own
  const recording = RequestLog.record(requests, "relay")
  recording.notes.unshift(...notes)
  return transcript(format.name, [{ recording, id: "session", visible: "full" }], options)
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = {
  name: "swe-agent-llm-log",
  description: 'a log of SWE-agent\'s model calls, lines {"type": "request", "request_params": …}',
  recognises: (input) => {
    const first = input.firstLine()
    return isRecord(first) && first["type"] === "request" && isRecord(first["request_params"])
  },
  decode
}
