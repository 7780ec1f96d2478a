/**
 * Makes the pairs of tool calls and results whole, whatever a file holds. Every decoder ends with it.
 *
 * @since 0.1.0
 */
import * as Message from "../session/Message.ts"
import * as WholePairs from "./internal/wholePairs.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Repaired {
  readonly messages: ReadonlyArray<Message.Message>
  /** one sentence for each thing that was mended, in the order of the messages */
  readonly notes: ReadonlyArray<string>
  /**
   * where the place of a message of the list is now: the first message of the outcome that stems from it or from one
   * behind it, results apart, since those follow their calls
   */
  readonly placeOf: (index: number) => number
}

/**
 * What stands in for a result that was not recorded.
 *
 * @since 0.1.0
 * @category constants
 */
export const missingResult = "no result was recorded"

/** A call, and the place for its result. */
interface Slot {
  readonly call: Message.ToolCallBlock
  readonly entry: Entry
  readonly place: number
  result?: Message.Message
}

/** Slots in their order, of which those before `next` have their results. */
interface Queue {
  readonly slots: Array<Slot>
  next: number
}

/** One message of the outcome that is not a result; its results follow it. */
interface Entry {
  readonly message: Message.Message
  readonly index: number
  readonly all: Queue
  /** of `all` those of each tool; made when it is first asked for, which results without an id do */
  byName: Map<string, Queue> | undefined
  highestAnswered: number
}

interface State {
  readonly entries: Array<Entry>
  /** those with calls that may wait; the newest at the end */
  readonly calling: Array<Entry>
  /** by recorded id, the slots of each message; the newest message at the end */
  readonly byId: Map<string, Array<Queue>>
  readonly answered: Map<string, Slot>
  /** ids that no call may be given; made when the first one is given */
  ids: Set<string> | undefined
  readonly messages: ReadonlyArray<Message.Message>
  readonly usedIds: Set<string>
  /** for each id that was given again, the number to go on from */
  readonly counts: Map<string, number>
  readonly note: (index: number, text: string) => void
}

const isCall = (block: Message.Block): block is Message.ToolCallBlock => block.type === "tool-call"
const isResult = (block: Message.Block): block is Message.ToolResultBlock => block.type === "tool-result"

const idsIn = (messages: ReadonlyArray<Message.Message>): Set<string> =>
  new Set(messages.flatMap((message) => Message.toolCalls(message).map((call) => call.id)))

const freeId = (state: State, base: string): string => {
  const ids = (state.ids ??= idsIn(state.messages))
  let count = state.counts.get(base) ?? 2
  while (ids.has(`${base}_${count}`)) count++
  state.counts.set(base, count + 1)
  const id = `${base}_${count}`
  ids.add(id)
  return id
}

const push = (state: State, index: number, message: Message.Message): Entry => {
  const entry: Entry = { message, index, all: { slots: [], next: 0 }, byName: undefined, highestAnswered: -1 }
  state.entries.push(entry)
  return entry
}

/** The first that waits. What has its result is passed once, so that a thousand parallel calls are no thousand looks each. */
const firstOf = (queue: Queue | undefined): Slot | undefined => {
  if (queue === undefined) return undefined
  while (queue.slots[queue.next]?.result !== undefined) queue.next++
  return queue.slots[queue.next]
}

/** The first that waits in the newest of these that has any. */
const newestOf = <A>(from: Array<A>, queueOf: (each: A) => Queue): A | undefined => {
  for (let newest = from.at(-1); newest !== undefined; newest = from.at(-1)) {
    if (firstOf(queueOf(newest)) !== undefined) return newest
    from.pop()
  }
  return undefined
}

const waiting = (state: State, id: string): Slot | undefined =>
  firstOf(newestOf(state.byId.get(id) ?? [], (queue) => queue))

const byName = ({ slots }: Queue): Map<string, Queue> => {
  const queues = new Map<string, Queue>()
  for (const slot of slots) {
    const queue = queues.get(slot.call.name)
    if (queue === undefined) queues.set(slot.call.name, { slots: [slot], next: 0 })
    else queue.slots.push(slot)
  }
  return queues
}

