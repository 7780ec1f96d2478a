// What is said in an episode: prompts that can be told apart, calls, and results of every size.
import * as Message from "../../src/session/Message.ts"
import type * as Random from "../random.ts"
import type { Answer } from "./provider.ts"

const alphabets = [
  "lorem ipsum dolor sit amet consectetur ",
  "const value = await read(path) ?? 42; ",
  "测试会话压缩上下文窗口请求失败"
]

/** About so many tokens of this provider's vocabulary. */
export const textOf = (random: Random.Random, tokens: number): string => {
  const alphabet = alphabets[random.integer(alphabets.length)]!
  const characters = Math.max(1, Math.round(tokens * (alphabet.charCodeAt(0) > 255 ? 1.2 : 4.5)))
  return alphabet.repeat(Math.ceil(characters / alphabet.length)).slice(0, characters)
}

export const sizeOf = (random: Random.Random, median: number): number => Math.max(1, random.logNormal(median, 0.9))

/** One turn of a conversation: its prompt, the answers of the model, and what the tools of each answer say. */
export interface Turn {
  readonly prompt: string
  readonly answers: ReadonlyArray<Answer>
  readonly results: ReadonlyMap<string, string>
}

export const turnOf = (random: Random.Random, turn: number, median: number): Turn => {
  const results = new Map<string, string>()
  const steps = random.integer(4)
  const answers = Array.from({ length: steps + 1 }, (_, step): Answer => {
    const text = textOf(random, sizeOf(random, median / 3))
    if (step === steps) {
      return [
        { type: "text-delta", delta: text },
        { type: "finish", reason: "stop" }
      ]
    }
    const calls = Array.from({ length: 1 + random.integer(3) }, (_, i) => {
      const id = `call_${turn}_${step}_${i}`
      const large = random.next() < 0.1 ? 8 : 1
      results.set(id, textOf(random, sizeOf(random, median) * large))
      return Message.toolCall(id, "read", { path: `${id}.ts` })
    })
    return [{ type: "text-delta", delta: text }, ...calls, { type: "finish", reason: "tool-calls" }]
  })
  return { prompt: `Prompt ${turn}: ${textOf(random, sizeOf(random, median))}`, answers, results }
}

/** A whole conversation at once, whole units, the newest of which is of a given size. */
export const messagesOf = (
  random: Random.Random,
  median: number,
  enough: (messages: ReadonlyArray<Message.Message>) => boolean
): ReadonlyArray<Message.Message> => {
  const messages: Array<Message.Message> = []
  for (let turn = 0; !enough(messages); turn++) {
    const { answers, prompt, results } = turnOf(random, turn, median)
    messages.push(Message.user(prompt))
    for (const answer of answers) {
      const content = answer.flatMap((part): ReadonlyArray<Message.Block> =>
        part.type === "text-delta" ? [Message.textBlock(part.delta)] : part.type === "tool-call" ? [part] : []
      )
      messages.push(Message.assistant(content))
      for (const block of content) {
        if (block.type !== "tool-call") continue
        messages.push(Message.toolResult({ id: block.id, name: block.name, content: results.get(block.id) ?? "" }))
      }
    }
  }
  return messages
}
