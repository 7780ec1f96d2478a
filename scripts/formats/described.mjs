// What each format's description says of a file, as plain rules over its JSON or its lines: how many messages of people and
// the model it holds, how many calls and how many results. Nothing of src/formats is used here.

const parse = (text) => JSON.parse(text)

/** One record a line; two that lost the line break between them are two. */
const records = (text) =>
  text
    .replaceAll('}{"type":', '}\n{"type":')
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(parse)

const list = (value) => (Array.isArray(value) ? value : [])

/** A text, or a list of blocks, that says anything. */
const says = (content) =>
  typeof content === "string"
    ? content !== ""
    : list(content).some((block) => block.type !== "text" || block.text !== "")

const count = (values, predicate) => values.filter(predicate).length

const blocks = (messages, type) =>
  messages.flatMap(({ content }) => list(content).filter((block) => block.type === type))

/** Kinds of lines as letters, so that runs are a regular expression. */
const runs = (letters, pattern) => (letters.join("").match(pattern) ?? []).length

const chat = (messages) => ({
  messages: count(
    messages,
    ({ content, reasoning_content: reasoning, role, tool_calls: calls }) =>
      (role === "user" && says(content)) ||
      (role === "assistant" && (says(content) || says(reasoning ?? "") || list(calls).length > 0))
  ),
  calls: messages.flatMap(({ tool_calls: calls }) => list(calls).filter((call) => call.function !== undefined)).length,
  results: count(messages, ({ role }) => role === "tool")
})

const sum = (parts) => ({
  messages: parts.reduce((all, part) => all + part.messages, 0),
  calls: parts.reduce((all, part) => all + part.calls, 0),
  results: parts.reduce((all, part) => all + part.results, 0)
})

/** A conversation of Claude Code: lines of one answer share its id, and a result whose call is not there is text. */
const claudeTalk = (lines) => {
  const answers = new Set()
  const asked = new Set()
  let people = 0
  let results = 0
  for (const { isCompactSummary, message, type } of lines) {
    if (type === "assistant") {
      if (says(message.content)) answers.add(message.id)
      for (const block of list(message.content)) if (block.type === "tool_use") asked.add(block.id)
      continue
    }
    if (isCompactSummary === true) continue
    const given = list(message.content).filter((block) => block.type === "tool_result")
    const known = count(given, (block) => asked.has(block.tool_use_id))
    results += known
    people += given.length - known
    const words = typeof message.content === "string" ? message.content : list(message.content)
    if (says(typeof words === "string" ? words : words.filter((block) => block.type !== "tool_result"))) people++
  }
  return { messages: people + answers.size, calls: asked.size, results }
}

const claudeCode = (text) => {
  const lines = records(text)
  const agents = new Map()
  for (const { data, type } of lines) {
    if (type !== "progress" || data?.type !== "agent_progress") continue
    agents.set(data.agentId, [...(agents.get(data.agentId) ?? []), data.message])
  }
  const main = lines.filter(({ type }) => type === "user" || type === "assistant")
  return sum([main, ...agents.values()].map(claudeTalk))
}

const codexLetter = (item) => {
  if (item.type.endsWith("_output")) return "O"
  if (item.type.endsWith("_call") || item.type === "reasoning" || item.role === "assistant") return "A"
  return item.type === "message" ? "U" : ""
}

const codex = (text) => {
  const items = []
  let total
  for (const line of records(text)) {
    const { payload, type } = line
    if (payload === undefined || type === "response_item") items.push(payload ?? line)
    const now = JSON.stringify(payload?.info?.total_token_usage)
    if (payload?.type === "token_count" && now !== undefined && now !== total) {
      total = now
      items.push({ type: "count" })
    }
  }
  const known = items.filter(({ type }) => type !== undefined)
  const letters = known.map((item) => (item.type === "count" ? "T" : codexLetter(item)))
  return {
    messages: runs(letters, /A+/gu) + runs(letters, /U/gu),
    calls: count(known, ({ type }) => type.endsWith("_call")),
    results: runs(letters, /O/gu)
  }
}

