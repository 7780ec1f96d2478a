/**
 * Who holds a lock, and whether it is still there. Works wherever `process` is global and does not need it: what cannot
 * be known is taken to be alive. No clock is asked.
 *
 * @since 0.1.0
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { exactOptional } from "../session/exactOptional.ts"

/**
 * A process, as far as it can be told. `started` tells two processes apart that had the same pid.
 *
 * @since 0.1.0
 * @category models
 */
export interface Identity {
  readonly pid?: number
  readonly host?: string
  readonly started?: string
}

/**
 * What a lock says of its holder. `owner` is for people, `since` epoch milliseconds.
 *
 * @since 0.1.0
 * @category models
 */
export const Owner = Schema.Struct({
  owner: Schema.String,
  pid: exactOptional(Schema.Int.pipe(Schema.positive())),
  host: exactOptional(Schema.String),
  started: exactOptional(Schema.String),
  writer: Schema.String,
  since: Schema.Number
})

/**
 * @since 0.1.0
 * @category models
 */
export type Owner = typeof Owner.Type

/**
 * What is known of an owner: it holds its lock, it is gone, or another machine would have to tell.
 *
 * @since 0.1.0
 * @category models
 */
export type State = "live" | "gone" | "unknown"

const globalProcess = (): { readonly pid?: number; readonly kill?: (pid: number, signal: number) => unknown } =>
  (globalThis as { process?: { pid?: number; kill?: (pid: number, signal: number) => unknown } }).process ?? {}

const registryKey = Symbol.for("effect-compaction/layers/logOwner/writers")

/**
 * The writers of this process (in Node: of this thread), true while one holds its lock and false if it could not say
 * that it let go. Global, because an app may load two copies of this library.
 *
 * @since 0.1.0
 * @category constants
 */
export const writers = (): Map<string, boolean> => {
  const holder = globalThis as { [registryKey]?: Map<string, boolean> }
  return (holder[registryKey] ??= new Map())
}

const readText = (fs: FileSystem.FileSystem, path: string): Effect.Effect<Option.Option<string>> =>
  Effect.option(Effect.map(fs.readFileString(path), (text) => text.trim()))

interface Process {
  /** It has ended and only waits to be reaped. */
  readonly dead: boolean
  readonly started: string
}

/** What /proc tells of a process; nothing where there is no /proc, or none that may be read. */
const look = (fs: FileSystem.FileSystem, pid: number): Effect.Effect<Option.Option<Process>> =>
  Effect.map(
    Effect.all([readText(fs, `/proc/${pid}/stat`), readText(fs, "/proc/sys/kernel/random/boot_id")]),
    ([stat, boot]) => {
      if (Option.isNone(stat) || Option.isNone(boot)) return Option.none()
      // the second field is the command in parentheses, which may itself hold spaces and parentheses
      const fields = stat.value.slice(stat.value.lastIndexOf(")") + 2).split(" ")
      const [state, threads, ticks] = [fields[0], Number(fields[17]), fields[19]]
      if (ticks === undefined) return Option.none()
      // while a thread is left, its last write may still be on its way
      return Option.some({ dead: (state === "Z" || state === "X") && threads <= 1, started: `${boot.value}:${ticks}` })
    }
  )

const asked = Effect.fnUntraced(function* (fs: FileSystem.FileSystem) {
  const name = yield* readText(fs, "/proc/sys/kernel/hostname")
  const me = here(Option.getOrUndefined(name))
  const seen = me.pid === undefined ? Option.none<Process>() : yield* look(fs, me.pid)
  const identity: Identity = {
    ...me,
    ...(Option.isNone(seen) ? {} : { started: seen.value.started })
  }
  return identity
})

/** What this process is does not change while it runs: a file system that could tell is asked once. */
const known = new WeakMap<FileSystem.FileSystem, Identity>()

/**
 * This process. `host` names the machine where the caller knows it better than /proc.
 *
 * @since 0.1.0
 * @category constructors
 */
export const self = (fs: FileSystem.FileSystem, host?: string): Effect.Effect<Identity> =>
  Effect.suspend(() => {
    const before = known.get(fs)
    const identity =
      before === undefined
        ? Effect.tap(asked(fs), (found) => Effect.sync(() => found.started !== undefined && known.set(fs, found)))
        : Effect.succeed(before)
    return host === undefined ? identity : Effect.map(identity, (found) => ({ ...found, host }))
  })

/**
 * This process, as far as it knows itself without a file system. `host` names its machine.
 *
 * @since 0.1.0
 * @category constructors
 */
export const here = (host?: string): Identity => {
  const { pid } = globalProcess()
  return { ...(pid === undefined ? {} : { pid }), ...(host === undefined ? {} : { host }) }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (identity: Identity, writer: string, since: number): Owner => {
  const process = identity.pid === undefined ? "a process without a pid" : `pid ${identity.pid}`
  return { owner: identity.host === undefined ? process : `${process} on ${identity.host}`, ...identity, writer, since }
}

/** EPERM says that the process is there and somebody else's. */
const answersSignals = (pid: number): boolean => {
  const process = globalProcess()
  if (process.kill === undefined) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: unknown }).code !== "ESRCH"
  }
}

/**
 * @since 0.1.0
 * @category predicates
 */
export const stateOf = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, owner: Owner, me: Identity) {
  const registered = writers().get(owner.writer)
  if (registered !== undefined) return registered ? "live" : "gone"
  if (owner.host !== me.host || owner.pid === undefined || me.pid === undefined) return "unknown"
  if (owner.pid === me.pid) {
    // Not a writer of ours: the pid is in use again (in a container every process may be pid 1), unless it is this very
    // process, and then another thread of it.
    return owner.started !== undefined && owner.started === me.started ? "live" : "gone"
  }
  if (!answersSignals(owner.pid)) return "gone"
  const seen = yield* look(fs, owner.pid)
  if (Option.isNone(seen)) return "live"
  const another = owner.started !== undefined && owner.started !== seen.value.started
  return another || seen.value.dead ? "gone" : "live"
}) satisfies (...args: never) => Effect.Effect<State>
