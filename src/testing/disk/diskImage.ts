/**
 * What is on a disk, as data, and what a change of it is.
 *
 * @since 0.1.0
 */

/**
 * A file's number, which stays while its names come and go. The root folder's is 0.
 *
 * @since 0.1.0
 * @category models
 */
export type Inode = number

/**
 * `room` is what this image alone may write into, `bytes` as much of it as the file is long.
 *
 * @since 0.1.0
 * @category models
 */
export type Node =
  | { readonly _tag: "File"; readonly mode: number; bytes: Uint8Array; room?: Uint8Array | undefined }
  | { readonly _tag: "Directory"; readonly mode: number; readonly entries: Map<string, Inode> }

/**
 * @since 0.1.0
 * @category models
 */
export type Image = Map<Inode, Node>

/**
 * A name of a folder that comes (of a file that may be new) or goes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  readonly directory: Inode
  readonly name: string
  readonly inode: Inode | undefined
}

/**
 * One change. `Entries` come to be together, as in a rename; `Grow` is the length of a write without its bytes, which are
 * zeros; `Sync` changes nothing but what a power loss leaves.
 *
 * @since 0.1.0
 * @category models
 */
export type Change =
  | { readonly _tag: "Make"; readonly inode: Inode; readonly kind: Node["_tag"]; readonly mode: number }
  | { readonly _tag: "Entries"; readonly entries: ReadonlyArray<Entry> }
  | { readonly _tag: "Write"; readonly inode: Inode; readonly at: number; readonly bytes: Uint8Array }
  | { readonly _tag: "Grow"; readonly inode: Inode; readonly length: number }
  | { readonly _tag: "Truncate"; readonly inode: Inode; readonly length: number }
  | { readonly _tag: "Sync"; readonly inode: Inode }

/**
 * @since 0.1.0
 * @category constants
 */
export const root: Inode = 0

/**
 * A disk with nothing but its root folder.
 *
 * @since 0.1.0
 * @category constructors
 */
export const empty = (): Image => new Map([[root, { _tag: "Directory", mode: 0o755, entries: new Map() }]])

/**
 * Another image with the same on it. This one must not be changed any more: they share the bytes of files.
 *
 * @since 0.1.0
 * @category conversions
 */
export const copy = (image: Image): Image =>
  new Map(
    Array.from(image, ([inode, node]) => [
      inode,
      node._tag === "File" ? { ...node, room: undefined } : { ...node, entries: new Map(node.entries) }
    ])
  )

/** A file of that length; what it gets more is zeros. */
const resize = (image: Image, inode: Inode, lengthOf: (now: number) => number): Uint8Array | undefined => {
  const node = image.get(inode)
  if (node?._tag !== "File") return undefined
  const { bytes } = node
  const length = lengthOf(bytes.length)
  if (node.room === undefined || node.room.length < length) {
    node.room = new Uint8Array(Math.max(length, 2 * bytes.length))
    node.room.set(bytes.subarray(0, length))
  } else node.room.fill(0, Math.min(length, bytes.length), bytes.length)
  node.bytes = node.room.subarray(0, length)
  return node.bytes
}

/**
 * Makes the change in this image.
 *
 * @since 0.1.0
 * @category combinators
 */
export const apply = (image: Image, change: Change): void => {
  switch (change._tag) {
    case "Make": {
      const { inode, kind, mode } = change
      image.set(
        inode,
        kind === "File" ? { _tag: kind, mode, bytes: new Uint8Array() } : { _tag: kind, mode, entries: new Map() }
      )
      return
    }
    case "Entries":
      for (const { directory, inode, name } of change.entries) {
        const node = image.get(directory)
        if (node?._tag !== "Directory") continue
        if (inode === undefined) node.entries.delete(name)
        else node.entries.set(name, inode)
      }
      return
    case "Write":
      resize(image, change.inode, (now) => Math.max(now, change.at + change.bytes.length))?.set(change.bytes, change.at)
      return
    case "Grow":
      resize(image, change.inode, (now) => Math.max(now, change.length))
      return
    case "Truncate":
      resize(image, change.inode, () => change.length)
      return
    case "Sync":
      return
  }
}
