// The same counts by other means: a jq program, or an awk program for Markdown, for each format.

const says = `def says: if type == "string" then . != "" else any(.[]?; .type != "text" or .text != "") end;`

const chat = `${says}
def chat: {
  messages: [.[] | select((.role == "user" and (.content | says))
    or (.role == "assistant" and ((.content | says) or (.reasoning_content // "" | says) or (.tool_calls // [] != []))))] | length,
  calls: [.[] | .tool_calls[]? | select(.function)] | length,
  results: [.[] | select(.role == "tool")] | length };`

const claude = `${says}
def talk: . as $lines
  | ([.[] | select(.type == "assistant") | .message.content[]? | select(.type == "tool_use") | .id]) as $asked
  | ([.[] | select(.type == "user" and .isCompactSummary != true) | .message.content[]? | select(.type? == "tool_result")]) as $given
  | ([$given[] | select(.tool_use_id as $id | $asked | index($id) != null)]) as $known
  | { messages: (([$lines[] | select(.type == "assistant" and (.message.content | says)) | .message.id] | unique | length)
        + ([$lines[] | select(.type == "user" and .isCompactSummary != true) | .message.content
            | if type == "string" then . else map(select(.type != "tool_result")) end | select(says)] | length)
        + ($given | length) - ($known | length)),
      calls: ($asked | unique | length), results: ($known | length) };`

const codex = `
def letter: if .type == "count" then "T" elif (.type | test("_output$")) then "O"
  elif (.type | test("_call$|^reasoning$")) or .role == "assistant" then "A" elif .type == "message" then "U" else "" end;
[inputs] | reduce .[] as $line ({items: [], total: null};
    if $line.payload == null then .items += [$line]
    elif $line.type == "response_item" then .items += [$line.payload]
    elif $line.payload.type == "token_count" and ($line.payload.info | type) == "object" and $line.payload.info.total_token_usage != .total
    then .total = $line.payload.info.total_token_usage | .items += [{type: "count"}] else . end)
  | [.items[] | select(.type != null)] as $items
  | ([$items[] | letter] | join("")) as $letters
  | { messages: (([$letters | match("A+"; "g")] | length) + ([$letters | match("U"; "g")] | length)),
      calls: ([$items[] | select(.type | test("_call$"))] | length), results: ([$letters | match("O"; "g")] | length) }`

const langChain = `
def talk: { messages: [.[] | select(.id[-1] | test("^(Human|AI)"))] | length,
  calls: [.[] | .kwargs.tool_calls[]?] | length, results: [.[] | select(.id[-1] | test("^Tool"))] | length };`

