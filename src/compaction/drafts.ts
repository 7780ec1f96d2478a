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
export const resultDraft = (result: Message.ToolResultBlock, metadata?: Message.Metadata): SurfaceDraft => ({
  type: "message/tool-result",
  data: {
    callId: result.id,
    name: result.name,
    content: result.content,
    ...(result.isError === undefined ? {} : { isError: result.isError }),
    ...(metadata === undefined ? {} : { metadata })
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
  if (node.source === "tool" && result !== undefined) return resultDraft(result, message.metadata)
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
 * What was changed so that calls and results pair: a call without a result got an aborted one, a result without an open call
 * or a call outside of an answer became a text of the user's side, a call got another id because it had none or that of an
 * earlier call of its answer. `message` is the place of the message that holds it among those given, -1 if it stood there
 * before; `id` is the one that it came with.
 *
 * @since 0.1.0
 * @category models
 */
export interface Repair {
  readonly what: "missing-result" | "orphan-result" | "stray-call" | "renamed-call"
  readonly message: number
  readonly id: string
  readonly name: string
}

type Source = SessionEvent.BodyOf<"message/user">["data"]["source"]

const isResult = (block: Message.Block): block is Message.ToolResultBlock => block.type === "tool-result"

/**
 * The events that append these messages after a surface on which the calls `unanswered` are open. Missing results are
 * filled in as aborted where something else comes, results without an open call and calls outside of an answer become texts
 * of the user's side, a message that holds several results is taken apart, and so is an answer that holds results: those of
 * its own calls follow it, others come before it. `told` hears of each repair.
 *
 * @since 0.1.0
 * @category constructors
 */
export const appending = (
  unanswered: ReadonlyArray<Message.OpenCall>,
  messages: ReadonlyArray<Message.Message>,
  source: Source | ((message: Message.Message) => Source),
  told: (repair: Repair) => void = () => {}
): ReadonlyArray<Draft> => {
  const drafts: Array<Draft> = []
  // most messages make no call and find none open
  let open: Map<string, Message.OpenCall> | undefined
  for (const call of unanswered) {
    open ??= new Map()
    open.set(call.id, call)
  }
  // of the calls among these messages
  let cameWith: Map<string, { readonly message: number; readonly id: string }> | undefined

  const closeOpen = () => {
    if (open === undefined) return
    for (const call of open.values()) {
      const { id, message } = cameWith?.get(call.id) ?? { id: call.id, message: -1 }
      told({ what: "missing-result", message, id, name: call.name })
      drafts.push(abortedResult(call))
    }
    open.clear()
  }

  /** Results of open calls become events; what cannot be one is left, as blocks of the user's side. */
  const answering = (
    blocks: ReadonlyArray<Message.Block>,
    message: number,
    metadata?: Message.Metadata
  ): ReadonlyArray<Message.Block> => {
    // nearly every message, and a copy that has no room to grow stays small for as long as the message is there
    if (!blocks.some((block) => block.type === "tool-call" || isResult(block))) return blocks.slice()
    const rest: Array<Message.Block> = []
    for (const block of blocks) {
      if (block.type === "tool-call") {
        told({ what: "stray-call", message, id: block.id, name: block.name })
        rest.push(strayCall(block))
      } else if (isResult(block)) {
        const call = open?.get(block.id) ?? answeredBy(block.id, open?.values() ?? [])
        if (open === undefined || call === undefined) {
          told({ what: "orphan-result", message, id: block.id, name: block.name })
          for (const said of orphan(block)) rest.push(said)
        } else {
          open.delete(call.id)
          drafts.push(resultDraft(call.id === block.id ? block : { ...block, id: call.id }, metadata))
        }
      } else rest.push(block)
    }
    return rest
  }

  const said = (content: ReadonlyArray<Message.Block>, message: Message.Message) => {
    closeOpen()
    const { metadata } = message
    drafts.push({
      type: "message/user",
      data: {
        message: metadata === undefined ? { role: "user", content } : { role: "user", content, metadata },
        source: typeof source === "function" ? source(message) : source
      }
    })
  }

  const answered = (content: ReadonlyArray<Message.Block>, message: Message.Message, place: number) => {
    closeOpen()
    const calling = content.map((block) => {
      if (block.type !== "tool-call") return block
      open ??= new Map()
      const call = { ...block, id: freeId(block.id, open) }
      if (call.id !== block.id) told({ what: "renamed-call", message: place, id: block.id, name: block.name })
      open.set(call.id, call)
      cameWith ??= new Map()
      cameWith.set(call.id, { message: place, id: block.id })
      return call
    })
    drafts.push({ type: "message/assistant", data: { message: { ...message, content: calling } } })
  }

  for (const [place, message] of messages.entries()) {
    if (message.role !== "assistant") {
      // of a message that is one result it stays with that result
      const rest = answering(message.content, place, message.content.length === 1 ? message.metadata : undefined)
      if (rest.length > 0 || message.content.length === 0) said(rest, message)
      continue
    }
    if (!message.content.some(isResult)) {
      answered(message.content, message, place)
      continue
    }
    const results = message.content.filter(isResult)
    const ownCalls = new Set(Message.toolCalls(message).map((call) => call.id))
    const before = answering(
      results.filter((result) => !ownCalls.has(result.id)),
      place
    )
    if (before.length > 0) said(before, { role: "user", content: before })
    const content = message.content.filter((block) => !isResult(block))
    if (content.length > 0) answered(content, message, place)
    const after = answering(
      results.filter((result) => ownCalls.has(result.id)),
      place
    )
    if (after.length > 0) said(after, { role: "user", content: after })
  }
  return drafts
}
