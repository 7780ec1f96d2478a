/**
 * A disk in memory that loses its power where a test tells it to.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as DiskFileSystem from "./disk/diskFileSystem.ts"
import * as DiskImage from "./disk/diskImage.ts"
import { survivors } from "./disk/powerLoss.ts"

/**
 * The disk behind a `FileSystem`. It remembers each change and what was synced: the bytes of a file by a sync of the
 * file, a name (of a new file, a link, a rename, a removal) by a sync of its folder, opened for reading.
 *
 * What comes after a loss is a disk of its own, so that one run can be cut at each of its changes.
 *
 * @since 0.1.0
 * @category tags
 */
export class Disk extends Context.Tag("effect-compaction/testing/Disk")<
  Disk,
  {
    /** How many changes were made so far, syncs among them. */
    readonly changes: Effect.Effect<number>
    /**
     * The disk as it is when the power went after so many changes (default: now) and is back. What was synced is there;
     * of the rest each write and name is there, is not, or (of a write) in part, in any order, as `seed` has it. With
     * seed 0 nothing of the rest is there.
     */
    readonly afterPowerLoss: (seed: number, changes?: number) => Layer.Layer<FileSystem.FileSystem | Disk>
    /** The disk as another process finds it when the one that made so many changes (default: all) died: nothing is lost. */
    readonly afterCrash: (changes?: number) => Layer.Layer<FileSystem.FileSystem | Disk>
  }
>() {}

/** `durable` is what no power loss takes away, `before` what was changed since and may go. */
const layerOf = (
  durable: DiskImage.Image,
  before: ReadonlyArray<DiskImage.Change>
): Layer.Layer<FileSystem.FileSystem | Disk> =>
  Layer.effectContext(
    Effect.sync(() => {
      const image = DiskImage.copy(durable)
      const made: Array<DiskImage.Change> = []
      const change = (...changes: ReadonlyArray<DiskImage.Change>) => {
        for (const next of changes) {
          made.push(next)
          DiskImage.apply(image, next)
        }
      }
      change(...before)
      let inode = Math.max(...image.keys())
      const fs = DiskFileSystem.make({ image, change, nextInode: () => ++inode })
      return Context.make(FileSystem.FileSystem, fs).pipe(
        Context.add(Disk, {
          changes: Effect.sync(() => made.length),
          afterCrash: (changes) => Layer.suspend(() => layerOf(durable, made.slice(0, changes))),
          afterPowerLoss: (seed, changes) =>
            Layer.suspend(() => {
              const left = DiskImage.copy(durable)
              for (const next of survivors(made.slice(0, changes), seed)) DiskImage.apply(left, next)
              return layerOf(left, [])
            })
        })
      )
    })
  )

/**
 * An empty disk, and the `FileSystem` that writes on it: files and folders, hard links and renames; no symbolic links,
 * permissions, temporary names and watching.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerDisk: Layer.Layer<FileSystem.FileSystem | Disk> = Layer.suspend(() => layerOf(DiskImage.empty(), []))
