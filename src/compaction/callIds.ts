/**
 * Ids of the calls of one answer. Some servers give the same id to two calls, or none at all, and a result could not tell
 * which call it answers.
 *
 * @since 0.1.0
 */
import type { OpenCall } from "../session/Message.ts"

const base = (id: string): string => (id === "" ? "call" : id)

/**
 * The id of a call of an answer whose earlier calls have the ids `taken`: its own, or that with a number behind it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const freeId = (id: string, taken: { readonly has: (id: string) => boolean }): string => {
  if (id !== "" && !taken.has(id)) return id
  let free = base(id)
  for (let n = 2; taken.has(free); n++) free = `${base(id)}_${n}`
  return free
}

/**
 * The first of the open calls that a result with this id answers: the call of that id, else one that was given another
 * for it.
 *
 * @since 0.1.0
 * @category getters
 */
export const answeredBy = (id: string, open: Iterable<OpenCall>): OpenCall | undefined => {
  const calls = [...open]
  const renamed = (call: OpenCall) =>
    (id === "" && call.id === base(id)) ||
    (call.id.startsWith(`${base(id)}_`) && /^\d+$/.test(call.id.slice(base(id).length + 1)))
  return calls.find((call) => call.id === id) ?? calls.find(renamed)
}
