/**
 * Remembers conversations by what they began with, so that one that is sent whole again and again costs what is new in it.
 *
 * @since 0.1.0
 */
import type { Message } from "../session/Message.ts"

/**
 * The best that is known of a conversation:
 *
 * - `conversation`: one that took in its first `length` messages and nothing else.
 * - `checkpoint`: the message that stands for its first `length` messages.
 *
 * @since 0.1.0
 * @category models
 */
export type Found<C> =
  | { readonly _tag: "conversation"; readonly length: number; readonly conversation: C }
  | { readonly _tag: "checkpoint"; readonly length: number; readonly message: Message }

/**
 * `chain` and `name` are those of `messageChain`.
 *
 * @since 0.1.0
 * @category models
 */
export interface PrefixMemory<C> {
  /**
   * Gives out what covers most of the chain. A conversation is given to one caller, and is nobody else's until it is kept
   * again: who comes meanwhile starts from a checkpoint.
   */
  readonly take: (chain: ReadonlyArray<string>) => Found<C> | undefined
  /** Keeps a conversation that took in what `name` covers. Answers those that have to go for it. */
  readonly keep: (name: string, conversation: C) => ReadonlyArray<C>
  /** Keeps the message that stands for what `name` covers. */
  readonly learn: (name: string, checkpoint: Message) => void
  readonly size: () => { readonly conversations: number; readonly checkpoints: number }
}

/** A conversation has a few checkpoints that may still be of use: one a fork. */
const checkpointsEach = 8

/** The oldest entries beyond `most`, taken out. */
const shed = <V>(map: Map<string, V>, most: number): ReadonlyArray<V> => {
  const gone: Array<V> = []
  for (const [key, value] of map) {
    if (map.size <= most) break
    map.delete(key)
    gone.push(value)
  }
  return gone
}

/** The newest entry stands last. */
const renew = <V>(map: Map<string, V>, key: string, value: V) => {
  map.delete(key)
  map.set(key, value)
}

const longest = <V>(
  map: ReadonlyMap<string, V>,
  chain: ReadonlyArray<string>
): { readonly at: number; readonly value: V } | undefined => {
  for (let at = chain.length - 1; at > 0; at--) {
    const value = map.get(chain[at]!)
    if (value !== undefined) return { at, value }
  }
  return undefined
}

/**
 * `conversations`: how many are kept, the ones that were used last, and with each the room for eight checkpoints.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <C>(conversations: number): PrefixMemory<C> => {
  const resting = new Map<string, C>()
  const checkpoints = new Map<string, Message>()
  return {
    take: (chain) => {
      const whole = longest(resting, chain)
      const part = longest(checkpoints, chain)
      // a checkpoint beyond what a conversation took in stands for more of it
      if (part !== undefined && part.at > (whole?.at ?? 0)) {
        renew(checkpoints, chain[part.at]!, part.value)
        return { _tag: "checkpoint", length: part.at, message: part.value }
      }
      if (whole === undefined) return undefined
      resting.delete(chain[whole.at]!)
      return { _tag: "conversation", length: whole.at, conversation: whole.value }
    },
    keep: (name, conversation) => {
      // two that were sent at once and are the same: the one that ends last is kept
      const same = resting.get(name)
      renew(resting, name, conversation)
      return [...(same === undefined ? [] : [same]), ...shed(resting, conversations)]
    },
    learn: (name, checkpoint) => {
      renew(checkpoints, name, checkpoint)
      shed(checkpoints, conversations * checkpointsEach)
    },
    size: () => ({ conversations: resting.size, checkpoints: checkpoints.size })
  }
}
