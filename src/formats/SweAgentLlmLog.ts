/**
 * Logs of SWE-agent's model calls: request and response in turn, one a line.
 *
 * @since 0.1.0
 */
import { type DecodeOptions, type Format, isRecord, type Reader } from "./Format.ts"
import { recordReader } from "./internal/jsonLines.ts"
import { lineFormat } from "./internal/lineFormat.ts"
import { transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import * as RequestLog from "./internal/requestLog.ts"
import { chatUsage, fields, type Fields, list, nonEmpty } from "./internal/values.ts"

const reader = (options?: DecodeOptions): Reader => {
  // the numbers of these logs come from a relay, whose counts are its own
  const log = RequestLog.make("relay", options)
  const { recording } = log
  let open: { readonly request: Fields; readonly line: number } | undefined
  const close = (response: Fields, line: number | undefined): void => {
    if (open === undefined) return Recording.remark(recording, `line ${line}`, "a response has no request before it")
    const { request, line: at } = open
    open = undefined
    log.take({
      place: line === undefined ? `request line ${at}` : `request line ${at}, response line ${line}`,
      messages: list(request["messages"]),
      tools: list(request["tools"]),
      answer: fields(list(response["choices"])[0])["message"],
      usage: chatUsage(response["usage"]),
      model: nonEmpty(response["model"]) ?? nonEmpty(request["model"])
    })
  }
  const take = (record: Fields, _place: string, number: number): void => {
    if (record["type"] === "response") return close(fields(record["response"]), number)
    if (record["type"] !== "request") {
      const type = JSON.stringify(record["type"])
      return Recording.count(recording, `records of the unknown type ${type} were left out`)
    }
    if (open !== undefined) close({}, undefined)
    open = { request: fields(record["request_params"]), line: number }
  }
  return recordReader({
    take,
    odd: (place, sentence) => Recording.remark(recording, place, sentence),
    end: () => {
      if (open !== undefined) close({}, undefined)
      return transcript(format.name, [{ recording: log.end(), id: "session", visible: "full" }], options)
    }
  })
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = lineFormat({
  name: "swe-agent-llm-log",
  description: 'a log of SWE-agent\'s model calls, lines {"type": "request", "request_params": …}',
  recognises: (input) => {
    const first = input.firstLine()
    return isRecord(first) && first["type"] === "request" && isRecord(first["request_params"])
  },
  reader
})
