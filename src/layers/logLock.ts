/**
 * The lock of a log in a folder, across processes: one writer, and a dead one is followed at once.
 *
 * The folder holds one file an epoch, and the highest epoch's file says who holds the lock. A taker creates the next
 * epoch, which only one can; who lets go overwrites its file with a tombstone. Files are removed only below the highest,
 * so the number never goes back and a taker that was asleep meanwhile cannot win with an old one.
 *
 * @since 0.1.0
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { SessionLocked } from "../errors/SessionError.ts"
import type { SessionId } from "../session/Ids.ts"
import * as LogOwner from "./logOwner.ts"

const Content = Schema.parseJson(Schema.Union(LogOwner.Owner, Schema.Struct({ released: Schema.Literal(true) })))

const decodeContent = Schema.decodeUnknownOption(Content)
const encoder = new TextEncoder()

/** Each round that fails means that somebody else got on; so many in a row do not happen by chance. */
const rounds = 32

const epochOf = (name: string): number => {
  const digits = /^(\d+)(?:\.|$)/.exec(name)
  return digits === null ? 0 : Number(digits[1])
}

const isReason = (error: PlatformError, reason: string): boolean =>
  error._tag === "SystemError" && error.reason === reason

interface Place {
  readonly fs: FileSystem.FileSystem
  readonly folder: string
}

const pathOf = (place: Place, epoch: number): string => `${place.folder}/${String(epoch).padStart(10, "0")}`

/** The highest epoch among the files of the folder, 0 where there is none. */
const highest = (names: ReadonlyArray<string>): number =>
  names.reduce((top, name) => (/^\d+$/.test(name) ? Math.max(top, epochOf(name)) : top), 0)

type Holder =
  { readonly _tag: "Free" } | { readonly _tag: "Unreadable" } | { readonly _tag: "Held"; owner: LogOwner.Owner }

/** Nothing if the file is gone: a higher one has come. */
const readHolder = (place: Place, epoch: number): Effect.Effect<Option.Option<Holder>, PlatformError> =>
  place.fs.readFileString(pathOf(place, epoch)).pipe(
    Effect.map((text): Holder => {
      const content = decodeContent(text)
      if (Option.isNone(content)) return { _tag: "Unreadable" }
      return "released" in content.value ? { _tag: "Free" } : { _tag: "Held", owner: content.value }
    }),
    Effect.asSome,
    Effect.catchIf(
      (error) => isReason(error, "NotFound"),
      () => Effect.succeedNone
    )
  )

/** Looks again for a little while, in real time: without hard links a file is there before its content is. */
const readHolderPatiently = (place: Place, epoch: number) =>
  readHolder(place, epoch).pipe(
    Effect.repeat({
      times: 10,
      while: (holder) =>
        Option.isSome(holder) && holder.value._tag === "Unreadable"
          ? Effect.as(Effect.withClock(Effect.sleep("5 millis"), Clock.make()), true)
          : Effect.succeed(false)
    })
  )

const writeSynced = (place: Place, path: string, flag: "wx" | "r+", content: Uint8Array) =>
  Effect.scoped(
    Effect.flatMap(place.fs.open(path, { flag, mode: 0o600 }), (file) =>
      Effect.zipRight(file.writeAll(content), file.sync)
    )
  )

/**
 * Creates the file of this epoch with its content in one step, by a hard link, so that nobody sees it half written and a
 * crash leaves none that is empty. Where there are no hard links it is created and then written. Answers whether the file is
 * ours: only one taker creates it. Who won is for the next look at the folder to tell, which may show a higher one.
 */
const create = Effect.fnUntraced(function* (place: Place, epoch: number, owner: LogOwner.Owner) {
  const target = pathOf(place, epoch)
  const draft = `${target}.${owner.writer}`
  const content = encoder.encode(JSON.stringify(owner))
  const exclusively = writeSynced(place, target, "wx", content).pipe(
    Effect.tapError((error) =>
      isReason(error, "AlreadyExists") ? Effect.void : Effect.ignore(place.fs.remove(target, { force: true }))
    )
  )
  const link = place.fs.link(draft, target).pipe(
    Effect.catchIf(
      (error) => !isReason(error, "AlreadyExists"),
      () => exclusively
    ),
    Effect.as(true),
    Effect.catchIf(
      (error) => isReason(error, "AlreadyExists"),
      () => Effect.succeed(false)
    )
  )
  return yield* writeSynced(place, draft, "wx", content).pipe(
    Effect.zipRight(link),
    Effect.ensuring(Effect.ignore(place.fs.remove(draft, { force: true })))
  )
})

/**
 * Leaves a tombstone, in place and no shorter than what stood there, so that it works on a full disk. If that fails,
 * this process at least knows. A file that is not ours is left alone: the folder may have been removed under us.
 */
const release = (place: Place, epoch: number, owner: LogOwner.Owner): Effect.Effect<void> =>
  readHolder(place, epoch).pipe(
    Effect.flatMap((found) => {
      const ours = Option.isSome(found) && found.value._tag === "Held" && found.value.owner.writer === owner.writer
      const length = JSON.stringify(owner).length * 3
      const tombstone = encoder.encode(JSON.stringify({ released: true }).padEnd(length))
      return ours ? writeSynced(place, pathOf(place, epoch), "r+", tombstone) : Effect.void
    }),
    Effect.matchCause({
      onFailure: () => LogOwner.writers().set(owner.writer, false),
      onSuccess: () => LogOwner.writers().delete(owner.writer)
    })
  )