const dsh = (text) => {
  const seen = records(text).filter((event) => event.surfaceOp !== undefined)
  const content = ({ data }) => data.message?.content ?? data.content
  const words = seen.filter(({ type }) => /^(?:user|context|assistant)\/message$/u.test(type))
  return {
    messages: count(words, (event) => says(content(event))),
    calls: blocks(
      words.map((event) => ({ content: content(event) })),
      "tool-call"
    ).length,
    results: count(seen, ({ type }) => type === "tool/result")
  }
}

const pi = (text) => {
  const messages = records(text)
    .filter(({ type }) => type === "message")
    .map(({ message }) => message)
  return {
    messages: count(
      messages,
      ({ content, role }) => role === "bashExecution" || (role !== "toolResult" && says(content))
    ),
    calls: blocks(messages, "toolCall").length,
    results: count(messages, ({ role }) => role === "toolResult")
  }
}

const requested = (messages, answer) => chat([...messages, answer].filter((message) => message !== undefined))

const sweLog = (text) => {
  const lines = records(text)
  const { request_params: request } = lines.findLast(({ type }) => type === "request")
  return requested(request.messages, lines.findLast(({ type }) => type === "response")?.response.choices[0].message)
}

const openHandsLog = (...files) => {
  const { messages, response } = parse(files.at(-1))
  return requested(messages, response.choices[0].message)
}

const openHandsEvents = (...files) => {
  const events = files.map(parse).filter(({ kind }) => kind !== undefined)
  const actions = events.filter(({ kind }) => kind === "ActionEvent")
  return {
    messages:
      count(events, ({ kind }) => kind === "MessageEvent") + new Set(actions.map(({ llm_response_id: id }) => id)).size,
    calls: actions.length,
    results: count(events, ({ kind }) => kind === "ObservationEvent")
  }
}

const roo = (text) => {
  const values = parse(text)
  if (values[0].role !== undefined)
    return { messages: count(values, ({ content }) => says(content)), calls: 0, results: 0 }
  const shown = new Set(["text", "completion_result", "tool", "use_mcp_server", "command"])
  const letters = values.map(({ ask, say, text: words }) => {
    if (say === "api_req_started") return parse(words).request === "" ? "r" : "R"
    return shown.has(say ?? ask) && words !== "" && words !== undefined ? "T" : ""
  })
  return { messages: runs(letters, /R/gu) + runs(letters, /(?<=[Rr])T+/gu), calls: 0, results: 0 }
}

const gemini = (text) => {
  const { messages } = parse(text)
  const calls = messages.flatMap(({ toolCalls }) => list(toolCalls))
  return {
    messages: count(messages, ({ type }) => type === "user" || type === "gemini"),
    calls: calls.length,
    results: count(calls, ({ result }) => list(result).length > 0)
  }
}

const langChainTalk = (messages) => {
  const kinds = messages.map(({ id }) => id.at(-1))
  return {
    messages: count(kinds, (kind) => /^(?:Human|AI)/u.test(kind)),
    calls: messages.flatMap(({ kwargs }) => list(kwargs.tool_calls)).length,
    results: count(kinds, (kind) => kind.startsWith("Tool"))
  }
}

const langGraph = (text) =>
  langChainTalk(parse(text).findLast(([mode, state]) => mode === "values" && state.messages !== undefined)[1].messages)

const aiSdkUi = (text) => {
  const messages = parse(text)
  const parts = messages.flatMap((message) => message.parts)
  const tools = parts.filter(({ type }) => type === "dynamic-tool" || type.startsWith("tool-"))
  return {
    messages: count(messages, ({ role }) => role === "user") + count(parts, ({ type }) => type === "step-start"),
    calls: tools.length,
    results: count(tools, ({ state }) => state.startsWith("output-"))
  }
}

