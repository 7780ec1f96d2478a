/**
 * The signatures under a provider's reasoning: it gives them, and takes back none but its own under the same text, and,
 * where it binds them, behind the same request.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import type * as Message from "../../session/Message.ts"
import { withoutMarks, type ChatRequest } from "./chatRequest.ts"

type Reasoning = Extract<Message.Block, { readonly type: "reasoning" }>

/**
 * What a thought stands behind.
 *
 * @since 0.1.0
 * @category models
 */
export type Prefix = Pick<ChatRequest, "tools" | "messages">

/**
 * `seal` is the signature of a block that answers a request, its own if it has one; `isGiven` whether this provider put
 * it under this text; `isBound` whether it may stand behind this prefix; `opened` the text that a seal stands for, where
 * it is sent back without it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Seals {
  readonly seal: (block: Reasoning, request: Prefix) => string
  readonly isGiven: (signature: string, text: string) => boolean
  readonly isBound: (signature: string, prefix: Prefix) => boolean
  readonly opened: (signature: string) => string | undefined
}

const hash = (text: string) => createHash("sha256").update(text).digest("base64")

const keyOf = ({ messages, tools }: Prefix) => hash(JSON.stringify(withoutMarks([tools, messages])))

interface Given {
  readonly texts: Set<string>
  readonly prefixes: Set<string>
}

/**
 * `binds`: a signature holds only behind the messages that it was given behind, as with the models that preserve their
 * thinking.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ binds }: { readonly binds: boolean }): Seals => {
  const given = new Map<string, Given>()
  return {
    seal: (block, request) => {
      const signature = block.redacted ?? block.signature ?? hash(block.text)
      const known = given.get(signature) ?? { texts: new Set(), prefixes: new Set() }
      given.set(signature, known)
      known.texts.add(block.text)
      if (binds) known.prefixes.add(keyOf(request))
      return signature
    },
    isGiven: (signature, text) => given.get(signature)?.texts.has(text) === true,
    isBound: (signature, prefix) => !binds || given.get(signature)?.prefixes.has(keyOf(prefix)) === true,
    opened: (signature) => [...(given.get(signature)?.texts ?? [])].at(-1)
  }
}
