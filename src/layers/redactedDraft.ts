import type { Draft } from "../compaction/drafts.ts"
import type { Redact } from "../services/Redaction.ts"

/** The draft with its result masked; others are not looked at. */
export const redactedDraft = (redact: Redact, draft: Draft): Draft => {
  if (draft.type !== "message/tool-result") return draft
  const content = redact(draft.data.content, draft.data.name)
  return content === draft.data.content ? draft : { ...draft, data: { ...draft.data, content } }
}
