/**
 * Messages of LangChain as it writes them out: a list of constructors, stored messages, or threads of those.
 *
 * @since 0.1.0
 */
import { type Format, isRecord } from "./Format.ts"
import { documentFormat } from "./internal/documentFormat.ts"
import { isKnown, isMessage, take } from "./internal/langChainMessage.ts"
import * as Recording from "./internal/Recording.ts"
import { list, text } from "./internal/values.ts"

interface Thread {
  readonly id: string
  readonly messages: ReadonlyArray<unknown>
}

const isThread = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) && Array.isArray(value["messages"])

const threadOf = (value: Readonly<Record<string, unknown>>, index: number): Thread => ({
  id: text(value["thread_id"]) || `thread-${index + 1}`,
  messages: list(value["messages"])
})

const threadsOf = (json: unknown): ReadonlyArray<Thread> => {
  if (isThread(json)) return [threadOf(json, 0)]
  const values = list(json)
  return values.length > 0 && values.every(isThread) ? values.map(threadOf) : [{ id: "session", messages: values }]
}

const isOwn = (json: unknown): boolean => {
  const messages = threadsOf(json).flatMap((thread) => thread.messages)
  return messages.every(isMessage) && messages.some(isKnown)
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = documentFormat({
  name: "langchain",
  description:
    'messages of LangChain, a JSON list [{"lc": 1, "type": "constructor", "id": […, "HumanMessage"], "kwargs": …}] ' +
    'or [{"type": "human", "data": …}]',
  isOwn,
  read: (json, options) =>
    threadsOf(json).map(({ id, messages }) => {
      const recording = Recording.make(options)
      for (const [index, value] of messages.entries()) take(recording, value, `message ${index}`)
      return { recording, id, visible: "no-tool-schemas" }
    })
})
