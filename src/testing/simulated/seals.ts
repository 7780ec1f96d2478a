/**
 * The signatures under a provider's reasoning: it gives them, and takes back none but its own under the same text.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import type * as Message from "../../session/Message.ts"

type Reasoning = Extract<Message.Block, { readonly type: "reasoning" }>

/**
 * `seal` is the signature of a block, its own if it has one; `isGiven` whether this provider put it under this text;
 * `opened` the text that a seal stands for, where it is sent back without it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Seals {
  readonly seal: (block: Reasoning) => string
  readonly isGiven: (signature: string, text: string) => boolean
  readonly opened: (signature: string) => string | undefined
}

const hash = (text: string) => createHash("sha256").update(text).digest("base64")

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Seals => {
  const given = new Map<string, Set<string>>()
  return {
    seal: (block) => {
      const signature = block.redacted ?? block.signature ?? hash(block.text)
      given.set(signature, new Set(given.get(signature)).add(block.text))
      return signature
    },
    isGiven: (signature, text) => given.get(signature)?.has(text) === true,
    opened: (signature) => [...(given.get(signature) ?? [])].at(-1)
  }
}
