import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import { SystemError } from "@effect/platform/Error"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Path from "@effect/platform/Path"
import { readTranscript } from "../../src/cli/input.ts"
import { filesIn } from "../../src/cli/sessionFolder.ts"

const event = (kind: string, more: object) => JSON.stringify({ kind, source: "user", timestamp: "t", ...more })
const said = (role: string, text: string) =>
  event("MessageEvent", { llm_message: { role, content: [{ type: "text", text }] } })

it.scoped("a folder is a session where its tool keeps one in several files, and else its files are to be named", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = yield* fs.makeTempDirectoryScoped()
    const write = (name: string, text: string) => fs.writeFileString(path.join(folder, name), text)
    yield* fs.makeDirectory(path.join(folder, "events"))
    yield* write("base_state.json", JSON.stringify({ id: "c", agent: {}, stats: {} }))
    yield* write("events/event-00010-b.json", said("assistant", "ten"))
    yield* write("events/event-00002-a.json", said("user", "two"))
    yield* write("notes.txt", "no session")
    yield* write(".hidden.json", "{}")
    const { format, sessions } = yield* readTranscript(folder, {})
    assert.strictEqual(format, "openhands-events")
    assert.deepStrictEqual(
      sessions[0].messages.map(({ content }) => content),
      [[{ type: "text", text: "two" }], [{ type: "text", text: "ten" }]]
    )
    assert.deepStrictEqual(sessions[0].notes, [])

    const other = yield* fs.makeTempDirectoryScoped()
    for (const name of ["a.json", "b.json"]) {
      yield* fs.writeFileString(path.join(other, name), '[{"role":"user","content":"hi"}]')
    }
    assert.include((yield* Effect.flip(readTranscript(other, {}))).message, "name one of its files")
    const empty = yield* fs.makeTempDirectoryScoped()
    assert.include((yield* Effect.flip(readTranscript(empty, {}))).message, "holds no .json")
  }).pipe(Effect.provide(NodeContext.layer))
)

const within = (reason: "PermissionDenied" | "BadResource") =>
  FileSystem.layerNoop({
    readDirectory: (path) =>
      path.endsWith("events")
        ? new SystemError({ reason, module: "FileSystem", method: "readDirectory", pathOrDescriptor: path })
        : Effect.succeed(["events", "a.json"]),
    readFileString: () => Effect.succeed("{}")
  })

it.effect("events that cannot be read are told, and not left out; a file may have the name too", () =>
  Effect.gen(function* () {
    const refused = yield* Effect.flip(Effect.provide(filesIn("there"), within("PermissionDenied")))
    assert.strictEqual(refused.message, "cannot read the folder there/events: it may not be read")
    const read = yield* Effect.provide(filesIn("there"), within("BadResource"))
    assert.deepStrictEqual(read, [{ name: "a.json", text: "{}" }])
  }).pipe(Effect.provide(Path.layer))
)
