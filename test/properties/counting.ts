import * as Effect from "effect/Effect"
import type { Message } from "../../src/index.ts"
import type { ModelRequest } from "../../src/services/ModelAdapter.ts"
import { vocabulary } from "../../src/testing/simulated/tokens.ts"

// a vocabulary of a provider, which knows nothing of the library's estimator
const { encode } = await Effect.runPromise(vocabulary)

const known = new Map<string, number>()

const textOf = (block: Message.Block): string => {
  switch (block.type) {
    case "text":
    case "reasoning":
      return block.text
    case "tool-call":
      return `${block.name} ${JSON.stringify(block.arguments)}`
    case "tool-result":
      return block.content.map(textOf).join("\n")
    default:
      return ""
  }
}

const images = (block: Message.Block): number =>
  block.type === "image"
    ? 1
    : block.type === "tool-result"
      ? block.content.reduce((sum, inner) => sum + images(inner), 0)
      : 0

const sizeOf = (message: Message.Message): number => {
  const key = JSON.stringify(message.content)
  const size =
    known.get(key) ??
    message.content.reduce((sum, block) => sum + encode(textOf(block)).length + 765 * images(block), 4)
  known.set(key, size)
  return size
}

/** Tokens of a request, as a provider would count it. */
export const requestSize = ({ envelope, messages }: Pick<ModelRequest, "envelope" | "messages">): number =>
  [...(envelope.prefix ?? []), ...messages].reduce(
    (sum, message) => sum + sizeOf(message),
    encode(`${envelope.system ?? ""}${JSON.stringify(envelope.tools ?? "")}`).length + 3
  )