const withContent = (message: Message.Message, content: ReadonlyArray<Message.Block>): Message.Message =>
  content === message.content ? message : { ...message, content }

// The slot that a result belongs to. Ids come back in some files, so the newest call that waits under this id has it,
// and of two in one message the first. A result or a call without an id pairs by its place.
const slotFor = (state: State, result: Message.ToolResultBlock): Slot | undefined => {
  const found = waiting(state, result.id) ?? waiting(state, "")
  if (found !== undefined || result.id !== "") return found
  const entry = newestOf(state.calling, ({ all }) => all)
  if (entry === undefined) return undefined
  return firstOf((entry.byName ??= byName(entry.all)).get(result.name)) ?? firstOf(entry.all)
}

const answer = (state: State, index: number, slot: Slot, result: Message.ToolResultBlock, from: Message.Message) => {
  const { call, entry } = slot
  const unchanged = result.id === call.id && result.name !== "" && from.role === "tool" && from.content.length === 1
  slot.result = unchanged
    ? from
    : {
        ...from,
        role: "tool",
        content: [{ ...result, id: call.id, name: result.name === "" ? call.name : result.name }]
      }
  state.answered.set(result.id, slot)
  if (result.id === "") state.note(index, `a result of "${call.name}" has no id; it was paired by its place`)
  if (entry !== state.entries.at(-1)) {
    state.note(index, `the result of call "${call.id}" stood apart from its call and was moved up to it`)
  } else if (slot.place < entry.highestAnswered) {
    state.note(index, `the result of call "${call.id}" came after that of a later call; it was put in call order`)
  }
  entry.highestAnswered = Math.max(entry.highestAnswered, slot.place)
}

const keepAsText = (
  state: State,
  index: number,
  result: Message.ToolResultBlock,
  from: Message.Message,
  why: string
) => {
  const name = result.name === "" ? "an unnamed tool" : result.name
  const heading = Message.textBlock(`[${why}: ${name}${result.id === "" ? "" : `, ${result.id}`}]\n`)
  push(state, index, { ...from, role: "user", content: [heading, ...result.content] })
}

const takeResult = (state: State, index: number, result: Message.ToolResultBlock, from: Message.Message) => {
  const slot = slotFor(state, result)
  if (slot !== undefined) return answer(state, index, slot, result, from)
  const earlier = state.answered.get(result.id)?.result
  if (earlier === undefined) {
    state.note(index, `the result "${result.id}" has no call before it and was kept as the user's text`)
    return keepAsText(state, index, result, from, "result of a tool call that is not in this transcript")
  }
  const [first] = Message.toolResults(earlier)
  if (JSON.stringify(first?.content) === JSON.stringify(result.content)) {
    return state.note(index, `the result of call "${result.id}" stands there twice; the second one was left out`)
  }
  state.note(index, `call "${result.id}" has a second, different result, which was kept as the user's text`)
  keepAsText(state, index, result, from, "second result of a tool call")
}

// Gives each call an id that no other call has: two calls under one id cannot be told apart later.
const identified = (state: State, index: number, call: Message.ToolCallBlock): Message.ToolCallBlock => {
  if (call.id !== "" && !state.usedIds.has(call.id)) {
    state.usedIds.add(call.id)
    return call
  }
  const id = freeId(state, call.id === "" ? "call" : call.id)
  state.usedIds.add(id)
  state.note(
    index,
    call.id === ""
      ? `a call of "${call.name}" has no id; it was named "${id}"`
      : `the call id "${call.id}" is used again; this call was named "${id}"`
  )
  return { ...call, id }
}

/** The calls of one message under one id wait in one queue. */
const waitFor = (state: State, id: string, slot: Slot): void => {
  const queues = state.byId.get(id)
  const newest = queues?.at(-1)
  if (newest?.slots[0]?.entry === slot.entry) newest.slots.push(slot)
  else if (queues === undefined) state.byId.set(id, [{ slots: [slot], next: 0 }])
  else queues.push({ slots: [slot], next: 0 })
}

