// Sessions as agents have them: per step a prompt or nothing, an answer, calls and their results.
import * as Message from "../src/session/Message.ts"
import * as Random from "./random.ts"

const words = [
  "the",
  "function",
  "returns",
  "error",
  "session",
  "const",
  "value",
  "test",
  "failed",
  "=>",
  "{",
  "}",
  "import",
  "42",
  "0x1f",
  "src/index.ts",
  "\n",
  "  ",
  "undefined",
  "request"
]

const cjk = "测试会话压缩上下文窗口请求失败重试的证据是更小的表面世代计数器必须前进而不能后退"

/** About `bytes` bytes of UTF-8; a fifth of all texts is Chinese. */
const text = (random: Random.Random, bytes: number): string => {
  const chinese = random.next() < 0.2
  const pieces: Array<string> = []
  let size = 0
  while (size < bytes) {
    const piece = chinese
      ? cjk.slice(random.integer(cjk.length - 8)).slice(0, 8)
      : `${words[random.integer(words.length)]!} `
    pieces.push(piece)
    size += chinese ? piece.length * 3 : piece.length
  }
  // joined, since a text that was added up piece by piece stays a rope of hundreds of parts until someone reads it
  return pieces.join("")
}

/** Around 1.2 KB; one tool result of twenty has 20 to 60 KB. */
const size = (random: Random.Random) => Math.min(random.logNormal(800, 0.9), 16_000)
const resultSize = (random: Random.Random) => (random.next() < 0.05 ? 20_000 + random.integer(40_000) : size(random))

/** Yields messages without end; each answer has none, one or two calls, and their results follow it. */
export function* messages(seed: number): Generator<Message.Message, never> {
  const random = Random.make(seed)
  for (let step = 0; ; step++) {
    if (random.next() < 0.3) yield Message.user(text(random, size(random)))
    const calls = random.integer(3)
    const ids = Array.from({ length: calls }, (_, i) => `call_${step}_${i}`)
    yield Message.assistant([
      Message.textBlock(text(random, size(random) / 2)),
      ...ids.map((id) => Message.toolCall(id, "read_file", { path: `src/${id}.ts` }))
    ])
    for (const id of ids) yield Message.toolResult({ id, name: "read_file", content: text(random, resultSize(random)) })
  }
}

/** The first `count` messages of a seed; the last answer has all its results. */
export const take = (seed: number, count: number): ReadonlyArray<Message.Message> => {
  const all: Array<Message.Message> = []
  for (const message of messages(seed)) {
    if (all.length >= count && message.role !== "tool") return all
    all.push(message)
  }
  return all
}