const jq = {
  "ai-sdk-model": `input | { messages: [.[] | select(.role == "user" or .role == "assistant")] | length,
    calls: [.[].content[]? | select(.type == "tool-call")] | length,
    results: [.[].content[]? | select(.type == "tool-result")] | length }`,
  "ai-sdk-ui": `input | ([.[].parts[] | select(.type == "dynamic-tool" or (.type | startswith("tool-")))]) as $tools
    | { messages: (([.[] | select(.role == "user")] | length) + ([.[].parts[] | select(.type == "step-start")] | length)),
        calls: ($tools | length), results: ([$tools[] | select(.state | startswith("output-"))] | length) }`,
  "claude-code": `${claude}
    [inputs] | ([.[] | select(.type == "user" or .type == "assistant")] | talk) as $main
    | [.[] | select(.type == "progress" and .data.type == "agent_progress") | .data] | group_by(.agentId)
    | [$main] + map(map(.message) | talk)
    | { messages: (map(.messages) | add), calls: (map(.calls) | add), results: (map(.results) | add) }`,
  "codex-rollout": codex,
  "dsh-session": `${says}
    [inputs] | ([.[] | select(has("surfaceOp") and (.type | test("^(user|context|assistant)/message$")))]) as $words
    | { messages: ([$words[] | select(.data.message.content // .data.content | says)] | length),
        calls: ([.[] | select(.type == "tool/call")] | length), results: ([.[] | select(.type == "tool/result")] | length) }`,
  "gemini-cli-chat": `input | { messages: [.messages[] | select(.type == "user" or .type == "gemini")] | length,
    calls: [.messages[].toolCalls[]?] | length, results: [.messages[].toolCalls[]? | select(.result[]?)] | length }`,
  langchain: `${langChain} input | talk`,
  "langgraph-stream": `${langChain} input | [.[] | select(.[0] == "values" and .[1].messages != null)] | last | .[1].messages | talk`,
  "mini-swe-agent": `${chat} input | [.messages[] | select(.role != "exit")] | chat`,
  "openai-chat": `${chat} input | map(.traj | chat)
    | { messages: (map(.messages) | add), calls: (map(.calls) | add), results: (map(.results) | add) }`,
  "opencode-rows": `[inputs | select(.table == "session_message") | .row] | ([.[].data.content[]? | select(.type == "tool")]) as $tools
    | { messages: ([.[] | select(.type == "user" or .type == "assistant" or .type == "synthetic")] | length),
        calls: ($tools | length), results: ([$tools[] | select(.state.status == "completed" or .state.status == "error")] | length) }`,
  "openhands-events": `[inputs | select(.kind)] | { messages: (([.[] | select(.kind == "MessageEvent")] | length)
      + ([.[] | select(.kind == "ActionEvent") | .llm_response_id] | unique | length)),
    calls: ([.[] | select(.kind == "ActionEvent")] | length), results: ([.[] | select(.kind == "ObservationEvent")] | length) }`,
  "openhands-llm-log": `${chat} [inputs] | last | (.messages + [.response.choices[0].message]) | chat`,
  "pi-session": `${says}
    [inputs | select(.type == "message") | .message]
    | { messages: ([.[] | select(.role == "bashExecution" or (.role != "toolResult" and (.content | says)))] | length),
        calls: ([.[].content[]? | select(.type? == "toolCall")] | length),
        results: ([.[] | select(.role == "toolResult")] | length) }`,
  "roo-task": `${says}
    input | { calls: 0, results: 0, messages: (if .[0].role then [.[] | select(.content | says)] | length
      else ([.[] | if .say == "api_req_started" then (if (.text | fromjson | .request) == "" then "r" else "R" end)
          elif ((.say // .ask) | IN("text", "completion_result", "tool", "use_mcp_server", "command")) and (.text // "") != "" then "T"
          else "" end] | join("") | gsub("^T+"; "") | ([match("R"; "g")] | length) + ([match("T+"; "g")] | length)) end) }`,
  "swe-agent-llm-log": `${chat} [inputs] | (([.[] | select(.type == "request")] | last | .request_params.messages)
    + [[.[] | select(.type == "response")] | last | .response.choices[0].message]) | chat`,
  "swe-agent-traj": `${chat} input | .history | chat`
}

const print = `print "{\\"messages\\":" messages ",\\"calls\\":" calls + 0 ",\\"results\\":" results + 0 "}"`

const awk = {
  // who speaks now: a person, somebody else, or nobody; behind a command only a text that was counted is the model's
  "aider-md": `
    function close_text(counted) { if (speaker == "other" && (asked || counted)) messages++; speaker = "" }
    /^# aider chat started at / { close_text(0); asked = 0; next }
    /^#### .*  $/ {
      close_text(0)
      asked = !($0 ~ /^#### [\\/!]/ && $0 !~ /^#### \\/(ask|code|architect|help|context) +[^ ]/)
      if (asked && !prompting) messages++
      prompting = asked
      next
    }
    { prompting = 0 }
    /^> Tokens: [0-9.,]+k? sent/ { close_text(1); next }
    /^>( |$)/ { close_text(0); next }
    /^Cost: \\$/ { if (speaker == "") next }
    /^[ \\t]*$/ { next }
    { speaker = "other" }
    END { close_text(0); ${print} }`,
  "specstory-md": `
    /^_\\*\\*User \\(/ { messages++; answering = 0; next }
    /^_\\*\\*Agent \\(/ { if (!answering) messages++; answering = 1; next }
    /^<tool-use / { calls++; fence = ""; result = 0; next }
    /^\`\`\`/ { if (fence == "") fence = $0; if ($0 == "\`\`\`" && before == $0) result = 1; before = $0 }
    !/^\`\`\`/ && !/^$/ { before = "" }
    /^<\\/details><\\/tool-use>$/ { answering = 0; if (fence == "\`\`\`" || result) results++ }
    END { ${print} }`
}

/** The command that counts in files of this format; its last line of output is JSON. */
export const counting = (format, paths) =>
  jq[format] === undefined ? ["awk", [awk[format], ...paths]] : ["jq", ["-c", "-n", jq[format], ...paths]]
