/**
 * What was said in a chat, folded from its log: everything, and not what a compaction put in its place.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import type { Draft } from "../compaction/drafts.ts"
import * as CanonicalJson from "../session/CanonicalJson.ts"
import type { Seq } from "../session/Ids.ts"
import * as Message from "../session/Message.ts"
import * as SessionEvent from "../session/SessionEvent.ts"
import type * as SurfaceState from "../session/SurfaceState.ts"
import { chatNoteOf, keptOf, noting, optionsOf } from "./promptKept.ts"
import * as PromptMessage from "./PromptMessage.ts"

/**
 * One message of a prompt as messages of the log. A system message is none of ours: one that holds nothing carries it, so
 * that it keeps its place.
 *
 * @since 0.1.0
 * @category conversions
 */
export const logged = (message: Prompt.Message, asked: boolean): ReadonlyArray<Message.Message> => {
  const note = asked ? { asked } : {}
  if (message.role === "system") {
    return [noting(Message.user([]), { ...note, system: { content: message.content, ...optionsOf(message.options) } })]
  }
  const messages = PromptMessage.decodeMessage(message).filter(({ content }) => content.length > 0)
  return asked ? messages.map((one) => noting(one, note)) : messages
}

/** Of a result that nobody brought, in a call that has no answer yet. */
export const askedMetadata = noting(Message.user([]), { asked: true }).metadata

/**
 * What stands for an edit of the past: of what was said before it so many messages stay.
 *
 * @since 0.1.0
 * @category constructors
 */
export const editMark = (keep: number, gone: number): Message.Message =>
  noting(Message.user([]), gone === 0 ? { keep } : { keep, gone })

const isSame = (a: Prompt.Message, b: Prompt.Message): boolean => {
  if (a === b) return true
  if (a.role !== b.role) return false
  const form = (message: Prompt.Message) => CanonicalJson.encode(logged(message, false))
  return form(a) === form(b)
}

/**
 * How many messages two conversations begin with in common.
 *
 * @since 0.1.0
 * @category getters
 */
export const inCommon = (a: ReadonlyArray<Prompt.Message>, b: ReadonlyArray<Prompt.Message>): number => {
  let length = 0
  while (length < a.length && length < b.length && isSame(a[length]!, b[length]!)) length++
  return length
}

/**
 * Which messages of the history a node stands for: from one place up to, not including, another.
 *
 * @since 0.1.0
 * @category models
 */
export interface Place {
  readonly from: number
  readonly to: number
}

interface Entry {
  readonly messages: Array<Message.Message>
  encoded: ReadonlyArray<Prompt.Message> | undefined
}

/** Blocks of another provider's own are nothing that a prompt can hold. */
const isSaid = (message: Message.Message): boolean =>
  message.content.some((block) => block.type !== "unknown") || PromptMessage.encodeMessages([message]).length > 0

type Event = (SessionEvent.SessionEvent | SessionEvent.SkippedEvent) | (Draft & { readonly seq: Seq })

const isSurface = (event: Event): event is SessionEvent.SurfaceBody & { readonly seq: Seq } =>
  event.type !== "skipped" && SessionEvent.isSurfaceBody(event as SessionEvent.Body)

