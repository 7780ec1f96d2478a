// Logs whose records name the record before them: a conversation may go back to an earlier place and on from there, and what
// was said in between is not seen any more. Only the places of records are held, since any of them may be gone on from.
import type * as Message from "../../session/Message.ts"
import * as Recording from "./Recording.ts"

/** A message's place in the recording, or a head that the tool put in front, as a negative number; `root` is before all. */
type Place = number

const root: Place = -1

const placeOfHead = (index: number): Place => -2 - index

export interface Tree {
  readonly recording: Recording.Recording
  /** for each record the newest place at or before it */
  readonly places: Map<string, Place>
  /** for each message the place before it */
  readonly before: Array<Place>
  readonly heads: Array<ReadonlyArray<Message.Message>>
  /** whether any record named another one; where none does, they follow each other */
  linked: boolean
  newest: Place
}

export const make = (recording: Recording.Recording): Tree => ({
  recording,
  places: new Map(),
  before: [],
  heads: [],
  linked: false,
  newest: root
})

/** Of a record that is not in the file the newest place is as good a guess as any. */
const placeOf = (tree: Tree, parent: unknown): Place => {
  const { newest, places } = tree
  if (typeof parent === "string") {
    tree.linked = true
    return places.get(parent) ?? newest
  }
  return parent === null && tree.linked ? root : newest
}

const put = ({ places }: Tree, id: unknown, place: Place): void => {
  if (typeof id === "string") places.set(id, place)
}

/** Whether a record of this id was read before: some writers write a line again. */
export const isKnown = ({ places }: Tree, id: unknown): boolean => typeof id === "string" && places.has(id)

/** A record that is no message, and may have messages behind it. */
export const pass = (tree: Tree, id: unknown, parent: unknown): void => put(tree, id, placeOf(tree, parent))

const isResult = ({ content }: Message.Message): boolean =>
  content.length > 0 && content.every((block) => block.type === "tool-result")

/** Whether nothing but results was said behind the place: those of parallel calls come in any order, each behind its call. */
const isNewest = ({ before, newest, recording }: Tree, place: Place): boolean => {
  let at = newest
  while (at > place && at >= 0) {
    const placed = recording.messages[at]
    if (placed === undefined || !isResult(placed.message)) return false
    at = before[at] ?? root
  }
  return at === place
}

const seen = ({ before, heads, recording }: Tree, place: Place): ReadonlyArray<Message.Message> => {
  const found: Array<Message.Message> = []
  let at = place
  for (; at >= 0; at = before[at] ?? root) {
    const placed = recording.messages[at]
    if (placed !== undefined) found.push(placed.message)
  }
  return [...(at === root ? [] : (heads[-2 - at] ?? [])), ...found.toReversed()]
}

/** Says a message behind the record `parent`. */
export const say = (
  tree: Tree,
  message: Message.Message,
  { id, parent, place }: { readonly id: unknown; readonly parent: unknown; readonly place: string }
): number => {
  const { recording } = tree
  const from = placeOf(tree, parent)
  // a result belongs to its call, however late it comes
  if (from !== tree.newest && !isResult(message) && !isNewest(tree, from)) {
    Recording.seenAs(recording, seen(tree, from))
    Recording.remark(recording, place, "the conversation went back and on from an earlier place")
    tree.newest = from
  }
  const at = Recording.say(recording, message, place)
  tree.before[at] = tree.newest
  tree.newest = at
  put(tree, id, at)
  return at
}

interface Compacted {
  readonly id: unknown
  /** the first message that stays, by its place in the recording */
  readonly keptFrom?: number | undefined
}

/** The tool compacted: from here on the model sees `head`, and of what it saw the messages from `keptFrom`. */
export const compacted = (tree: Tree, head: ReadonlyArray<Message.Message>, { id, keptFrom }: Compacted): void => {
  const { recording } = tree
  const given = head.map((message) => Recording.kept(recording, message))
  const first = keptFrom === undefined ? undefined : recording.messages[keptFrom]?.message
  const all = first === undefined ? [] : seen(tree, tree.newest)
  const tail = first === undefined || !all.includes(first) ? [] : all.slice(all.indexOf(first))
  const whole = [...given, ...tail]
  // messages that stand in the recording in one go to its end are told by where they begin
  if (keptFrom !== undefined && tail.length === recording.messages.length - keptFrom) {
    Recording.seenAs(recording, given, keptFrom)
  } else Recording.seenAs(recording, whole)
  tree.heads.push(whole)
  tree.newest = placeOfHead(tree.heads.length - 1)
  put(tree, id, tree.newest)
}
