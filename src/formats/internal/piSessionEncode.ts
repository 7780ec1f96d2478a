// Messages as records of a session of the pi coding agent.
import * as Message from "../../session/Message.ts"
import type { Encoded, EncodeOptions } from "../Format.ts"
import type { Session } from "../Transcript.ts"
import * as Encoding from "./encoding.ts"
import { block as decodeBlock } from "./piContent.ts"
import { json, nonEmpty } from "./values.ts"

const name = "pi-session"

type Part = Readonly<Record<string, unknown>>

const image = (block: Message.ImageBlock, losses: Encoding.Losses): Part => {
  const { mediaType, source } = block
  const part: Part =
    source.type === "base64"
      ? { type: "image", data: source.base64, ...(mediaType === undefined ? {} : { mimeType: mediaType }) }
      : Encoding.named(block)
  Encoding.compare(losses, block, decodeBlock(part))
  return part
}

const said = (block: Message.ResultBlock, losses: Encoding.Losses): Part => {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text }
    case "image":
      return image(block, losses)
    case "file":
      losses.noPlace("a file: it is named in text")
      return Encoding.named(block)
    case "unknown":
      return Encoding.unknownPart(losses, block, decodeBlock)
  }
}

const reasoning = (block: Message.ReasoningBlock, { noPlace }: Encoding.Losses): Part => {
  const { provider, redacted, text } = block
  const signature = nonEmpty(block.signature)
  if (redacted !== undefined) noPlace("encrypted reasoning")
  if (provider !== undefined) noPlace("which provider gave the reasoning")
  if (signature !== block.signature) noPlace("an empty seal of reasoning")
  return { type: "thinking", thinking: text, ...(signature === undefined ? {} : { thinkingSignature: signature }) }
}

const part = (block: Message.Block, losses: Encoding.Losses): Part => {
  switch (block.type) {
    case "reasoning":
      return reasoning(block, losses)
    case "tool-call":
      return { type: "toolCall", id: block.id, name: block.name, arguments: Encoding.argumentsOf(losses, block) }
    case "tool-result":
      // whole pairs have results in messages of their own only
      return { type: "text", text: json(block.content) }
    default:
      return said(block, losses)
  }
}

const uncounted = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
}

const messageOf = (message: Message.Message, losses: Encoding.Losses): Part => {
  const [result] = Message.toolResults(message)
  if (message.role === "tool" && result !== undefined) {
    return {
      role: "toolResult",
      toolCallId: result.id,
      toolName: result.name,
      content: result.content.map((block) => said(block, losses)),
      isError: result.isError === true
    }
  }
  const content = message.content.map((block) => part(block, losses))
  return message.role === "assistant"
    ? {
        role: "assistant",
        content,
        api: "unknown",
        provider: "unknown",
        model: "unknown",
        usage: uncounted,
        stopReason: Message.toolCalls(message).length > 0 ? "toolUse" : "stop"
      }
    : { role: "user", content }
}

export const encode = (session: Session, { time = 0 }: EncodeOptions): Encoded => {
  const losses = Encoding.losses(name)
  Encoding.besideMessages(losses, session, { system: false, tools: false })
  const timestamp = new Date(time).toISOString()
  const lines = [
    { type: "session", id: session.id, timestamp, cwd: "" },
    ...session.messages.map((message) => ({
      type: "message",
      timestamp,
      message: { ...messageOf(message, losses), timestamp: time },
      ...Encoding.ownFields(message)
    }))
  ]
  return { text: lines.map((line) => `${JSON.stringify(line)}\n`).join(""), notes: losses.notes() }
}
