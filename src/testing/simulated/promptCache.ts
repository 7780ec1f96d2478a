/**
 * The prefix cache of a provider: how much of a prompt an earlier one of the same model began with.
 *
 * @since 0.1.0
 */

/**
 * A part of a prompt, counted: its tokens, and what it weighs with its framing. Two parts with one key are the same.
 *
 * @since 0.1.0
 * @category models
 */
export interface CountedPart {
  readonly key: string
  readonly tokens: ReadonlyArray<number>
  readonly size: number
}

/**
 * `common` is the length of the longest common prefix with any prompt that was remembered, in tokens.
 *
 * @since 0.1.0
 * @category models
 */
export interface PromptCache {
  readonly common: (model: string, prompt: ReadonlyArray<CountedPart>) => number
  readonly remember: (model: string, prompt: ReadonlyArray<CountedPart>) => void
}

interface Follower {
  readonly part: CountedPart
  readonly next: Followers
}

/** What followed the same beginning, by key. */
type Followers = Map<string, Follower>

const commonLength = (a: ReadonlyArray<number>, b: ReadonlyArray<number>) => {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (): PromptCache => {
  const models = new Map<string, Followers>()
  return {
    common: (model, prompt) => {
      let followers = models.get(model)
      let length = 0
      for (const part of prompt) {
        const same = followers?.get(part.key)
        if (same === undefined) {
          const starts = [...(followers?.values() ?? [])].map((other) => commonLength(part.tokens, other.part.tokens))
          return length + Math.max(0, ...starts)
        }
        length += part.size
        followers = same.next
      }
      return length
    },
    remember: (model, prompt) => {
      let followers = models.get(model)
      if (followers === undefined) models.set(model, (followers = new Map()))
      for (const part of prompt) {
        let same: Follower | undefined = followers.get(part.key)
        if (same === undefined) followers.set(part.key, (same = { part, next: new Map() }))
        followers = same.next
      }
    }
  }
}
