/**
 * The lock of a log in a folder, across processes: one writer, and a dead one is followed at once.
 *
 * The folder holds one file an epoch, and the highest epoch's file says who holds the lock. A taker creates the next
 * epoch, which only one can; who lets go changes one byte of its file, which no crash can leave half done, and removes the
 * one before it. Files are removed only below the highest, so the number never goes back and a taker that was asleep
 * meanwhile cannot win with an old one.
 *
 * @since 0.1.0
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { SessionLocked } from "../errors/SessionError.ts"
import type { SessionId } from "../session/Ids.ts"
import { isReason } from "./logFault.ts"
import * as LogLockContent from "./logLockContent.ts"
import * as LogOwner from "./logOwner.ts"
import { Refused, waiting } from "./logWait.ts"

/** Each round that fails means that somebody else got on; so many in a row do not happen by chance. */
const rounds = 32

const epochOf = (name: string): number => {
  const digits = /^(\d+)(?:\.|$)/.exec(name)
  return digits === null ? 0 : Number(digits[1])
}

interface Place {
  readonly fs: FileSystem.FileSystem
  readonly folder: string
}

const pathOf = (place: Place, epoch: number): string => `${place.folder}/${String(epoch).padStart(10, "0")}`

/** The highest epoch among the files of the folder, 0 where there is none. */
const highest = (names: ReadonlyArray<string>): number =>
  names.reduce((top, name) => (/^\d+$/.test(name) ? Math.max(top, epochOf(name)) : top), 0)

/** The files of the folder, which is created. */
const namesIn = ({ folder, fs }: Place): Effect.Effect<ReadonlyArray<string>, PlatformError> =>
  Effect.catchIf(
    fs.readDirectory(folder),
    (error) => isReason(error, "NotFound"),
    () => Effect.as(fs.makeDirectory(folder, { recursive: true, mode: 0o700 }), [])
  )

type Holder =
  { readonly _tag: "Free" } | { readonly _tag: "Unreadable" } | { readonly _tag: "Held"; owner: LogOwner.Owner }

/** Nothing if the file is gone: a higher one has come. */
const readHolder = (place: Place, epoch: number): Effect.Effect<Option.Option<Holder>, PlatformError> =>
  place.fs.readFileString(pathOf(place, epoch)).pipe(
    Effect.map((text): Holder => {
      const content = LogLockContent.decode(text)
      if (Option.isNone(content)) return { _tag: "Unreadable" }
      const { held, ...owner } = content.value
      return held === 0 ? { _tag: "Free" } : { _tag: "Held", owner }
    }),
    Effect.asSome,
    Effect.catchIf(
      (error) => isReason(error, "NotFound"),
      () => Effect.succeedNone
    )
  )

/** Looks again for a little while, in real time: without hard links a file is there before its content is. */
const readHolderPatiently = (
  place: Place,
  epoch: number,
  times = 10
): Effect.Effect<Option.Option<Holder>, PlatformError> =>
  Effect.flatMap(readHolder(place, epoch), (holder) =>
    Option.isSome(holder) && holder.value._tag === "Unreadable" && times > 0
      ? Effect.zipRight(
          Effect.withClock(Effect.sleep("5 millis"), Clock.make()),
          readHolderPatiently(place, epoch, times - 1)
        )
      : Effect.succeed(holder)
  )

