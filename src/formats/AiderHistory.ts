/**
 * Chat histories of aider, in Markdown: what a person wrote stands behind `#### `, what aider said itself behind `> `, and
 * all else is the model's. The files, the map of the repository and the system prompt that it sent are not there.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Message from "../session/Message.ts"
import type { Usage } from "../session/Usage.ts"
import { type DecodeOptions, type Format, type Reader } from "./Format.ts"
import { lineFormat } from "./internal/lineFormat.ts"
import { type Recorded, transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import { usage } from "./internal/values.ts"

const opening = /^# aider chat started at (.+?)\s*$/u

/** aider ends the lines of a prompt with two blanks, which headings of the model's do not have. */
const prompted = /^#### ?(.*?) {2}\r?$/u

const own = /^>(?: (.*?))?\s*$/u

/** "Model: x with …" in chats of one model, "Models: x with …" or "Main model: x with …" in those of two. */
const modelLine = /^(?:Main model|Models?): (\S+?)⚡? with /u

const figure = /([\d.,]+)(k?) (sent|cache write|cache hit|cached|received)/gu

const tokenLine = /^Tokens: [\d.,]+k? sent/u

/** aider prints what the provider counted; above some size rounded, as "13k". */
const counted = (line: string): Usage | undefined => {
  const figures = new Map<string, number>()
  for (const [, digits = "", thousand, what = ""] of line.matchAll(figure)) {
    const number = Number(digits.replaceAll(",", ""))
    figures.set(what, Math.round(thousand === "k" ? number * 1_000 : number))
  }
  const sent = figures.get("sent")
  const cached = figures.get("cache hit") ?? figures.get("cached")
  // of some providers the number sent is without what was read from the cache
  const input = sent !== undefined && cached !== undefined && cached > sent ? sent + cached : sent
  return usage({ input, output: figures.get("received"), cached, cacheWrite: figures.get("cache write") })
}

/** Of aider's own commands these send what stands behind them. */
const asks = /^\/(?:ask|code|architect|help|context)\s+\S/u

const isCommand = (prompt: string): boolean => /^[/!]/u.test(prompt) && !asks.test(prompt)

/** After these the model sees nothing of what was said before. */
const clears = /^\/(?:clear|reset)\b/u

interface Chat {
  readonly name: string
  readonly recording: Recording.Recording
  model: string | undefined
  /** whether the newest prompt went to the model, and not to aider itself */
  asked: boolean
  /** the lines of what is being read, and whose they are */
  readonly lines: Array<string>
  speaker: "person" | "other" | undefined
  place: string
  /** where the answer stands whose count comes next */
  answer: number | undefined
}

/** What nobody asked the model for is the output of a command, unless the provider counted it. */
const close = (chat: Chat, answered = chat.asked): void => {
  const { place, recording, speaker } = chat
  const text = chat.lines.join("\n").trim()
  chat.lines.length = 0
  chat.speaker = undefined
  if (speaker === undefined || text === "") return
  if (speaker === "other") {
    if (answered) chat.answer = Recording.say(recording, Message.assistant(text), place)
    return
  }
  chat.answer = undefined
  chat.asked = !isCommand(text)
  if (clears.test(text) && recording.messages.length > 0) Recording.compacted(recording, [])
  if (chat.asked) Recording.say(recording, Message.user(text), place)
  else Recording.count(recording, "commands to aider itself were left out")
}

const takeOwn = (chat: Chat, line: string, place: string): void => {
  const counts = tokenLine.test(line)
  close(chat, chat.asked || counts)
  const { recording } = chat
  chat.model = modelLine.exec(line)?.[1] ?? chat.model
  if (!counts) return
  const at = chat.answer ?? recording.messages.length
  Recording.request(recording, counted(line), { at, place, model: chat.model })
  chat.answer = undefined
}

const takeLine = (chat: Chat, line: string, place: string): void => {
  const prompt = prompted.exec(line)
  const said = prompt === null ? own.exec(line) : null
  if (said !== null) return takeOwn(chat, said[1] ?? "", place)
  const speaker = prompt === null ? "other" : "person"
  if (chat.speaker !== speaker) {
    close(chat)
    // a count may go on in a line of its own
    if (prompt === null && (line.trim() === "" || line.startsWith("Cost: $"))) return
    chat.speaker = speaker
    chat.place = place
  }
  chat.lines.push(prompt === null ? line.replace(/\r$/u, "") : (prompt[1] ?? ""))
}

const reader = (options?: DecodeOptions): Reader => {
  const chats: Array<Chat> = []
  let silent = 0
  let number = 0
  const finish = (): void => {
    const newest = chats.at(-1)
    if (newest === undefined) return
    close(newest)
    const { messages, requests } = newest.recording
    if (messages.length > 0 || requests.length > 0) return
    chats.pop()
    silent++
  }
  const start = (name: string): void => {
    // a chat that does not name its model has that of the one before it
    const model = chats.at(-1)?.model
    finish()
    const recording = Recording.make(options)
    chats.push({
      name,
      recording,
      model,
      asked: false,
      lines: [],
      speaker: undefined,
      place: "",
      answer: undefined
    })
  }
  return {
    line: (line) => {
      number++
      const name = opening.exec(line)?.[1]
      if (name !== undefined) start(name)
      else {
        if (chats.length === 0 && line.trim() !== "") start("session")
        const chat = chats.at(-1)
        if (chat !== undefined) takeLine(chat, line, `line ${number}`)
      }
      return Either.void
    },
    end: () => {
      finish()
      const [first] = chats
      if (silent > 0) first?.recording.notes.push(`${silent} chats of the file in which nothing was said were left out`)
      const recorded = chats.map(({ name, recording }): Recorded => ({ recording, id: name, visible: "messages" }))
      return transcript(format.name, recorded, options)
    }
  }
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = lineFormat({
  name: "aider-md",
  description: "a chat history of aider, Markdown with lines # aider chat started at …",
  recognises: (input) => /^\s*# aider chat started at /u.test(input.text),
  reader
})
