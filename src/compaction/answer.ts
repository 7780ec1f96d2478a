/**
 * An answer, put together from its parts.
 *
 * @since 0.1.0
 */
import type { ModelError } from "../errors/ModelError.ts"
import * as Message from "../session/Message.ts"
import { freeId } from "./callIds.ts"
import type { FinishReason } from "../session/SessionEvent.ts"
import * as Usage from "../session/Usage.ts"

/**
 * A piece of an answer, as adapters give it.
 *
 * @since 0.1.0
 * @category models
 */
export type Part =
  | { readonly type: "text-delta"; readonly delta: string }
  | { readonly type: "reasoning-delta"; readonly delta: string }
  /** Ends a reasoning block, with the provider's own seal, and whose it is: the provider that the route names. */
  | {
      readonly type: "reasoning-end"
      readonly signature?: string
      readonly redacted?: string
      readonly provider?: string
    }
  /** Comes whole. */
  | { readonly type: "tool-call"; readonly id: string; readonly name: string; readonly arguments: unknown }
  /** A block of a kind that we do not know, whole; it goes back to its provider in its place. */
  | { readonly type: "unknown"; readonly value: unknown; readonly provider: string }
  /**
   * Comes before all others and is no part of the answer: the request failed, and is sent again after `delay`.
   * Milliseconds; `attempt` is the one that failed, from 1; `retryAfter` is what the provider asked for.
   */
  | {
      readonly type: "repeated"
      readonly attempt: number
      readonly delay: number
      readonly error: ModelError["_tag"]
      readonly retryAfter?: number
    }
  /** Comes last and once. `metadata` stays with the message. */
  | {
      readonly type: "finish"
      readonly reason: FinishReason
      readonly usage?: Usage.Usage
      readonly metadata?: Message.Metadata
    }

/**
 * @since 0.1.0
 * @category models
 */
export interface Answer {
  readonly message: Message.Message
  readonly finish: FinishReason
  readonly usage: Usage.Usage | undefined
}

/**
 * What has come of an answer so far. Mutable: it lives as long as one request, and deltas are many.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = () => {
  const blocks: Array<Message.Block> = []
  let text: Array<string> = []
  let reasoning: Array<string> = []
  let finish: FinishReason = "unknown"
  let usage: Usage.Usage | undefined
  let metadata: Message.Metadata | undefined

  const endText = () => {
    if (text.length > 0) blocks.push(Message.textBlock(text.join("")))
    text = []
  }
  const endReasoning = (seal: Omit<Extract<Part, { readonly type: "reasoning-end" }>, "type"> = {}) => {
    const { provider, redacted, signature } = seal
    // reasoning whose text is not shown comes as a seal alone
    const isSealed = signature !== undefined || redacted !== undefined
    if (reasoning.length > 0 || isSealed) {
      blocks.push({
        type: "reasoning",
        text: reasoning.join(""),
        ...(signature === undefined ? {} : { signature }),
        ...(redacted === undefined ? {} : { redacted }),
        ...(isSealed && provider !== undefined ? { provider } : {})
      })
    }
    reasoning = []
  }
  const endBlocks = () => {
    endReasoning()
    endText()
  }
  const built = (drop: (block: Message.Block) => boolean): Message.Message => {
    endBlocks()
    const content = blocks.filter((block) => !drop(block))
    return metadata === undefined ? { role: "assistant", content } : { role: "assistant", content, metadata }
  }
  const ids = new Set<string>()
  const isCall = (block: Message.Block) => block.type === "tool-call"

  return {
    add: (part: Part): void => {
      switch (part.type) {
        case "text-delta":
          endReasoning()
          if (part.delta !== "") text.push(part.delta)
          return
        case "reasoning-delta":
          endText()
          if (part.delta !== "") reasoning.push(part.delta)
          return
        case "reasoning-end":
          endText()
          return endReasoning(part)
        case "tool-call":
          endBlocks()
          blocks.push(Message.toolCall(freeId(part.id, ids), part.name, part.arguments))
          ids.add((blocks.at(-1) as Message.ToolCallBlock).id)
          return
        case "unknown":
          endBlocks()
          blocks.push(part)
          return
        case "finish":
          finish = part.reason
          usage = Usage.sound(part.usage)
          metadata = part.metadata
      }
    },
    /** An answer that was cut at the output limit keeps no calls: their arguments may be cut too. */
    answer: (): Answer => ({ message: built((block) => finish === "length" && isCall(block)), finish, usage }),
    /** What is kept of an answer that will not end: its text. Nobody will run its calls, or finish what is in hand. */
    partial: (): Message.Message => built((block) => block.type !== "text")
  }
}
