// The surface while a log is read: messages by seq, in surface order. A span is found through an index, since a long log
// holds many replacements.
import type { Message } from "../../session/Message.ts"
import type { Replaces } from "../../session/SessionEvent.ts"

interface Nodes {
  seqs: Array<number>
  messages: Array<Message>
  readonly place: Map<number, number>
}

export const empty = (): Nodes => ({ seqs: [], messages: [], place: new Map() })

export const append = (nodes: Nodes, seq: number, message: Message): void => {
  nodes.place.set(seq, nodes.seqs.length)
  nodes.seqs.push(seq)
  nodes.messages.push(message)
}

/** False, and nothing changed, where the span is not on the surface. */
export const replace = (nodes: Nodes, { first, last }: Replaces, seq: number, message: Message): boolean => {
  const from = nodes.place.get(first)
  const to = nodes.place.get(last)
  if (from === undefined || to === undefined || from > to) return false
  for (const shadowed of nodes.seqs.slice(from, to + 1)) nodes.place.delete(shadowed)
  if (from === to) {
    nodes.seqs[from] = seq
    nodes.messages[from] = message
    nodes.place.set(seq, from)
    return true
  }
  nodes.seqs = [...nodes.seqs.slice(0, from), seq, ...nodes.seqs.slice(to + 1)]
  nodes.messages = [...nodes.messages.slice(0, from), message, ...nodes.messages.slice(to + 1)]
  for (let index = from; index < nodes.seqs.length; index++) nodes.place.set(nodes.seqs[index] ?? seq, index)
  return true
}

export const messages = (nodes: Nodes): ReadonlyArray<Message> => nodes.messages
