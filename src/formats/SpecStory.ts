/**
 * Exports of SpecStory, in Markdown: a rendering of a session of some other tool, without ids of calls and without counts.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Message from "../session/Message.ts"
import { type DecodeOptions, type Format, type Reader } from "./Format.ts"
import { lineFormat } from "./internal/lineFormat.ts"
import { transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import { reasoning } from "./internal/values.ts"

const heading = /^_\*\*(User|Agent|Assistant)(?: - .*?)?(?: \(.*\))?\*\*_$/u

const sessionComment = /^<!-- .*\bSession (\S+) \(/u

const toolOpening = /^<tool-use\b.*\bdata-tool-name="([^"]*)"/u
const toolClosing = /<\/tool-use>$/u
const thoughtOpening = /^<think>/u
const thoughtClosing = /<\/think>$/u

/** How a call is written, in a summary or, in plainer exports, as a line of its own. */
const callLine = /^(?:<summary>)?Tool use: \*\*(.+?)\*\*(?: `(.*?)`)?(?:<\/summary>)?$/u

const fence = /^```/u

interface Call {
  readonly name: string
  readonly shown: string | undefined
  readonly lines: ReadonlyArray<string>
}

/** Of the fenced texts of a call the last is what came back, unless it says that it is code of some kind. */
const resultStart = (lines: ReadonlyArray<string>): number => {
  // what a command printed may hold fences of its own
  const first = lines.findIndex((line) => fence.test(line))
  if (lines[first] === "```") return first
  let open: number | undefined
  let last = -1
  for (const [index, line] of lines.entries()) {
    if (!fence.test(line)) continue
    if (open === undefined) open = index
    else if (line === "```") {
      last = open
      open = undefined
    }
  }
  return lines[open ?? last] === "```" ? (open ?? last) : -1
}

const unfenced = (lines: ReadonlyArray<string>): string =>
  lines.slice(1, lines.at(-1) === "```" && lines.length > 1 ? -1 : undefined).join("\n")

const messagesOf = ({ lines, name, shown }: Call, id: string): ReadonlyArray<Message.Message> => {
  const start = resultStart(lines)
  const asked = lines
    .slice(0, start === -1 ? undefined : start)
    .join("\n")
    .trim()
  const given = { ...(shown === undefined ? {} : { shown }), ...(asked === "" ? {} : { text: asked }) }
  const called = Message.assistant([Message.toolCall(id, name, given)])
  return start === -1 ? [called] : [called, Message.toolResult({ id, name, content: unfenced(lines.slice(start)) })]
}

interface Open {
  readonly kind: "tool" | "thought" | "plain-tool"
  readonly name: string
  readonly lines: Array<string>
}

interface Export {
  readonly recording: Recording.Recording
  speaker: "user" | "assistant" | undefined
  place: string
  readonly lines: Array<string>
  open: Open | undefined
  calls: number
  /** the answer to which more may come: one ends with its call */
  answer: number | undefined
}

/** One answer is rendered as several sections. */
const answerWith = (to: Export, content: ReadonlyArray<Message.Block>): void => {
  if (to.answer === undefined) to.answer = Recording.say(to.recording, Message.assistant(content), to.place)
  else Recording.grow(to.recording, to.answer, content)
}

const flush = (to: Export): void => {
  const text = to.lines
    .join("\n")
    .trim()
    .replace(/\n+---$/u, "")
  to.lines.length = 0
  if (text === "" || to.speaker === undefined) return
  if (to.speaker === "user") {
    to.answer = undefined
    Recording.say(to.recording, Message.user(text), to.place)
  } else answerWith(to, [Message.textBlock(text)])
}

const closeOpen = (to: Export): void => {
  const { open } = to
  if (open === undefined) return
  to.open = undefined
  if (open.kind === "thought") {
    return answerWith(to, [
      reasoning(
        open.lines
          .join("\n")
          .replaceAll(/<\/?(?:think|details)>|<summary>.*?<\/summary>/gu, "")
          .trim()
      )
    ])
  }
  const [first = "", ...rest] = open.lines.filter((line) => !/^<(?:tool-use|\/details|\/tool-use)/u.test(line))
  const call = callLine.exec(first)
  const lines = call === null ? [first, ...rest] : rest
  const trimmed = lines.join("\n").trim().split("\n")
  const [called, ...results] = messagesOf(
    { name: call?.[1] ?? open.name, shown: call?.[2], lines: trimmed },
    `call_${++to.calls}`
  )
  answerWith(to, called?.content ?? [])
  for (const message of results) Recording.say(to.recording, message, to.place)
  to.answer = undefined
}

const openOf = (line: string): Open | undefined => {
  const tool = toolOpening.exec(line)
  if (tool !== null) return { kind: "tool", name: tool[1] ?? "", lines: [line] }
  if (thoughtOpening.test(line)) return { kind: "thought", name: "", lines: [line] }
  const plain = callLine.exec(line)
  return plain === null ? undefined : { kind: "plain-tool", name: plain[1] ?? "", lines: [line] }
}

const isClosed = ({ kind, lines }: Open): boolean => {
  const last = lines.at(-1) ?? ""
  if (kind === "tool") return toolClosing.test(last)
  if (kind === "thought") return thoughtClosing.test(last)
  return lines.length > 1 && last === "```" && lines.filter((line) => fence.test(line)).length % 2 === 0
}

const takeLine = (to: Export, line: string, place: string): void => {
  if (to.open?.kind === "tool" || to.open?.kind === "thought") {
    to.open.lines.push(line)
    if (isClosed(to.open)) closeOpen(to)
    return
  }
  const speaker = heading.exec(line)?.[1]
  if (speaker !== undefined) {
    closeOpen(to)
    flush(to)
    to.speaker = speaker === "User" ? "user" : "assistant"
    to.place = place
    return
  }
  if (to.open !== undefined) {
    const fenced = to.open.lines.some((each) => fence.test(each))
    if (fenced || line.trim() === "" || fence.test(line)) {
      to.open.lines.push(line)
      if (isClosed(to.open)) closeOpen(to)
      return
    }
    closeOpen(to)
  }
  const open = to.speaker === "assistant" ? openOf(line) : undefined
  if (open === undefined) return void to.lines.push(line)
  flush(to)
  to.open = open
  if (isClosed(open)) closeOpen(to)
}

const reader = (options?: DecodeOptions): Reader => {
  const recording = Recording.make(options)
  const to: Export = {
    recording,
    speaker: undefined,
    place: "",
    lines: [],
    open: undefined,
    calls: 0,
    answer: undefined
  }
  let id = "session"
  let number = 0
  return {
    line: (given) => {
      number++
      const line = given.replace(/\r$/u, "")
      const name = to.speaker === undefined ? sessionComment.exec(line)?.[1] : undefined
      if (name === undefined) takeLine(to, line, `line ${number}`)
      else id = name
      return Either.void
    },
    end: () => {
      closeOpen(to)
      flush(to)
      return transcript(format.name, [{ recording, id, visible: "messages" }], options)
    }
  }
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = lineFormat({
  name: "specstory-md",
  description: "an export of SpecStory, Markdown that begins with <!-- Generated by SpecStory",
  recognises: (input) => /^\s*<!-- Generated by SpecStory/u.test(input.text),
  reader
})
