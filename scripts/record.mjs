// Records examples/transcript/session.json: an agent's session of real work on this very repository. What the person
// and the agent say is written in scripts/record/; what the tools answer is what really came out when this script ran.
import { mkdirSync, writeFileSync } from "node:fs"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { investigations } from "./record/investigations.mjs"
import { reviews } from "./record/reviews.mjs"
import { system } from "./record/system.mjs"
import { call, forbidden, rewrite, schemas } from "./record/tools.mjs"

const target = { tokens: 128_000, messages: 260 }
const limits = {
  tokens: [100_000, 160_000],
  messages: 240,
  unit: 12_000,
  bytes: 1_000_000,
  large: 20 * 1024,
  ofLarge: 3
}

const messages = [{ role: "system", content: system }]
const units = []
let tokens = countTokens(system) + countTokens(JSON.stringify(schemas))
let calls = 0

const add = (message) => {
  messages.push(message)
  const size = countTokens(JSON.stringify(message), { disallowedSpecial: new Set() })
  tokens += size
  if (message.role === "tool") units[units.length - 1] += size
  else units.push(size)
}

const said = (words, results) => (typeof words === "function" ? words(results) : words)

const play = ({ answer, ask, steps }) => {
  add({ role: "user", content: ask })
  const results = []
  for (const [words, ...wanted] of steps) {
    const made = wanted.map(([name, args]) => ({ id: `call_${String(++calls).padStart(4, "0")}`, name, args }))
    add({
      role: "assistant",
      content: said(words, results),
      tool_calls: made.map(({ args, id, name }) => ({
        id,
        type: "function",
        function: { name, arguments: rewrite(JSON.stringify(args)) }
      }))
    })
    for (const { args, id, name } of made) {
      const content = call(name, args)
      results.push(content)
      add({ role: "tool", tool_call_id: id, name, content })
    }
  }
  add({ role: "assistant", content: said(answer, results) })
  if (process.stderr.isTTY) process.stderr.write(`${messages.length} messages, ${tokens} tokens\r`)
}

// The investigations are the thread; a review of one module after each fills the session up to its size, so that it
// stays in bounds however large the repository has become.
const waiting = reviews()
for (const investigation of investigations()) {
  play(investigation)
  const review = waiting.shift()
  if (review !== undefined) play(review)
}
for (const review of waiting) {
  if (tokens >= target.tokens && messages.length >= target.messages) break
  play(review)
}

const text = `${JSON.stringify({ messages, tools: schemas }, null, 1)}\n`
const large = messages.filter((message) => message.role === "tool" && Buffer.byteLength(message.content) > limits.large)
const within = (value, [least, most]) => value >= least && value <= most

// The file is shipped, so a name of this machine in it is an error and not a warning.
const problems = [
  ...forbidden.flatMap(([name, pattern]) =>
    messages.flatMap((message, index) =>
      pattern.test(JSON.stringify(message))
        ? [`message ${index + 1} holds "${name}": ${message.content.slice(0, 80)}`]
        : []
    )
  ),
  ...(within(tokens, limits.tokens) ? [] : [`${tokens} tokens instead of ${limits.tokens.join(" to ")}`]),
  ...(messages.length >= limits.messages ? [] : [`only ${messages.length} messages`]),
  ...units.flatMap((size, index) => (size < limits.unit ? [] : [`unit ${index + 1} has ${size} tokens`])),
  ...(Buffer.byteLength(text) < limits.bytes ? [] : [`${Buffer.byteLength(text)} bytes`]),
  ...(large.length >= limits.ofLarge ? [] : [`only ${large.length} results over 20 KB`])
]
console.log(
  `${messages.length} messages, ${calls} calls, ${tokens} tokens, ${Buffer.byteLength(text)} bytes, ` +
    `${large.length} results over 20 KB, largest unit ${Math.max(...units)} tokens`
)
if (problems.length > 0) {
  for (const problem of problems) console.error(`not recorded: ${problem}`)
  process.exit(1)
}
const folder = new URL("../examples/transcript/", import.meta.url)
mkdirSync(folder, { recursive: true })
writeFileSync(new URL("session.json", folder), text)