const aiSdkModel = (text) => {
  const messages = parse(text)
  return {
    messages: count(messages, ({ role }) => role === "user" || role === "assistant"),
    calls: blocks(messages, "tool-call").length,
    results: blocks(messages, "tool-result").length
  }
}

const opencode = (text) => {
  const rows = records(text).flatMap(({ row, table }) => (table === "session_message" ? [row] : []))
  const tools = rows.flatMap(({ data }) => list(data.content).filter(({ type }) => type === "tool"))
  return {
    messages: count(rows, ({ type }) => ["user", "assistant", "synthetic"].includes(type)),
    calls: tools.length,
    results: count(tools, ({ state }) => state.status === "completed" || state.status === "error")
  }
}

const sweTrajectory = (text) => chat(parse(text).history)

const aiderLetter = (line) => {
  if (/^#### .* {2}$/u.test(line))
    return /^#### (?:\/(?!(?:ask|code|architect|help|context) +\S)|!)/u.test(line) ? "c" : "P"
  if (/^> Tokens: [\d.,]+k? sent/u.test(line)) return "T"
  if (/^>(?: |$)/u.test(line) || line.startsWith("Cost: $")) return "o"
  return line.trim() === "" ? "b" : "A"
}

/** Runs of lines of a person and, behind them, of the model; behind a command only what was counted is the model's. */
const aider = (text) => {
  const talks = text.split(/^# aider chat started at .*$/mu).map((part) => part.split("\n").map(aiderLetter).join(""))
  const parts = talks.flatMap((letters) =>
    letters.split(/(?<=[Pc])(?![Pc])/u).flatMap((part, index) => [[part, index]])
  )
  let messages = 0
  let asked = false
  for (const [part, index] of parts) {
    if (index === 0) asked = false
    messages += (part.match(asked ? /A[Ab]*/gu : /A[Ab]*T/gu) ?? []).length
    messages += (part.match(/P+/gu) ?? []).length
    if (/[Pc]$/u.test(part)) asked = part.endsWith("P")
  }
  return { messages, calls: 0, results: 0 }
}

/**
 * An answer ends with its call, whose result is fenced without a word of what it is. Behind a patch, which is fenced as one,
 * there is a result where it failed.
 */
const specStory = (text) => {
  const sections = text.split(/^_\*\*(?=(?:User|Agent) \()/mu).slice(1)
  const tools = [...text.matchAll(/^<tool-use .*?^<\/details><\/tool-use>$/gmsu)].map(([tool]) => tool)
  const letters = sections.map((section) =>
    section.startsWith("User") ? "U" : section.includes("\n<tool-use ") ? "C" : "A"
  )
  return {
    messages: runs(letters, /U|A*C|A+/gu),
    calls: tools.length,
    results: count(tools, (tool) => /^```.*$/mu.exec(tool)?.[0] === "```" || /^```\n+```$/mu.test(tool))
  }
}

/** For each format its rule. Where a folder is one session, the rule has the texts of its files, in order. */
export const described = {
  "ai-sdk-model": aiSdkModel,
  "ai-sdk-ui": aiSdkUi,
  "aider-md": aider,
  "claude-code": claudeCode,
  "codex-rollout": codex,
  "dsh-session": dsh,
  "gemini-cli-chat": gemini,
  langchain: (text) => langChainTalk(parse(text)),
  "langgraph-stream": langGraph,
  "mini-swe-agent": (text) => chat(parse(text).messages.filter(({ role }) => role !== "exit")),
  "openai-chat": (text) => sum(parse(text).map(({ traj }) => chat(traj))),
  "opencode-rows": opencode,
  "openhands-events": openHandsEvents,
  "openhands-llm-log": openHandsLog,
  "pi-session": pi,
  "roo-task": roo,
  "specstory-md": specStory,
  "swe-agent-llm-log": sweLog,
  "swe-agent-traj": sweTrajectory
}
