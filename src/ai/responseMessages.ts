/**
 * An answer of Effect AI as messages of a prompt. `Prompt.fromResponseParts` leaves out what the provider sealed, and a text
 * that did not end.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import { isStoredElsewhere, mergedMetadata, optionsFrom, withoutItemId } from "./responseParts.ts"

interface Open {
  readonly type: "text" | "reasoning"
  text: string
  metadata: Response.ProviderMetadata
}

type Said = Open | Prompt.AssistantMessagePart

/** What the provider ran itself its package knows again by Effect AI's name, and a tool of its making by the provider's. */
const nameOf = (part: {
  readonly name: string
  readonly providerName?: string | undefined
  readonly providerExecuted: boolean
}) => (part.providerExecuted ? part.name : (part.providerName ?? part.name))

const isOpen = (said: Said): said is Open => "metadata" in said

/**
 * Takes in the parts of one answer, streamed or whole.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = () => {
  const said: Array<Said> = []
  const results: Array<Prompt.ToolResultPart> = []
  const open = new Map<string, Open>()

  const begin = (key: string, type: Open["type"], metadata: Response.ProviderMetadata): Open => {
    const block: Open = { type, text: "", metadata }
    open.set(key, block)
    said.push(block)
    return block
  }
  const more = (key: string, type: Open["type"], delta: string, metadata: Response.ProviderMetadata) => {
    const block = open.get(key) ?? begin(key, type, {})
    block.text += delta
    block.metadata = mergedMetadata(block.metadata, metadata)
  }

  const add = (part: Response.AnyPart): void => {
    switch (part.type) {
      case "text":
      case "reasoning":
        said.push({ type: part.type, text: part.text, metadata: part.metadata })
        return
      case "text-start":
      case "reasoning-start": {
        const type = part.type === "text-start" ? "text" : "reasoning"
        begin(`${type} ${part.id}`, type, part.metadata)
        return
      }
      case "text-delta":
        return more(`text ${part.id}`, "text", part.delta, part.metadata)
      case "reasoning-delta":
        return more(`reasoning ${part.id}`, "reasoning", part.delta, part.metadata)
      case "text-end":
      case "reasoning-end": {
        const type = part.type === "text-end" ? "text" : "reasoning"
        if (open.has(`${type} ${part.id}`)) more(`${type} ${part.id}`, type, "", part.metadata)
        open.delete(`${type} ${part.id}`)
        return
      }
      case "file":
        said.push(Prompt.makePart("file", { mediaType: part.mediaType, data: part.data }))
        return
      case "tool-call":
        said.push(
          Prompt.makePart("tool-call", {
            id: part.id,
            name: nameOf(part),
            params: part.params as unknown,
            providerExecuted: part.providerExecuted,
            options: optionsFrom(part.metadata)
          })
        )
        return
      case "tool-result": {
        const result = Prompt.makePart("tool-result", {
          id: part.id,
          name: nameOf(part),
          isFailure: part.isFailure,
          result: part.encodedResult as unknown,
          providerExecuted: part.providerExecuted,
          options: optionsFrom(part.metadata)
        })
        if (part.providerExecuted) said.push(result)
        else results.push(result)
      }
    }
  }

  const partOf = (block: Said): Prompt.AssistantMessagePart =>
    isOpen(block)
      ? Prompt.makePart(block.type, { text: block.text, options: optionsFrom(block.metadata) } as never)
      : block

  /** Ids of what only OpenAI's store could tell are left out, of the reasoning and of all that came after it. */
  const sendable = (parts: ReadonlyArray<Prompt.AssistantMessagePart>): ReadonlyArray<Prompt.AssistantMessagePart> => {
    const reasoning = parts.filter((part) => part.type === "reasoning")
    const isKept = reasoning.length > 0 && !reasoning.some(({ options }) => isStoredElsewhere(options))
    return isKept ? parts : parts.map((part) => ({ ...part, options: withoutItemId(part.options) }) as typeof part)
  }

  return {
    add,
    /** The answer, and after it the results of its calls; none where nothing was said. */
    messages: (): ReadonlyArray<Prompt.Message> => {
      const content = sendable(said.map(partOf)).filter(({ options, type, ...part }) => {
        const isNothing = (type === "text" || type === "reasoning") && "text" in part && part.text === ""
        return !isNothing || Object.keys(options).length > 0
      })
      return [
        ...(content.length === 0 ? [] : [Prompt.makeMessage("assistant", { content })]),
        ...(results.length === 0 ? [] : [Prompt.makeMessage("tool", { content: results })])
      ]
    },
    /** What is kept of an answer that was cut off: its text. Nobody will run its calls, and its reasoning has no seal. */
    partial: (): ReadonlyArray<Prompt.Message> => {
      const texts = said.filter((block) => isOpen(block) && block.type === "text" && block.text !== "").map(partOf)
      return texts.length === 0 ? [] : [Prompt.makeMessage("assistant", { content: texts })]
    }
  }
}
