// What the model saw of a session of this library's own, told as the compactions of a transcript: after each run of
// replacements what stands in front, and from where on the messages are those that were said.
import * as Either from "effect/Either"
import type { Message } from "../../session/Message.ts"
import type * as SessionEvent from "../../session/SessionEvent.ts"
import * as SurfaceState from "../../session/SurfaceState.ts"
import type { Compaction } from "../Transcript.ts"

export interface SeenSurface {
  /** a message was said, the newest of all */
  readonly said: (node: SurfaceState.Node) => void
  /** gives what is wrong with the replacement, if anything is */
  readonly replaced: (span: SessionEvent.Replaces, node: SurfaceState.Node) => string | undefined
  /** places are those among all messages that were said */
  readonly compactions: () => ReadonlyArray<Compaction>
}

export const make = (): SeenSurface => {
  const said: Array<Message> = []
  const compactions: Array<Compaction> = []
  let seen = SurfaceState.empty(0)
  // replacements that follow each other are one compaction: a prune cuts many results at once
  let open = false

  const close = (): void => {
    if (!open) return
    open = false
    const now = SurfaceState.messages(seen)
    let same = 0
    while (same < now.length && now.at(-1 - same) === said.at(-1 - same)) same++
    compactions.push({ at: said.length, head: now.slice(0, now.length - same), keptFrom: said.length - same })
  }

  return {
    said: (node) => {
      close()
      said.push(node.message)
      seen = Either.getOrElse(SurfaceState.append(seen, node), () => seen)
    },
    replaced: (span, node) => {
      const next = SurfaceState.replace(seen, [{ ...span, node }])
      if (Either.isLeft(next)) return next.left.detail
      open = true
      seen = next.right
      return undefined
    },
    compactions: () => {
      close()
      return compactions
    }
  }
}
