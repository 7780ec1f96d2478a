// Messages as records of a Claude Code log: a line for each block of an answer, one for each other message.
import * as Message from "../../session/Message.ts"
import type { Encoded, EncodeOptions } from "../Format.ts"
import type { Session } from "../Transcript.ts"
import * as AnthropicEncode from "./anthropicEncode.ts"
import * as Encoding from "./encoding.ts"

const name = "claude-code"

/** Of the form that the tool gives its ids, and told apart by the place in the file alone. */
const uuid = (number: number): string => `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`

/** The session of a sub-agent, by the id that the decoder gave it. */
const agentId = ({ id }: Session): string => (id.startsWith("agent-") ? id.slice("agent-".length) : id)

const messagesOf = (message: Message.Message, answer: number, losses: Encoding.Losses): ReadonlyArray<object> => {
  const parts = message.content.map((block) => AnthropicEncode.part(block, losses))
  if (message.role !== "assistant") return [{ role: "user", content: AnthropicEncode.content(parts) }]
  return parts.map((part) => ({
    id: `msg_${answer}`,
    type: "message",
    role: "assistant",
    model: "unknown",
    content: [part],
    stop_reason: Message.toolCalls(message).length > 0 ? "tool_use" : "end_turn",
    usage: { input_tokens: 0, output_tokens: 0 }
  }))
}

export const encode = (sessions: ReadonlyArray<Session>, { time = 0 }: EncodeOptions): Encoded => {
  const losses = Encoding.losses(name)
  const timestamp = new Date(time).toISOString()
  const sessionId = sessions[0]?.id ?? "session"
  const lines: Array<string> = []
  let answers = 0
  for (const [index, session] of sessions.entries()) {
    Encoding.besideMessages(losses, session, { system: false, tools: false })
    Encoding.renamedResults(losses, session.messages)
    const side = index === 0 ? { isSidechain: false } : { isSidechain: true, agentId: agentId(session) }
    let parentUuid: string | null = null
    for (const message of session.messages) {
      const written = messagesOf(message, ++answers, losses)
      for (const [part, said] of written.entries()) {
        const id = uuid(lines.length + 1)
        lines.push(
          JSON.stringify({
            parentUuid,
            ...side,
            userType: "external",
            cwd: "",
            sessionId,
            version: "",
            type: message.role === "assistant" ? "assistant" : "user",
            message: said,
            uuid: id,
            timestamp,
            ...(part === 0 ? Encoding.ownFields(message) : {})
          })
        )
        parentUuid = id
      }
    }
  }
  return { text: `${lines.join("\n")}\n`, notes: losses.notes() }
}
