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
 * @since 0.1.0
 * @category models
 */
export type Node =
  | { readonly _tag: "File"; readonly mode: number; bytes: Uint8Array }
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
 * @since 0.1.0
 * @category conversions
 */
export const copy = (image: Image): Image =>
  new Map(
    Array.from(image, ([inode, node]) => [
      inode,
      node._tag === "File" ? { ...node } : { ...node, entries: new Map(node.entries) }
    ])
  )

const resized = (bytes: Uint8Array, length: number): Uint8Array => {
  const next = new Uint8Array(length)
  next.set(bytes.subarray(0, length))
  return next
}

/** Bytes are never changed in place: images share them. */
const changeFile = (image: Image, inode: Inode, change: (bytes: Uint8Array) => Uint8Array): void => {
  const node = image.get(inode)
  if (node?._tag === "File") node.bytes = change(node.bytes)
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
      return changeFile(image, change.inode, (bytes) => {
        const next = resized(bytes, Math.max(bytes.length, change.at + change.bytes.length))
        next.set(change.bytes, change.at)
        return next
      })
    case "Grow":
      return changeFile(image, change.inode, (bytes) => resized(bytes, Math.max(bytes.length, change.length)))
    case "Truncate":
      return changeFile(image, change.inode, (bytes) => resized(bytes, change.length))
    case "Sync":
      return
  }
}
