// A short file of each format, with its parts that are easily mistaken.
import { jsonLines } from "./decoded.ts"

const chatCall = (id: string) => ({ id, type: "function", function: { name: "run", arguments: '{"a":1}' } })

const chat = [
  { role: "system", content: "be short" },
  { role: "user", content: [{ type: "text", text: "go" }] },
  { role: "assistant", content: null, reasoning_content: "hm", tool_calls: [chatCall("a"), chatCall("b")] },
  { role: "tool", tool_call_id: "a", content: "A" },
  { role: "tool", tool_call_id: "b", content: "B" },
  { role: "assistant", content: "done" }
]

const response = { model: "m", choices: [{ message: chat[5] }], usage: { prompt_tokens: 9, completion_tokens: 1 } }

const constructor = (name: string, kwargs: object) => ({ lc: 1, type: "constructor", id: ["x", name], kwargs })

const graph = [
  constructor("HumanMessage", { content: "go", id: "h" }),
  constructor("AIMessage", {
    content: "",
    id: "r",
    tool_calls: [{ name: "run", args: {}, id: "a" }],
    usage_metadata: { input_tokens: 9, output_tokens: 1 }
  }),
  constructor("ToolMessage", { content: "A", tool_call_id: "a" })
]

const claude = (uuid: string, parentUuid: string | null, type: string, more: object) => ({
  uuid,
  parentUuid,
  sessionId: "s",
  type,
  ...more
})

const bytes = { type: "base64", media_type: "image/png", data: "AA" }

const event = (kind: string, more: object) => ({ kind, source: "agent", timestamp: "t", ...more })

const dshEvent = (type: string, data: object) => ({ type, data, surfaceOp: "append" })

