/**
 * Our blocks to parts of Effect AI's prompt messages.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { named } from "../compaction/sends.ts"
import type * as Message from "../session/Message.ts"
import { encodeData } from "./promptData.ts"
import { compactJson, type Kept, type KeptPart } from "./promptKept.ts"
import { encodeSeal } from "./promptSeal.ts"

const readOpaque = Schema.decodeUnknownEither(Schema.Union(Prompt.ToolCallPart, Prompt.ToolResultPart))

const encodeFile = (block: Message.ImageBlock | Message.FileBlock, kept: KeptPart | undefined) =>
  Prompt.makePart("file", {
    mediaType: block.mediaType ?? (block.type === "image" ? "image/*" : "application/octet-stream"),
    ...(block.type === "file" && block.name !== undefined ? { fileName: block.name } : {}),
    data: encodeData(block.source, kept?.data),
    options: kept?.options ?? {}
  })

/** A block as a part; none of a block that came from another provider, and that no prompt can hold. */
export const encodePart = (
  block: Message.Block,
  keptThere: KeptPart | undefined,
  calls: Kept["calls"]
): ReadonlyArray<Prompt.AssistantMessagePart> => {
  const kept = keptThere?.type === block.type ? keptThere : undefined
  switch (block.type) {
    case "text":
      return [Prompt.makePart("text", { text: block.text, options: kept?.options ?? {} })]
    case "reasoning":
      return [Prompt.makePart("reasoning", { text: block.text, options: encodeSeal(block) })]
    case "image":
    case "file":
      return [encodeFile(block, kept)]
    case "tool-call":
      return [
        Prompt.makePart("tool-call", {
          id: block.id,
          name: block.name,
          params: block.arguments,
          providerExecuted: false,
          options: kept?.options ?? calls?.[block.id] ?? {}
        })
      ]
    case "tool-result":
      return [encodeResult(block, kept)]
    case "unknown":
      return Either.match(readOpaque(block.value), { onLeft: () => [], onRight: (part) => [part] })
  }
}

const textOf = (block: Message.ResultBlock): string => {
  switch (block.type) {
    case "text":
      return block.text
    case "unknown":
      return JSON.stringify(block.value) ?? ""
    default:
      return named(block)
  }
}

/** JSON that a compaction cut is a text. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const objectOf = (text: string): object | undefined => {
  const value = parsed(text)
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
}

const resultOf = (text: string, kind: KeptPart["result"]): unknown => {
  switch (kind) {
    case "text":
      return text
    case "json":
      return parsed(text)
    case "object":
      // some providers take no result that is none
      return objectOf(text) ?? { output: text }
    case "void":
      return text === "" ? undefined : text
    case undefined:
      return compactJson(text) ?? text
  }
}

/** A result as a part. Effect AI's results hold no images or files, so those are named. */
export const encodeResult = (
  block: Message.ToolResultBlock,
  keptThere: KeptPart | undefined
): Prompt.ToolResultPart => {
  const kept = keptThere?.type === block.type ? keptThere : undefined
  const text = block.content.map(textOf).join("\n")
  return Prompt.makePart("tool-result", {
    id: block.id,
    name: block.name,
    isFailure: block.isError === true,
    result: resultOf(text, kept?.result),
    providerExecuted: false,
    options: kept?.options ?? {}
  })
}
