/**
 * The model of the chat without a key: it answers by rule, and calls tools where it is told to, so that everything else
 * can be seen at work.
 *
 * @since 0.1.0
 */
import * as Message from "../../session/Message.ts"
import { type ChatRequest, contentText } from "../../testing/simulated/chatRequest.ts"
import { type Answer, call, say } from "../../testing/simulated/reply.ts"
import { asked, excerpt } from "../providerAnswer.ts"

/**
 * What it understands, for the person.
 *
 * @since 0.1.0
 * @category constants
 */
export const understands =
  'lines such as "list", "read README.md", "search TODO in src", "run npm test", "write notes.txt: hello", "edit notes.txt: hello => bye"'

type Step = { readonly say: string } | { readonly tool: string; readonly args: unknown }

const phrases: ReadonlyArray<
  readonly [pattern: RegExp, step: (groups: Readonly<Record<string, string | undefined>>) => Step]
> = [
  [/^list(?: (?<path>\S+))?$/iu, ({ path = "." }) => ({ tool: "list_files", args: { path } })],
  [/^read (?<path>\S+)$/iu, ({ path }) => ({ tool: "read_file", args: { path } })],
  [
    /^search (?<text>.+?)(?: in (?<path>\S+))?$/iu,
    ({ path = ".", text }) => ({ tool: "search_files", args: { text, path } })
  ],
  [/^run (?<command>.+)$/iu, ({ command }) => ({ tool: "run_command", args: { command } })],
  [
    /^write (?<path>\S+): (?<text>.+)$/iu,
    ({ path, text }) => ({ tool: "write_file", args: { path, text: `${text}\n` } })
  ],
  [
    /^edit (?<path>\S+): (?<replace>.+?) => (?<put>.+)$/iu,
    ({ path, put, replace }) => ({ tool: "edit_file", args: { path, replace, put } })
  ]
]

const stepOf = (line: string): ReadonlyArray<Step> => {
  const marker = asked(line).at(-1)
  if (marker?._tag === "Say") return [{ say: marker.text }]
  if (marker?._tag === "Call" && marker.name !== undefined) return [{ tool: marker.name, args: marker.args }]
  for (const [pattern, step] of phrases) {
    const found = pattern.exec(line.trim())
    if (found !== null) return [step(found.groups ?? {})]
  }
  return []
}

/**
 * Its calls carry how many steps are left behind them: a compaction may put the prompt away, and what quotes it may quote
 * others before it.
 */
const idOf = (left: number, length: number) => `left-${left}-${length}`

const leftOf = (id: string | undefined): number => Number(/^left-(?<left>\d+)-/u.exec(id ?? "")?.groups?.["left"] ?? 0)

/**
 * Takes the lines of the newest prompt one after the other, a call or a word each, and then says what the last tool
 * answered.
 *
 * @since 0.1.0
 * @category conversions
 */
export const answer = ({ messages }: ChatRequest): Answer => {
  const last = messages.at(-1)
  const prompt = messages.findLast(({ role }) => role === "user")
  const said = prompt === undefined ? "" : contentText(prompt)
  const steps = said.split("\n").flatMap(stepOf)
  const left = last?.role === "tool" ? leftOf(last.tool_call_id) : steps.length
  const step = left === 0 ? undefined : steps.at(-left)
  if (step !== undefined) {
    return "say" in step ? say(step.say) : call(Message.toolCall(idOf(left - 1, messages.length), step.tool, step.args))
  }
  if (last?.role === "tool") return say(`Done. The tool answered: ${excerpt(contentText(last))}`)
  return say(`You said: ${excerpt(said)}\n\nI am simulated, and no model. I take ${understands}.`)
}
