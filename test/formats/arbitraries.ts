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

const mediaType = FastCheck.constantFrom("image/png", "application/pdf", "text/plain")
const base64 = FastCheck.constantFrom("", "QUJD", "JVBERi0=")
const source: FastCheck.Arbitrary<Message.Source> = FastCheck.oneof(
  base64.map((base64) => ({ type: "base64" as const, base64 })),
  FastCheck.constantFrom("https://example.test/a.png", "data:image/png;base64,QUJD", "a/b", "x:y").map((url) => ({
    type: "url" as const,
    url
  })),
  FastCheck.constantFrom("file-1", "a:b").map((blob) => ({ type: "blob" as const, blob }))
)
const pixels = FastCheck.integer({ min: 1, max: 4000 })

const image: FastCheck.Arbitrary<Message.ImageBlock> = FastCheck.record(
  { type: FastCheck.constant("image" as const), source, mediaType, width: pixels, height: pixels },
  { requiredKeys: ["type", "source"] }
)

const file: FastCheck.Arbitrary<Message.FileBlock> = FastCheck.record(
  {
    type: FastCheck.constant("file" as const),
    source,
    mediaType,
    name: FastCheck.constantFrom("", "a.pdf"),
    pages: FastCheck.integer({ min: 1, max: 9 })
  },
  { requiredKeys: ["type", "source"] }
)

const unknown: FastCheck.Arbitrary<Message.UnknownBlock> = FastCheck.record(
  {
    type: FastCheck.constant("unknown" as const),
    value: FastCheck.constantFrom(
      { type: "input_audio", input_audio: { data: "AAAA" } },
      { type: "text", text: 5 },
      { type: "tool_use" },
      { type: "toolCall", id: "x" },
      { type: "tool-call" },
      { type: "image", source: { type: "odd" } },
      { kind: "no type", list: [] },
      17,
      null
    ),
    provider: FastCheck.constantFrom("", "anthropic", "other")
  },
  { requiredKeys: ["type", "value"] }
)

const sealedReasoning: FastCheck.Arbitrary<Message.ReasoningBlock> = FastCheck.record(
  {
    type: FastCheck.constant("reasoning" as const),
    text: FastCheck.oneof(mark, FastCheck.constant("")),
    signature: FastCheck.constantFrom("", "seal"),
    redacted: FastCheck.constantFrom("", "secret"),
    provider: FastCheck.constantFrom("", "anthropic", "other")
  },
  { requiredKeys: ["type", "text"] }
)

const said = FastCheck.oneof(
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: image },
  { weight: 1, arbitrary: file },
  { weight: 1, arbitrary: unknown }
)

const json = FastCheck.jsonValue({ maxDepth: 2 })

const anyCall = FastCheck.tuple(id, name, FastCheck.oneof(mark, json, FastCheck.record({ path: mark }))).map((parts) =>
  Message.toolCall(...parts)
)

const anyResult: FastCheck.Arbitrary<Message.ToolResultBlock> = FastCheck.record(
  {
    type: FastCheck.constant("tool-result" as const),
    id,
    name,
    content: FastCheck.array(said, { maxLength: 3 }),
    isError: FastCheck.constant(true)
  },
  { requiredKeys: ["type", "id", "name", "content"] }
)

const metadata = FastCheck.oneof(
  { weight: 3, arbitrary: FastCheck.constant(undefined) },
  {
    weight: 1,
    arbitrary: FastCheck.constantFrom(
      { source: "context", role: "system" },
      { source: "context" },
      { checkpoint: { summary: "s", quotes: [] } },
      { mine: { deep: [1, null] } },
      {}
    )
  }
)

/** Messages with everything that a block can hold; pairs are as wild as in `wildMessages`. */
export const richMessages: FastCheck.Arbitrary<ReadonlyArray<Message.Message>> = FastCheck.array(
  FastCheck.record({
    role: FastCheck.constantFrom("user" as const, "assistant" as const, "tool" as const),
    content: FastCheck.array(FastCheck.oneof(said, anyCall, anyResult, sealedReasoning), { maxLength: 4 }),
    metadata
  }).map(({ content, metadata, role }) => ({
    role,
    // only a model reasons
    content: content.filter(({ type }) => role === "assistant" || type !== "reasoning"),
    ...(metadata === undefined ? {} : { metadata })
  })),
  { maxLength: 10 }
)