const removeOlder = (place: Place, names: ReadonlyArray<string>, epoch: number): Effect.Effect<void> =>
  Effect.forEach(
    names.filter((name) => epochOf(name) > 0 && epochOf(name) < epoch),
    (name) => Effect.ignore(place.fs.remove(`${place.folder}/${name}`, { force: true })),
    { discard: true }
  )

const lockedBy = (place: Place, session: SessionId, owner: LogOwner.Owner, state: LogOwner.State): SessionLocked =>
  new SessionLocked({
    session,
    owner:
      state === "live"
        ? owner.owner
        : `${owner.owner}, which cannot be asked from here (if it is gone, remove ${place.folder})`,
    since: owner.since
  })

/** The files of the folder, which is created. */
const namesIn = ({ folder, fs }: Place): Effect.Effect<ReadonlyArray<string>, PlatformError> =>
  Effect.catchIf(
    fs.readDirectory(folder),
    (error) => isReason(error, "NotFound"),
    () => Effect.as(fs.makeDirectory(folder, { recursive: true, mode: 0o700 }), [])
  )

/**
 * Takes the lock in `folder`, which is created, for as long as the scope is open. `me` is this process.
 *
 * `read` is what the lock keeps, and runs while the lock is written down, which waits for a disk. It begins when nobody holds
 * the lock: from there on nothing changes but by whoever takes the next epoch, which only one can. If that was another one,
 * what was read is dropped, an error too, and if the lock becomes free again it is read again.
 *
 * @since 0.1.0
 * @category constructors
 */
export const acquire = <A, E>(options: {
  readonly fs: FileSystem.FileSystem
  readonly folder: string
  readonly session: SessionId
  readonly me: LogOwner.Identity
  readonly read: Effect.Effect<A, E>
}): Effect.Effect<
  { readonly owner: LogOwner.Owner; readonly read: A },
  E | SessionLocked | PlatformError,
  Scope.Scope
> => {
  const { session, me, fs } = options
  const take = Effect.gen(function* () {
    const scope = yield* Effect.scope
    const owner = LogOwner.make(me, globalThis.crypto.randomUUID(), yield* Clock.currentTimeMillis)
    let tried = 0
    LogOwner.writers().set(owner.writer, true)
    return yield* Effect.gen(function* () {
      let created = false
      let reading: Fiber.RuntimeFiber<Exit.Exit<A, E>> | undefined
      for (let round = 0; round < rounds; round++) {
        const names = yield* namesIn(options)
        const epoch = highest(names)
        if (reading !== undefined && created && epoch === tried) {
          yield* removeOlder(options, names, epoch)
          return { epoch, owner, reading }
        }
        if (epoch > 0) {
          const found = yield* readHolderPatiently(options, epoch)
          if (Option.isNone(found)) continue
          const holder = found.value
          if (holder._tag === "Unreadable") {
            const unknown = `an owner that cannot be read (if no process uses the session, remove ${options.folder})`
            return yield* new SessionLocked({ session, owner: unknown })
          }
          if (holder._tag === "Held") {
            // a server that answered a second time said that the file was there: it is ours all the same
            if (reading !== undefined && holder.owner.writer === owner.writer) {
              yield* removeOlder(options, names, epoch)
              return { epoch, owner, reading }
            }
            const state = yield* LogOwner.stateOf(fs, holder.owner, me)
            if (state !== "gone") return yield* lockedBy(options, session, holder.owner, state)
          }
        }
        if (reading !== undefined) yield* Fiber.interrupt(reading)
        reading = yield* Effect.forkIn(Effect.interruptible(Effect.exit(options.read)), scope)
        tried = epoch + 1
        created = yield* create(options, tried, owner)
      }
      return yield* new SessionLocked({ session, owner: "other openers, one after another," })
    }).pipe(Effect.onError(() => release(options, tried, owner)))
  })
  return Effect.flatMap(
    Effect.acquireRelease(take, ({ epoch, owner }) => release(options, epoch, owner)),
    ({ owner, reading }) => Effect.map(Effect.flatten(Fiber.join(reading)), (read) => ({ owner, read }))
  )
}

/**
 * Who holds the lock in `folder`, and whether it is still there, without taking it. Nothing where nobody does; an owner that
 * cannot be read is `undefined`.
 *
 * @since 0.1.0
 * @category getters
 */
export const holder = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, folder: string) {
  if (!(yield* fs.exists(folder))) return Option.none()
  const place = { fs, folder }
  const epoch = highest(yield* fs.readDirectory(folder))
  const found = epoch === 0 ? Option.none() : yield* readHolder(place, epoch)
  if (Option.isNone(found) || found.value._tag === "Free") return Option.none()
  if (found.value._tag === "Unreadable") return Option.some({ owner: undefined, state: "unknown" as LogOwner.State })
  const { owner } = found.value
  const state: LogOwner.State = yield* LogOwner.stateOf(fs, owner, yield* LogOwner.self(fs))
  return Option.some({ owner, state })
}) satisfies (
  ...args: never
) => Effect.Effect<
  Option.Option<{ readonly owner: LogOwner.Owner | undefined; readonly state: LogOwner.State }>,
  PlatformError
>
