/** A PostgreSQL server of the tests' own, from the machine's binaries, on loopback and gone with the scope. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { client } from "./address.ts"

/** Where Debian keeps them, out of the PATH; the newest first. */
const packaged = "/usr/lib/postgresql"
const versions = existsSync(packaged) ? readdirSync(packaged).sort((a, b) => Number(b) - Number(a)) : []

const find = (program: string): string | undefined =>
  [...(process.env["PATH"] ?? "").split(delimiter), ...versions.map((version) => join(packaged, version, "bin"))]
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path))

const initdb = find("initdb")
const postgres = find("postgres")

/** The server refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
// the folder that we are in may not be one that this user can be in
const options = { ...user, cwd: "/", env: { PATH: process.env["PATH"], LC_ALL: "C" } }

/** Why there is no server here, or nothing. */
export const missing: string | undefined =
  initdb === undefined || postgres === undefined
    ? "no postgres and initdb on this machine"
    : spawnSync(postgres, ["--version"], options).status === 0
      ? undefined
      : "postgres does not run here"

const freePort = Effect.promise(async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
})

/** It listens before it has started up. */
const answers = (port: number) => Effect.scoped(Layer.build(client({ port })))

/** Ends the server and takes its folder away when its input ends: also if this process is killed. */
const guarded = '"$0" "$@" & cat >/dev/null; kill -INT $!; wait; rm -rf "$DATA"'

/** The port of a server that trusts everybody who comes from this machine, as `postgres`. */
export const server = Effect.gen(function* () {
  const folder = mkdtempSync(join(tmpdir(), "postgres-"))
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
  const data = join(folder, "data")
  const settings = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
  execFileSync(initdb!, ["-D", data, ...settings], { ...options, stdio: ["ignore", "ignore", "inherit"] })
  const port = yield* freePort
  const place = ["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", ""]
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("sh", ["-c", guarded, postgres!, ...place, "-c", "fsync=off"], {
        ...options,
        env: { ...options.env, DATA: folder },
        stdio: ["pipe", "ignore", "ignore"]
      })
    ),
    (child) =>
      Effect.promise(async () => {
        const exit = once(child, "exit")
        child.stdin.end()
        await exit
      })
  )
  yield* Effect.retry(answers(port), Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(1000)))
  return port
}).pipe(Effect.orDie)
