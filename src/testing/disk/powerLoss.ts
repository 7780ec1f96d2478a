/**
 * What a power loss leaves of the changes that were asked of a disk.
 *
 * @since 0.1.0
 */
import { PCGRandom } from "effect/Utils"
import type { Change, Inode } from "./diskImage.ts"

/** Which changes a later sync of their file, or of the folders whose names they are, has made durable. */
const durable = (changes: ReadonlyArray<Change>): ReadonlyArray<boolean> => {
  const synced = new Set<Inode>()
  return changes
    .toReversed()
    .map((change) => {
      switch (change._tag) {
        case "Sync":
          synced.add(change.inode)
          return true
        // a file without a name is not there
        case "Make":
          return true
        case "Entries":
          return change.entries.every(({ directory }) => synced.has(directory))
        default:
          return synced.has(change.inode)
      }
    })
    .toReversed()
}

const partOf = (change: Extract<Change, { readonly _tag: "Write" }>, random: PCGRandom): ReadonlyArray<Change> => {
  const { at, bytes, inode } = change
  const from = random.integer(2) === 0 ? 0 : random.integer(bytes.length + 1)
  const to = from + random.integer(bytes.length - from + 1)
  const part: Change = { ...change, at: at + from, bytes: bytes.subarray(from, to) }
  const kept = from === to ? [] : [part]
  // the length may be on disk without the bytes
  return random.integer(2) === 0 ? kept : [...kept, { _tag: "Grow", inode, length: at + bytes.length }]
}

/**
 * The changes that are on the disk when the power is back: all that was synced, and of the rest what `seed` has it: whole,
 * not at all, or of a write some of its bytes, one change without those before it. With seed 0 nothing of the rest.
 *
 * @since 0.1.0
 * @category combinators
 */
export const survivors = (changes: ReadonlyArray<Change>, seed: number): ReadonlyArray<Change> => {
  const random = new PCGRandom(seed)
  const kept = durable(changes)
  return changes.flatMap((change, i) => {
    if (kept[i] === true) return [change]
    const fate = seed === 0 ? 0 : random.integer(3)
    if (fate === 0) return []
    return fate === 1 || change._tag !== "Write" ? [change] : partOf(change, random)
  })
}
