/**
 * Reasoning that a gateway hands on as its model encrypted it, beside the answer and not inside of it (OpenRouter's
 * `reasoning_details`). Gemini refuses a request whose calls come without theirs.
 *
 * What Claude signs is left out: it holds only behind the messages that it was made behind, and this protocol has no way to
 * say that it may be dropped.
 *
 * @since 0.1.0
 */
import type * as Message from "../../session/Message.ts"
import { type Fields, fieldsOf, parse, textOf } from "./looseJson.ts"

/**
 * The field of a message that holds it.
 *
 * @since 0.1.0
 * @category constants
 */
export const field = "reasoning_details"

/**
 * What of a message's details is to go back, each as a text.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decode = (details: unknown): ReadonlyArray<string> =>
  (Array.isArray(details) ? details : []).flatMap((detail) => {
    const { format, type } = fieldsOf(detail) ?? {}
    return type === "reasoning.encrypted" && !textOf(format).startsWith("anthropic") ? [JSON.stringify(detail)] : []
  })

/**
 * The details that came. One that belongs to a call names it as the request does.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encode = (
  blocks: ReadonlyArray<Message.ReasoningBlock>,
  callId: (id: string) => string
): ReadonlyArray<Fields> =>
  blocks.flatMap(({ redacted }) => {
    const detail = redacted === undefined ? undefined : fieldsOf(parse(redacted)?.value)
    if (detail === undefined) return []
    const { id } = detail
    return [typeof id === "string" ? { ...detail, id: callId(id) } : detail]
  })
