import * as FastCheck from "effect/FastCheck"
import * as Message from "../../src/session/Message.ts"

const word = FastCheck.string({ minLength: 1, maxLength: 8 })
// a text that is found again only if it was kept
const mark = FastCheck.oneof({ weight: 9, arbitrary: FastCheck.uuid() }, { weight: 1, arbitrary: word })
// few ids, so that doubles, orphans and reuse are common; the empty one stands for a missing id
const id = FastCheck.constantFrom("", "a", "b", "c", "call_2")
const name = FastCheck.constantFrom("", "read", "run")

const text: FastCheck.Arbitrary<Message.TextBlock> = FastCheck.record({
  type: FastCheck.constant("text" as const),
  text: FastCheck.oneof({ weight: 1, arbitrary: FastCheck.constant("") }, { weight: 4, arbitrary: mark })
})

const call = FastCheck.tuple(id, name, FastCheck.oneof(mark, FastCheck.record({ path: mark }))).map((parts) =>
  Message.toolCall(...parts)
)

const result = FastCheck.record({ id, name, content: FastCheck.array(text, { maxLength: 2 }) }).map(
  (given): Message.ToolResultBlock => ({ type: "tool-result", ...given })
)

const reasoning = mark.map((text): Message.ReasoningBlock => ({ type: "reasoning", text }))

/** Messages of any role that hold any block: far worse than any file. */
export const wildMessages: FastCheck.Arbitrary<ReadonlyArray<Message.Message>> = FastCheck.array(
  FastCheck.record({
    role: FastCheck.constantFrom("user" as const, "assistant" as const, "tool" as const),
    content: FastCheck.array(FastCheck.oneof(text, call, result, reasoning), { maxLength: 4 })
  }),
  { maxLength: 12 }
)

const part = FastCheck.oneof(
  FastCheck.record({ type: FastCheck.constant("text"), text: word }),
  FastCheck.record({ type: FastCheck.constant("refusal"), refusal: word }),
  FastCheck.constantFrom(
    { type: "image_url", image_url: { url: "https://example.test/a.png" } },
    { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    { type: "file", file: { file_data: "data:application/pdf;base64,AAAA", filename: "a.pdf" } },
    { type: "file", file: { file_id: "file-1" } },
    { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
    { kind: "no type" },
    17,
    null
  )
)

const content = FastCheck.oneof(FastCheck.constant(null), word, FastCheck.constant(""), FastCheck.array(part))

const chatCall = FastCheck.record({
  id,
  type: FastCheck.constant("function"),
  function: FastCheck.record({
    name,
    arguments: FastCheck.oneof(word, FastCheck.json(), FastCheck.constant(""), FastCheck.record({ path: word }))
  })
})

/** Chat messages as odd as files hold them. */
export const chatMessages: FastCheck.Arbitrary<ReadonlyArray<unknown>> = FastCheck.array(
  FastCheck.oneof(
    FastCheck.record({ role: FastCheck.constantFrom("system", "developer", "user", "critic"), content }),
    FastCheck.record(
      {
        role: FastCheck.constant("assistant"),
        content,
        reasoning_content: word,
        refusal: word,
        tool_calls: FastCheck.array(FastCheck.oneof(chatCall, FastCheck.constant({})), { maxLength: 3 })
      },
      { requiredKeys: ["role"] }
    ),
    FastCheck.record(
      {
        role: FastCheck.constantFrom("tool", "function"),
        tool_call_id: id,
        name,
        content,
        is_error: FastCheck.boolean()
      },
      { requiredKeys: ["role"] }
    ),
    FastCheck.constantFrom(null, 3, "text", [])
  ),
  { maxLength: 14 }
)