/**
 * The fold. Mutable: it lives as long as a chat, and takes in events as they are written.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = () => {
  const entries: Array<Entry> = []
  const places = new Map<Seq, Place>()
  /** from here on what was said waits for its answer */
  let answered = 0
  let isNew = true

  const cut = (seq: Seq, keep: number) => {
    entries.length = Math.min(entries.length, keep)
    answered = entries.length
    places.set(seq, { from: entries.length, to: entries.length })
  }

  const replaced = (seq: Seq, sources: ReadonlyArray<Seq>) => {
    const known = sources.flatMap((source) => places.get(source) ?? [])
    for (const source of sources) places.delete(source)
    places.set(seq, {
      from: Math.min(entries.length, ...known.map(({ from }) => from)),
      to: Math.max(0, ...known.map(({ to }) => to))
    })
  }

  const said = (seq: Seq, message: Message.Message) => {
    const note = chatNoteOf(message)
    const last = entries.at(-1)
    if (message.role === "tool" && keptOf(message).continues === true && last?.messages[0]?.role === "tool") {
      last.messages.push(message)
      last.encoded = undefined
    } else if (note.system !== undefined || isSaid(message)) {
      entries.push({ messages: [message], encoded: undefined })
    }
    places.set(seq, { from: Math.max(entries.length - 1, 0), to: entries.length })
    if (note.asked !== true) answered = entries.length
  }

  const encodedOf = (entry: Entry): ReadonlyArray<Prompt.Message> => {
    const { system } = chatNoteOf(entry.messages[0]!)
    return (entry.encoded ??=
      system === undefined
        ? PromptMessage.encodeMessages(entry.messages)
        : [Prompt.makeMessage("system", { content: system.content, options: system.options ?? {} })])
  }

  return {
    take: (event: Event): void => {
      if (!isSurface(event)) return
      isNew = false
      const message = SessionEvent.messageOf(event)
      const { keep } = chatNoteOf(message)
      if (keep !== undefined) cut(event.seq, keep)
      else if (event.data.replaces !== undefined) replaced(event.seq, event.data.replaces.sources)
      else if (event.type === "message/user" && event.data.source === "checkpoint") replaced(event.seq, [])
      else said(event.seq, message)
    },
    /** Nothing was ever said. */
    isNew: () => isNew,
    /** What was said and answered, or said outside of a call. */
    messages: (): ReadonlyArray<Prompt.Message> => entries.slice(0, answered).flatMap(encodedOf),
    /** What was said in the newest call, which has no answer. */
    unanswered: (): ReadonlyArray<Prompt.Message> => entries.slice(answered).flatMap(encodedOf),
    placeOf: (seq: Seq): Place | undefined => places.get(seq)
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export type ChatHistory = ReturnType<typeof make>

const isReasoning = (block: Message.Block): boolean => block.type === "reasoning"

/** Stands where a block stood, so that the others keep their places, and is nothing that a prompt can hold. */
const dropped: Message.Block = { type: "unknown", value: null }

/**
 * The messages of a surface for a model that binds its reasoning to all that stands before it: what was made before
 * something before it was replaced no longer holds, and is left out.
 *
 * @since 0.1.0
 * @category conversions
 */
export const withoutStaleReasoning = (nodes: ReadonlyArray<SurfaceState.Node>): ReadonlyArray<Message.Message> => {
  let newest = -1
  return nodes.map(({ message, seq }) => {
    const isStale = newest > seq
    newest = Math.max(newest, seq)
    return isStale && message.content.some(isReasoning)
      ? { ...message, content: message.content.map((block) => (isReasoning(block) ? dropped : block)) }
      : message
  })
}

/**
 * The prompt of a request: what stands on the surface, and the system messages where they were said; those whose place was
 * summarised stand before all else.
 *
 * @since 0.1.0
 * @category conversions
 */
export const render = (
  surface: ReadonlyArray<Message.Message>,
  system: ReadonlyArray<Prompt.SystemMessage>
): Prompt.Prompt => {
  const slots: Array<Message.Message> = []
  for (const message of surface) {
    const { gone = 0, keep } = chatNoteOf(message)
    if (keep === undefined) slots.push(message)
    for (let left = gone; left > 0; left--) {
      const last = slots.at(-1)
      if (last === undefined || !Message.isEmpty(last)) break
      slots.pop()
    }
  }
  const inPlace = slots.filter((message) => chatNoteOf(message).system !== undefined).length
  const before = system.slice(0, Math.max(system.length - inPlace, 0))
  const rest = system.slice(before.length)
  const messages: Array<Prompt.Message> = [...before]
  let run: Array<Message.Message> = []
  for (const message of slots) {
    if (chatNoteOf(message).system === undefined) {
      run.push(message)
      continue
    }
    messages.push(...PromptMessage.encodeMessages(run))
    run = []
    const next = rest.shift()
    if (next !== undefined) messages.push(next)
  }
  return Prompt.fromMessages([...messages, ...PromptMessage.encodeMessages(run)])
}
