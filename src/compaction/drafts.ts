/**
 * Which events put messages on the surface so that calls and results stay together (I6).
 *
 * @since 0.1.0
 */
import * as Message from "../session/Message.ts"
import type * as SessionEvent from "../session/SessionEvent.ts"
import type { Node } from "../session/SurfaceState.ts"
import { answeredBy, freeId } from "./callIds.ts"

type WithoutCounts<B> = B extends { readonly type: infer T; readonly data: infer D }
  ? { readonly type: T; readonly data: Omit<D, "counts" | "replaces"> }
  : never

/**
 * A surface event before it is priced.
 *
 * @since 0.1.0
 * @category models
 */
export type SurfaceDraft = WithoutCounts<SessionEvent.SurfaceBody>

/**
 * An event before it has its place, time and counts. Only the surface itself writes `session/opened`.
 *
 * @since 0.1.0
 * @category models
 */
export type Draft =
  | SurfaceDraft
  | {
      readonly type: "request/envelope"
      readonly data: Omit<SessionEvent.BodyOf<"request/envelope">["data"], "counts">
    }
  | Exclude<SessionEvent.Body, SessionEvent.SurfaceBody | { readonly type: "request/envelope" | "session/opened" }>

/**
 * The result of a call that was begun, or never begun, and will not end.
 *
 * @since 0.1.0
 * @category constructors
 */
export const abortedResult = (call: { readonly id: string; readonly name: string }): SurfaceDraft =>
  resultDraft({
    type: "tool-result",
    id: call.id,
    name: call.name,
    content: [Message.textBlock("[no result: the call was aborted]")],
    isError: true
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const resultDraft = (result: Message.ToolResultBlock): SurfaceDraft => ({
  type: "message/tool-result",
  data: {
    callId: result.id,
    name: result.name,
    content: result.content,
    ...(result.isError === undefined ? {} : { isError: result.isError })
  }
})

/**
 * The message in place of a node of the same kind.
 *
 * @since 0.1.0
 * @category constructors
 */
export const replacing = (node: Node, message: Message.Message): SurfaceDraft => {
  const [result] = Message.toolResults(message)
  if (node.source === "tool" && result !== undefined) return resultDraft(result)
  return node.source === "assistant" || node.source === "tool"
    ? { type: "message/assistant", data: { message } }
    : { type: "message/user", data: { message, source: node.source } }
}

/** A result whose call is not open is kept as a text of the user's side: nobody's words are lost. */
const orphan = (result: Message.ToolResultBlock): ReadonlyArray<Message.Block> => [
  Message.textBlock(`[result of a call of "${result.name}" that is not in this conversation]`),
  ...result.content
]

/** A call that no answer of the model made would wait for a result for good, so it is kept as a text too. */
const strayCall = ({ arguments: args, name }: Message.ToolCallBlock): Message.Block => {
  const title = `[a call of "${name}" that no answer made]`
  try {
    return Message.textBlock(`${title}\n${typeof args === "string" ? args : JSON.stringify(args)}`)
  } catch {
    return Message.textBlock(title)
  }
}

/**
 * The events that append these messages after a surface on which the calls `unanswered` are open. Missing results are
 * filled in as aborted where something else comes, results without an open call and calls outside of an answer become texts
 * of the user's side, and a message that holds several results is taken apart.
 *
 * @since 0.1.0
 * @category constructors
 */
export const appending = (
  unanswered: ReadonlyArray<Message.ToolCallBlock>,
  messages: ReadonlyArray<Message.Message>,
  source: "prompt" | "context"
): ReadonlyArray<Draft> => {
  const drafts: Array<Draft> = []
  const open = new Map(unanswered.map((call) => [call.id, call]))
  const closeOpen = () => {
    for (const call of open.values()) drafts.push(abortedResult(call))
    open.clear()
  }
  for (const message of messages) {
    if (message.role === "assistant") {
      closeOpen()
      const content = message.content.map((block) => {
        if (block.type !== "tool-call") return block
        const call = { ...block, id: freeId(block.id, open) }
        open.set(call.id, call)
        return call
      })
      drafts.push({ type: "message/assistant", data: { message: { ...message, content } } })
      continue
    }
    const rest: Array<Message.Block> = []
    for (const block of message.content) {
      if (block.type !== "tool-result") {
        rest.push(block.type === "tool-call" ? strayCall(block) : block)
        continue
      }
      const call = answeredBy(block.id, open.values())
      if (call === undefined) rest.push(...orphan(block))
      else {
        open.delete(call.id)
        drafts.push(resultDraft({ ...block, id: call.id }))
      }
    }
    if (rest.length === 0 && message.content.length > 0) continue
    closeOpen()
    const { metadata } = message
    drafts.push({
      type: "message/user",
      data: { message: { role: "user", content: rest, ...(metadata === undefined ? {} : { metadata }) }, source }
    })
  }
  return drafts
}
