// Reads a log as somebody would who knows the format and nothing of the library's fold.
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { LogStore, Message, SessionEvent } from "../../src/index.ts"

export type Event = SessionEvent.SessionEvent

/** All events that the store holds of a session. Nothing is written; the session must be closed. */
export const readLog = (store: typeof LogStore.LogStore.Service, id: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const log = yield* store.open(id)
      const batches = yield* Stream.runCollect(log.read(0))
      return Chunk.toArray(batches).flatMap((batch) => batch.events as ReadonlyArray<Event>)
    })
  )

export interface Entry {
  readonly seq: number
  readonly message: Message.Message
}

const messageOf = (event: Event): Message.Message | undefined => {
  switch (event.type) {
    case "message/user":
      return event.data.message
    case "message/assistant":
      return event.data.message.content.every((block) => block.type === "text" && block.text === "")
        ? undefined
        : event.data.message
    case "message/tool-result": {
      const { callId, content, isError, name } = event.data
      return {
        role: "tool",
        content: [{ type: "tool-result", id: callId, name, content, ...(isError === undefined ? {} : { isError }) }]
      }
    }
    default:
      return undefined
  }
}

/** A replacement, and whether what it names stood there, side by side and in this order. */
export interface Landing {
  readonly seq: number
  readonly sources: ReadonlyArray<number>
  readonly stood: boolean
}

/** The surface by splicing, one event after the other. */
export const foldLog = (events: ReadonlyArray<Event>) => {
  const surface: Array<Entry> = []
  const landings: Array<Landing> = []
  for (const event of events) {
    const message = messageOf(event)
    if (message === undefined) continue
    const entry = { seq: event.seq, message }
    const replaces = "replaces" in event.data ? event.data.replaces : undefined
    if (replaces === undefined) {
      surface.push(entry)
      continue
    }
    const from = surface.findIndex(({ seq }) => seq === replaces.first)
    const to = surface.findIndex(({ seq }) => seq === replaces.last)
    const there = surface.slice(from, to + 1).map(({ seq }) => seq)
    const stood = from >= 0 && to >= from && JSON.stringify(there) === JSON.stringify(replaces.sources)
    landings.push({ seq: event.seq, sources: replaces.sources, stood })
    surface.splice(from, to - from + 1, entry)
  }
  return { surface, generation: landings.length, landings }
}

/** What is wrong with the pairs of a request; undefined: nothing. */
export const brokenPair = (messages: ReadonlyArray<Message.Message>): string | undefined => {
  let open: Array<string> = []
  for (const [place, message] of messages.entries()) {
    const calls = message.content.filter((block) => block.type === "tool-call")
    const results = message.content.filter((block) => block.type === "tool-result")
    if (message.role !== "tool") {
      if (open.length > 0) return `message ${place} comes before the results of ${open.join(", ")}`
      if (results.length > 0) return `message ${place} of the ${message.role} holds a result`
      if (calls.length > 0 && message.role === "user") return `message ${place} of the user calls a tool`
      open = calls.map((call) => call.id)
      continue
    }
    for (const { id } of results) {
      if (!open.includes(id)) return `message ${place} answers ${id}, which is not open`
      open.splice(open.indexOf(id), 1)
    }
  }
  return open.length === 0 ? undefined : `no result for ${open.join(", ")}`
}

/** What a log leaves open, or closes twice; undefined: nothing. A suspended turn's calls wait and are not open. */
export const unsettled = (events: ReadonlyArray<Event>): string | undefined => {
  let turn: number | undefined
  let step: number | undefined
  let compaction: string | undefined
  let suspended = false
  for (const event of events) {
    const at = `seq ${event.seq}: ${event.type}`
    switch (event.type) {
      case "turn/start":
        if (turn !== undefined) return `${at} while turn ${turn} is open`
        turn = event.data.turn
        suspended = false
        break
      case "turn/end":
        if (turn !== event.data.turn) return `${at} of a turn that is not open`
        if (step !== undefined) return `${at} while step ${step} is open`
        turn = undefined
        suspended = event.data.outcome === "suspended"
        break
      case "step/start":
        if (step !== undefined) return `${at} while step ${step} is open`
        step = event.data.step
        break
      case "step/end":
        if (step !== event.data.step) return `${at} of a step that is not open`
        step = undefined
        break
      case "compaction/start":
        if (compaction !== undefined) return `${at} while compaction ${compaction} is open`
        compaction = event.data.id
        break
      case "compaction/end":
        if (compaction !== event.data.id) return `${at} of a compaction that is not open`
        compaction = undefined
        break
    }
  }
  if (turn !== undefined) return `turn ${turn} is open at the end`
  if (step !== undefined) return `step ${step} is open at the end`
  if (compaction !== undefined) return `compaction ${compaction} is open at the end`
  return suspended ? undefined : brokenPair(foldLog(events).surface.map(({ message }) => message))
}
