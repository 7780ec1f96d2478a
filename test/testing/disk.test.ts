import * as FileSystem from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Testing from "../../src/testing/index.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

/** Every file and what is in it. */
const files = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const found: Record<string, string> = {}
  for (const name of yield* fs.readDirectory("/")) {
    const { type } = yield* fs.stat(`/${name}`)
    found[name] = type === "File" ? yield* fs.readFileString(`/${name}`) : type
  }
  return found
})

const syncFolder = Effect.flatMap(FileSystem.FileSystem, (fs) =>
  Effect.scoped(Effect.flatMap(fs.open("/"), (folder) => folder.sync))
)

describe("a disk that loses its power", () => {
  it.scoped("forgets bytes and names that were not synced, and keeps those that were", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const disk = yield* Testing.Disk
      const left = Effect.suspend(() => Effect.provide(files, disk.afterPowerLoss(0)))
      const file = yield* fs.open("/a", { flag: "a" })
      yield* file.writeAll(bytes("one "))
      yield* file.sync
      assert.deepStrictEqual(yield* left, {})
      yield* syncFolder
      assert.deepStrictEqual(yield* left, { a: "one " })
      yield* file.writeAll(bytes("two"))
      yield* fs.link("/a", "/b")
      yield* fs.rename("/a", "/c")
      assert.deepStrictEqual(yield* files, { b: "one two", c: "one two" })
      assert.deepStrictEqual(yield* Effect.provide(files, disk.afterCrash()), yield* files)
      assert.deepStrictEqual(yield* left, { a: "one " })
      yield* syncFolder
      assert.deepStrictEqual(yield* left, { b: "one ", c: "one " })
      yield* file.sync
      assert.deepStrictEqual(yield* left, { b: "one two", c: "one two" })
      // what another process left unsynced is still unsynced
      const again = Effect.flatMap(Testing.Disk, (other) => Effect.provide(files, other.afterPowerLoss(0)))
      assert.deepStrictEqual(yield* Effect.provide(again, disk.afterCrash(3)), {})
    }).pipe(Effect.provide(Testing.layerDisk))
  )

  it.scoped("keeps writes in part, one without those before it, and the same ones for the same seed", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const disk = yield* Testing.Disk
      const file = yield* fs.open("/a", { flag: "a" })
      yield* syncFolder
      for (const part of ["first", "second", "third"]) yield* file.writeAll(bytes(part))
      const whole = "firstsecondthird"
      const seen = new Set<string>()
      for (let seed = 1; seed < 200; seed++) {
        const left = Effect.map(Effect.provide(files, disk.afterPowerLoss(seed)), ({ a }) => a ?? "")
        const text = yield* left
        assert.strictEqual(yield* left, text)
        // each byte is what was written there, or missing
        assert.isTrue(
          Array.from(text).every((byte, i) => byte === whole[i] || byte === "\0"),
          text
        )
        seen.add(text)
      }
      assert.isTrue(seen.has(""))
      assert.isTrue(seen.has(whole))
      assert.isTrue(seen.has("\0".repeat(11) + "third"))
      assert.isTrue([...seen].some((text) => /^fir?s?\0/.test(text)))
    }).pipe(Effect.provide(Testing.layerDisk))
  )
})
