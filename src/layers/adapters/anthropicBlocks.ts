/**
 * Puts one block of an Anthropic answer together from its pieces.
 *
 * @since 0.1.0
 */
import type { Part } from "../../services/ModelAdapter.ts"
import * as Names from "./anthropicNames.ts"
import { type Fields, fieldsOf, parse, textOf } from "./looseJson.ts"

/**
 * Each step gives the parts that it completes; what a text or a thought begins with is its first delta. `whole` is false of a call whose arguments did not come, or do not parse:
 * of an answer that was cut off it is no call.
 *
 * @since 0.1.0
 * @category models
 */
export interface OpenBlock {
  readonly delta: (delta: Fields) => ReadonlyArray<Part>
  readonly stop: () => { readonly parts: ReadonlyArray<Part>; readonly whole: boolean }
}

const none: ReadonlyArray<Part> = []
const nothing = { parts: none, whole: true }

const textBlock = (): OpenBlock => ({
  delta: ({ text }) => (textOf(text) === "" ? none : [{ type: "text-delta", delta: textOf(text) }]),
  stop: () => nothing
})

const thinkingBlock = (provider: string): OpenBlock => {
  let signature = ""
  return {
    delta: (delta) => {
      signature += textOf(delta["signature"])
      const thinking = textOf(delta["thinking"])
      return thinking === "" ? none : [{ type: "reasoning-delta", delta: thinking }]
    },
    stop: () => ({
      parts: [{ type: "reasoning-end", ...(signature === "" ? {} : { signature, provider }) }],
      whole: true
    })
  }
}

const redactedBlock = (start: Fields, provider: string): OpenBlock => ({
  delta: () => none,
  stop: () => ({ parts: [{ type: "reasoning-end", redacted: textOf(start["data"]), provider }], whole: true })
})

const callBlock = (start: Fields, callId: () => string): OpenBlock => {
  const pieces: Array<string> = []
  return {
    delta: (delta) => {
      pieces.push(textOf(delta["partial_json"]))
      return none
    },
    stop: () => {
      const text = pieces.join("")
      const given = fieldsOf(start["input"]) ?? {}
      const parsed = text.trim() === "" ? { value: given } : parse(text)
      const id = textOf(start["id"])
      return {
        parts: [
          {
            type: "tool-call",
            id: id === "" ? callId() : id,
            name: Names.decode(textOf(start["name"])),
            arguments: parsed === undefined ? text : parsed.value
          }
        ],
        whole: parsed !== undefined && (text.trim() !== "" || Object.keys(given).length > 0)
      }
    }
  }
}

/** Kept with what its pieces bring; JSON in pieces is its input. */
const unknownBlock = (start: Fields, provider: string): OpenBlock => {
  const value: Record<string, unknown> = { ...start }
  const pieces: Array<string> = []
  return {
    delta: (delta) => {
      if (typeof delta["partial_json"] === "string") pieces.push(delta["partial_json"])
      else {
        for (const [name, piece] of Object.entries(delta)) {
          if (name === "type") continue
          const before = value[name]
          value[name] = typeof before === "string" && typeof piece === "string" ? before + piece : piece
        }
      }
      return none
    },
    stop: () => {
      const input = parse(pieces.join(""))
      if (input !== undefined) value["input"] = input.value
      return { parts: [{ type: "unknown", value, provider }], whole: pieces.length === 0 || input !== undefined }
    }
  }
}

/**
 * `callId` makes an id for a call that came without one; `provider` is the one that seals reasoning.
 *
 * @since 0.1.0
 * @category constructors
 */
export const open = (start: Fields, provider: string, callId: () => string): OpenBlock => {
  switch (start["type"]) {
    case "text":
      return textBlock()
    case "thinking":
      return thinkingBlock(provider)
    case "redacted_thinking":
      return redactedBlock(start, provider)
    case "tool_use":
      return callBlock(start, callId)
    default:
      return unknownBlock(start, provider)
  }
}