const takeAssistant = (state: State, index: number, message: Message.Message) => {
  const recordedIds: Array<string> = []
  let changed = false
  const content = message.content
    .filter((block) => !isResult(block))
    .map((block) => {
      if (!isCall(block)) return block
      const call = identified(state, index, block)
      changed ||= call !== block
      recordedIds.push(block.id)
      return call
    })
  const same = !changed && content.length === message.content.length
  const entry = push(state, index, withContent(message, same ? message.content : content))
  for (const [place, call] of Message.toolCalls(entry.message).entries()) {
    const slot: Slot = { call, entry, place }
    entry.all.slots.push(slot)
    waitFor(state, recordedIds[place] ?? call.id, slot)
  }
  if (entry.all.slots.length > 0) state.calling.push(entry)
}

const callAsText = (call: Message.ToolCallBlock): Message.TextBlock =>
  Message.textBlock(`[tool call ${call.id}: ${call.name}(${JSON.stringify(call.arguments) ?? ""})]`)

// What a user or tool message holds beside results: the user's words.
const takeWords = (state: State, index: number, message: Message.Message) => {
  const words = message.content.filter((block) => !isResult(block))
  const called = words.some(isCall)
  if (called) state.note(index, "a tool call that is not the assistant's was kept as text")
  if (message.role === "tool")
    state.note(index, "a tool message holds more than results; that was kept as the user's text")
  const same = message.role === "user" && words.length === message.content.length && !called
  push(
    state,
    index,
    same
      ? message
      : { ...message, role: "user", content: words.map((block) => (isCall(block) ? callAsText(block) : block)) }
  )
}

const take = (state: State, index: number, message: Message.Message) => {
  if (Message.isEmpty(message)) return state.note(index, `an empty ${message.role} message was left out`)
  const results = Message.toolResults(message)
  const speaks =
    results.length === 0 ||
    !Message.isEmpty({ ...message, content: message.content.filter((block) => !isResult(block)) })
  // an assistant's words come before results inside it, and a user's answers to calls before what the user adds
  if (speaks && message.role === "assistant") takeAssistant(state, index, message)
  for (const result of results) takeResult(state, index, result, message)
  if (speaks && message.role !== "assistant") takeWords(state, index, message)
}

const resultsOf = (state: State, entry: Entry): ReadonlyArray<Message.Message> =>
  entry.all.slots.map(({ call, result }) => {
    if (result !== undefined) return result
    state.note(entry.index, `call "${call.id}" of "${call.name}" has no result; an error result was put in`)
    return Message.toolResult({ id: call.id, name: call.name, content: missingResult, isError: true })
  })

/**
 * The same conversation with whole pairs: one result a tool message, right behind the call and in call order, no call
 * without a result and no result without a call, each call id used once. Nothing that was said is lost: what cannot be
 * a result becomes the user's text; only empty messages and results that stand there twice are left out. What is whole
 * already comes back as it is, without a note.
 *
 * `where` names a message by its index in the notes; by default "message 1" is the first.
 *
 * @since 0.1.0
 * @category combinators
 */
export const repairPairs = (
  messages: ReadonlyArray<Message.Message>,
  where: (index: number) => string = (index) => `message ${index + 1}`
): Repaired => {
  if (WholePairs.areWhole(messages)) return { messages, notes: [], placeOf: WholePairs.placesIn(messages) }
  const notes: Array<{ readonly index: number; readonly text: string }> = []
  const state: State = {
    entries: [],
    calling: [],
    byId: new Map(),
    answered: new Map(),
    ids: undefined,
    messages,
    usedIds: new Set(),
    counts: new Map(),
    note: (index, text) => void notes.push({ index, text: `${where(index)}: ${text}` })
  }
  for (const [index, message] of messages.entries()) take(state, index, message)
  const repaired: Array<Message.Message> = []
  const starts: Array<number> = []
  for (const entry of state.entries) {
    while (starts.length <= entry.index) starts.push(repaired.length)
    repaired.push(entry.message)
    for (const result of resultsOf(state, entry)) repaired.push(result)
  }
  return {
    messages: repaired,
    notes: notes.sort((a, b) => a.index - b.index).map((note) => note.text),
    placeOf: (index) => starts[index] ?? repaired.length
  }
}
