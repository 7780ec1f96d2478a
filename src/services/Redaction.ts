/**
 * What is masked in a tool's result before it becomes durable.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import { redact } from "../compaction/redact.ts"
import type { ResultBlock } from "../session/Message.ts"

/**
 * Given the content of a result and the name of its tool, gives what is kept in its place. Pure, and of its own result it
 * changes nothing: a result may come by twice.
 *
 * @since 0.1.0
 * @category models
 */
export type Redact = (content: ReadonlyArray<ResultBlock>, tool: string) => ReadonlyArray<ResultBlock>

/**
 * Masks well-known key shapes in the texts of a result, and touches nothing else.
 *
 * @since 0.1.0
 * @category conversions
 */
export const redactKeys: Redact = (content) => {
  let changed = false
  const blocks = content.map((block) => {
    if (block.type !== "text") return block
    const text = redact(block.text)
    if (text === block.text) return block
    changed = true
    return { ...block, text }
  })
  return changed ? blocks : content
}

/**
 * Applied once, where a result enters the log: model, log and summary see what it gave, and so does the price. The default
 * masks well-known key shapes; what the user and the model say is never touched. It has a default, so no layer is needed.
 *
 * @since 0.1.0
 * @category references
 */
export class Redaction extends Context.Reference<Redaction>()("effect-compaction/services/Redaction", {
  defaultValue: (): Redact => redactKeys
}) {}
