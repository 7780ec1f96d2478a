/**
 * Ids and names of calls in a prompt as providers take them: what another provider gave, or a model made up, would make one
 * refuse this request and every later one of its session.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import * as CallLabels from "../layers/adapters/callLabels.ts"

type Part = Prompt.AssistantMessagePart | Prompt.ToolMessagePart

/**
 * The prompt with such labels. `offered` are the names of the request's own tools, which stay as they are; so does what a
 * provider called itself.
 *
 * @since 0.1.0
 * @category conversions
 */
export const labelled = (prompt: Prompt.Prompt, offered: ReadonlySet<string>): Prompt.Prompt => {
  const labels = <A extends Part>(part: A): A => {
    if ((part.type !== "tool-call" && part.type !== "tool-result") || part.providerExecuted) return part
    const id = CallLabels.id(part.id, "plain")
    const name = CallLabels.name(part.name, "plain", offered)
    return id === part.id && name === part.name ? part : ({ ...part, id, name } as A)
  }
  return Prompt.fromMessages(
    prompt.content.map((message) => {
      const { options } = message
      if (message.role === "assistant") {
        return Prompt.makeMessage("assistant", { content: message.content.map(labels), options })
      }
      return message.role === "tool"
        ? Prompt.makeMessage("tool", { content: message.content.map(labels), options })
        : message
    })
  )
}
