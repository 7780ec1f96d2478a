/**
 * The seal of a provider's reasoning, without which it takes none back: our blocks have it as `signature` and `redacted`,
 * Effect AI as options of the part.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import { fieldsOf } from "../layers/adapters/looseJson.ts"
import { optionsOf } from "./promptKept.ts"

interface Seal {
  readonly signature?: string
  readonly redacted?: string
}

/** Anthropic's own seals are one text each, so that a session goes on with another adapter of ours. */
const anthropicSeal = (options: Prompt.ProviderOptions): Seal | undefined => {
  const fields = options["anthropic"]
  if (fields === undefined || Object.keys(options).length > 1 || Object.keys(fields).length !== 2) return undefined
  const { redactedData, signature, type } = fields
  if (type === "thinking" && typeof signature === "string" && !isOptions(signature)) return { signature }
  return type === "redacted_thinking" && typeof redactedData === "string" && !isOptions(redactedData)
    ? { redacted: redactedData }
    : undefined
}

const parse = (seal: string): Prompt.ProviderOptions | undefined => {
  if (!seal.startsWith("{")) return undefined
  try {
    const options = fieldsOf(JSON.parse(seal))
    return options !== undefined && Object.values(options).every((value) => fieldsOf(value) !== undefined)
      ? (options as Prompt.ProviderOptions)
      : undefined
  } catch {
    return undefined
  }
}

const isOptions = (seal: string) => parse(seal) !== undefined

/** Whether the reasoning itself is in there, encrypted: it is priced by its length then. */
const isEncrypted = (options: Prompt.ProviderOptions) =>
  Object.values(options).some((fields) => typeof fields?.["encryptedContent"] === "string")

/** Any other provider's options are kept whole, as JSON. */
export const decodeSeal = (options: Prompt.ProviderOptions): Seal => {
  if (optionsOf(options).options === undefined) return {}
  const seal = anthropicSeal(options)
  if (seal !== undefined) return seal
  const json = JSON.stringify(options)
  return isEncrypted(options) ? { redacted: json } : { signature: json }
}

/** The options of a reasoning part. */
export const encodeSeal = ({ redacted, signature }: Seal): Prompt.ProviderOptions => {
  const options = parse(redacted ?? signature ?? "")
  if (options !== undefined) return options
  if (redacted !== undefined) return { anthropic: { type: "redacted_thinking", redactedData: redacted } }
  return signature === undefined ? {} : { anthropic: { type: "thinking", signature } }
}