export const samples: Readonly<Record<string, string>> = {
  "openai-chat": JSON.stringify(chat),
  "session-log":
    '{"v":1,"seq":0,"count":2,"events":[{"seq":0,"time":0,"type":"session/opened","data":{"formatVersion":1,"session":"s","writer":"w"}},' +
    '{"seq":1,"time":0,"type":"message/user","data":{"message":{"role":"user","content":[{"type":"text","text":"go"}]},"source":"prompt"}}],"sum":"00000000"}\n',
  "pi-session": jsonLines(
    { type: "session", id: "p", cwd: "/x", timestamp: "t" },
    { type: "message", message: { role: "user", content: "go" } },
    {
      type: "message",
      message: {
        role: "assistant",
        content: [{ type: "toolCall", id: "a", name: "run", arguments: {} }],
        usage: { input: 9, output: 1 }
      }
    },
    { type: "message", message: { role: "toolResult", toolCallId: "a", content: [{ type: "text", text: "A" }] } },
    { type: "compaction", summary: "S", firstKeptEntryIndex: 2 },
    { type: "message", message: { role: "bashExecution", command: "ls", output: "x", exitCode: 1 } }
  ),
  "dsh-session": jsonLines(
    { type: "session", version: 1, id: "d", createdAt: 1, cwd: "/x" },
    { type: "request/header", data: { header: { system: "be short", tools: [{ name: "run", parameters: {} }] } } },
    dshEvent("user/message", { content: [{ type: "text", text: "go" }] }),
    dshEvent("assistant/message", {
      content: [{ type: "tool-call", id: "a", name: "run", arguments: "{}" }],
      usage: { inputTokens: 9, outputTokens: 1 }
    }),
    dshEvent("tool/result", { callId: "a", content: [{ type: "text", text: "A" }] }),
    { ...dshEvent("user/message", { content: [] }), surfaceOp: { op: "replace", start: 1, end: 2 } }
  ),
  "claude-code": jsonLines(
    claude("1", null, "user", { message: { role: "user", content: [{ type: "image", source: bytes }] } }),
    claude("2", "1", "assistant", {
      message: {
        id: "m",
        role: "assistant",
        content: [{ type: "tool_use", id: "a", name: "run", input: {} }],
        usage: { input_tokens: 9, output_tokens: 1 }
      }
    }),
    claude("3", "2", "user", { message: { content: [{ type: "tool_result", tool_use_id: "a", content: "A" }] } }),
    claude("4", null, "system", { subtype: "compact_boundary" }),
    claude("5", "4", "user", { isCompactSummary: true, message: { content: "S" } })
  ),
  "codex-rollout": jsonLines(
    { type: "session_meta", payload: { id: "c", base_instructions: { text: "be short" } } },
    {
      type: "response_item",
      payload: { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] }
    },
    { type: "response_item", payload: { type: "function_call", name: "run", arguments: "{}", call_id: "a" } },
    {
      type: "event_msg",
      payload: {
        type: "token_count",
        info: { total_token_usage: { input_tokens: 9 }, last_token_usage: { input_tokens: 9, output_tokens: 1 } }
      }
    },
    { type: "response_item", payload: { type: "function_call_output", call_id: "a", output: "A" } },
    { type: "compacted", payload: { message: "S" } }
  ),
  "swe-agent-llm-log": jsonLines(
    { type: "request", request_params: { model: "m", messages: chat.slice(0, 2), tools: [] } },
    { type: "response", response },
    { type: "request", request_params: { model: "m", messages: chat.slice(0, 5) } }
  ),
  "opencode-rows": jsonLines(
    { table: "session_v2", row: { id: "s", parent_id: null } },
    { table: "session_message", row: { seq: 1, session_id: "s", type: "user", data: { text: "go" } } },
    {
      table: "session_message",
      row: {
        seq: 2,
        session_id: "s",
        type: "assistant",
        data: {
          content: [
            {
              type: "tool",
              id: "a",
              name: "run",
              state: { status: "completed", input: {}, content: [{ type: "text", text: "A" }] }
            }
          ],
          tokens: { input: 9, output: 1, cache: { read: 1 } }
        }
      }
    }
  ),
  "aider-md":
    "# aider chat started at now\n\n#### go  \n#### on  \n\nyes\n\n> Tokens: 9 sent, 1 received.  \n\n#### /clear  \n\n#### x  \n",
  "specstory-md":
    "<!-- Generated by SpecStory -->\n\n_**User (t)**_\n\ngo\n\n---\n\n_**Agent (m t)**_\n\n<think>\nhm\n</think>\n\n" +
    '<tool-use data-tool-type="x" data-tool-name="run"><details>\n<summary>Tool use: **run** `ls`</summary>\n```\nA\n```\n</details></tool-use>\n',
  "mini-swe-agent": JSON.stringify({
    trajectory_format: "mini-swe-agent-1.1",
    messages: [...chat.slice(0, 5), { ...chat[5], extra: { response } }, { role: "exit", content: "" }]
  }),
  "swe-agent-traj": JSON.stringify({
    history: [...chat.slice(0, 3), { role: "tool", content: "A", tool_call_ids: ["a"] }],
    trajectory: [],
    info: {}
  }),
  "openhands-llm-log": JSON.stringify({ messages: chat.slice(0, 5), tools: [], response, latency_sec: 1 }),
  "openhands-events": JSON.stringify([
    event("SystemPromptEvent", { system_prompt: { text: "be short" }, tools: [{ name: "run" }] }),
    event("MessageEvent", { llm_message: { role: "user", content: [{ type: "text", text: "go" }] } }),
    event("ActionEvent", {
      tool_name: "run",
      tool_call_id: "a",
      tool_call: { id: "a", name: "run", arguments: "{}" },
      llm_response_id: "r"
    }),
    event("ObservationEvent", { tool_call_id: "a", observation: { content: [{ type: "text", text: "A" }] } })
  ]),
  "roo-task": JSON.stringify([
    { role: "user", content: [{ type: "text", text: "go" }], ts: 1 },
    { role: "assistant", content: "S", isSummary: true, ts: 2 },
    { role: "user", content: [{ type: "image", source: bytes }], ts: 3 }
  ]),
  "cline-sdk": JSON.stringify({
    sessionId: "c",
    agent: "main",
    messages: [
      { role: "user", content: [{ type: "file", path: "a", content: "x" }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "a", name: "run", input: {} }],
        metrics: { inputTokens: 9 }
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [{ result: "A" }] }] }
    ]
  }),
  "gemini-cli-chat": JSON.stringify({
    sessionId: "g",
    projectHash: "h",
    messages: [
      { type: "user", content: "go" },
      {
        type: "gemini",
        content: "",
        thoughts: [{ subject: "x", description: "y" }],
        toolCalls: [
          {
            id: "a",
            name: "run",
            args: {},
            result: [{ functionResponse: { id: "a", name: "run", response: { output: "A" } } }]
          }
        ],
        tokens: { input: 9, output: 1, thoughts: 1 }
      }
    ]
  }),
  "gemini-contents": JSON.stringify([
    { role: "user", parts: [{ text: "go" }, { inlineData: { mimeType: "image/png", data: "AA" } }] },
    { role: "model", parts: [{ text: "hm", thought: true }, { functionCall: { name: "run", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "run", response: { output: "A" } } }] }
  ]),
  "langgraph-stream": JSON.stringify([
    ["messages", [graph[1], {}]],
    ["values", { messages: graph }],
    ["values", { __interrupt__: [] }]
  ]),
  langchain: JSON.stringify([constructor("SystemMessage", { content: "be short" }), ...graph]),
  "ai-sdk-model": JSON.stringify([
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "run", input: {} }] },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "a", toolName: "run", output: { type: "text", value: "A" } }]
    }
  ]),
  "anthropic-messages": JSON.stringify({
    system: "be short",
    messages: [
      { role: "user", content: [{ type: "image", source: bytes }] },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "run", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "A" }] }] }
    ]
  }),
  "ai-sdk-ui": JSON.stringify([
    { id: "1", role: "user", parts: [{ type: "text", text: "go" }] },
    {
      id: "2",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "reasoning", text: "hm", providerMetadata: { x: { signature: "s" } } },
        { type: "tool-run", toolCallId: "a", state: "output-available", input: {}, output: { a: 1 } }
      ]
    }
  ])
}