const writeSynced = (place: Place, path: string, flag: "wx" | "r+", content: Uint8Array, at = 0) =>
  Effect.scoped(
    Effect.flatMap(place.fs.open(path, { flag, mode: 0o600 }), (file) =>
      file.seek(at, "start").pipe(Effect.zipRight(file.writeAll(content)), Effect.zipRight(file.sync))
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
  const content = LogLockContent.encode(owner)
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

/** `names` are the files that were there. */
interface Taken {
  readonly epoch: number
  readonly names: ReadonlyArray<string>
  readonly owner: LogOwner.Owner
}

const holds = (owner: LogOwner.Owner, found: Option.Option<Holder>): boolean =>
  Option.isSome(found) && found.value._tag === "Held" && found.value.owner.writer === owner.writer

const removeBelow = (place: Place, names: ReadonlyArray<string>, epoch: number): Effect.Effect<void> =>
  Effect.forEach(
    names.filter((name) => epochOf(name) > 0 && epochOf(name) < epoch),
    (name) => Effect.ignore(place.fs.remove(`${place.folder}/${name}`, { force: true })),
    { discard: true }
  )

/**
 * Says in place that nobody holds it, so that it works on a full disk. If that fails, this process at least knows. A file
 * that is not ours is left alone: the folder may have been removed under us.
 */
const release = (place: Place, { epoch, names, owner }: Taken): Effect.Effect<void> =>
  readHolder(place, epoch).pipe(
    Effect.flatMap((found) =>
      holds(owner, found)
        ? Effect.zipRight(
            writeSynced(place, pathOf(place, epoch), "r+", LogLockContent.free, LogLockContent.heldAt),
            removeBelow(place, names, epoch)
          )
        : Effect.void
    ),
    Effect.matchCause({
      onFailure: () => LogOwner.writers().set(owner.writer, false),
      onSuccess: () => LogOwner.writers().delete(owner.writer)
    })
  )

const lockedBy = (place: Place, session: SessionId, owner: LogOwner.Owner, state: LogOwner.State) =>
  new Refused({
    locked: new SessionLocked({
      session,
      owner:
        state === "live"
          ? owner.owner
          : `${owner.owner}, which cannot be asked from here (if it is gone, remove ${place.folder})`,
      since: owner.since
    }),
    mayLetGo: state === "live"
  })

/** The owner's file is looked at, and read only when it is another than the last time. */
const isHeld = (place: Place, epoch: number, owner: LogOwner.Owner): Lock["isHeld"] => {
  let seen: string | undefined
  return place.fs.stat(pathOf(place, epoch)).pipe(
    Effect.flatMap(({ ino, mtime }) => {
      const looks = `${Option.getOrUndefined(ino)} ${Option.getOrUndefined(mtime)?.getTime()}`
      if (looks === seen) return Effect.succeed(true)
      return Effect.map(readHolder(place, epoch), (found) => {
        const ours = holds(owner, found)
        if (ours) seen = looks
        return ours
      })
    }),
    Effect.catchIf(
      (error) => isReason(error, "NotFound"),
      () => Effect.succeed(false)
    )
  )
}

/**
 * A lock that was taken. It is lost if somebody removes its folder: `isHeld` tells.
 *
 * @since 0.1.0
 * @category models
 */
export interface Lock {
  readonly writer: string
  readonly folder: string
  readonly isHeld: Effect.Effect<boolean, PlatformError>
}

/**
 * Takes the lock in `folder`, which is created, for as long as the scope is open. `me` is this process. `wait` is how long
 * to wait for a living owner to let go; absent, not at all.
 *
 * @since 0.1.0
 * @category constructors
 */
export const acquire = (options: {
  readonly fs: FileSystem.FileSystem
  readonly folder: string
  readonly session: SessionId
  readonly me: LogOwner.Identity
  readonly wait?: Duration.Duration | undefined
}): Effect.Effect<Lock, SessionLocked | PlatformError, Scope.Scope> => {
  const { session, me, fs } = options
  const take = Effect.gen(function* () {
    const owner = LogOwner.make(me, globalThis.crypto.randomUUID(), yield* Clock.currentTimeMillis)
    let tried = 0
    // what holders left who died; the file that was followed is removed at the end, when nobody waits for it
    const taken = (names: ReadonlyArray<string>, epoch: number) =>
      Effect.as(removeBelow(options, names, epoch - 1), { epoch, names, owner })
    LogOwner.writers().set(owner.writer, true)
    return yield* Effect.gen(function* () {
      let created = false
      for (let round = 0; round < rounds; round++) {
        const names = yield* namesIn(options)
        const epoch = highest(names)
        if (created && epoch === tried) return yield* taken(names, epoch)
        if (epoch > 0) {
          const found = yield* readHolderPatiently(options, epoch)
          if (Option.isNone(found)) continue
          const holder = found.value
          if (holder._tag === "Unreadable") {
            const unknown = `an owner that cannot be read (if no process uses the session, remove ${options.folder})`
            return yield* new Refused({ locked: new SessionLocked({ session, owner: unknown }), mayLetGo: false })
          }
          if (holder._tag === "Held") {
            // a server that answered a second time said that the file was there: it is ours all the same
            if (holder.owner.writer === owner.writer) return yield* taken(names, epoch)
            const state = yield* LogOwner.stateOf(fs, holder.owner, me)
            if (state !== "gone") return yield* lockedBy(options, session, holder.owner, state)
          }
        }
        tried = epoch + 1
        created = yield* create(options, tried, owner)
      }
      const others = new SessionLocked({ session, owner: "other openers, one after another," })
      return yield* new Refused({ locked: others, mayLetGo: true })
    }).pipe(Effect.onError(() => release(options, { epoch: tried, names: [], owner })))
  })
  return Effect.map(
    waiting(
      Effect.acquireRelease(take, (held) => release(options, held)),
      options.wait
    ),
    ({ epoch, owner }): Lock => ({
      writer: owner.writer,
      folder: options.folder,
      isHeld: isHeld(options, epoch, owner)
    })
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
