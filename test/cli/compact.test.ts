import * as NodeContext from "@effect/platform-node/NodeContext"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Report } from "../../src/cli/compactReport.ts"
import { type Given, run } from "../../src/cli/compactRun.ts"
import { written } from "../../src/cli/formatHelp.ts"
import { Formats } from "../../src/formats/index.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { broken } from "../formats/wholePairs.ts"
import { bundle, root } from "./bin.ts"

let bin: Awaited<ReturnType<typeof bundle>>
const file = (name: string) => join(bin.folder, name)
const text = (name: string) => readFileSync(file(name), "utf8")
const sessionsOf = (source: string) => Either.getOrThrow(Formats.decode(source)).sessions
const oneSentence = /^effect-compaction: [^\n]+\n$/u

beforeAll(async () => {
  bin = await bundle()
  copyFileSync(join(root, "examples/transcript/session.json"), file("session.json"))
}, 60_000)
afterAll(() => bin.remove())

describe("effect-compaction compact", () => {
  it("writes a smaller session in its own format, and says in numbers what was removed", async () => {
    const { code, stderr, stdout } = await bin.run(["compact", "session.json", "--window", "16000", "-o", "out.json"])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(stdout, "session.json (openai-chat): 1 session → out.json (openai-chat)")
    for (const row of ["messages", "tool calls", "tool results", "tokens", "removed"]) assert.include(stdout, row)
    assert.match(
      stdout,
      /prune [\d,]+ → [\d,]+ tokens, extract [\d,]+ → [\d,]+ tokens, a checkpoint stands for \d+ messages/u
    )
    const [before] = sessionsOf(text("session.json"))
    const [after] = sessionsOf(text("out.json"))
    assert.deepStrictEqual(broken(after.messages), [])
    assert.deepStrictEqual([after.system, after.tools], [before.system, before.tools])
    // the newest of the session is there as it was
    assert.deepStrictEqual(after.messages.at(-1), before.messages.at(-1))
    assert.isBelow(after.messages.length, before.messages.length)

    const again = await bin.run(["compact", "out.json", "--window", "16000", "--json", "-o", "same.json"])
    const report = JSON.parse(again.stdout) as Report
    assert.isBelow(report.before.tokens, 12_800)
    assert.deepStrictEqual([report.after, report.sessions[0]?.rungs], [report.before, []])
    assert.deepStrictEqual(sessionsOf(text("same.json"))[0].messages, after.messages)
  })

  it("reads standard input, writes standard output, and reports beside it", async () => {
    const { code, stderr, stdout } = await bin.run(["compact", "--to", "9000", "--format", "anthropic-messages", "-"], {
      stdin: text("session.json")
    })
    assert.strictEqual(code, 0)
    assert.include(stderr, "- (openai-chat): 1 session → standard output (anthropic-messages)")
    assert.include(stderr, "written as anthropic-messages, and not as openai-chat")
    const { format, sessions } = Either.getOrThrow(Formats.decode(stdout))
    assert.strictEqual(format, "anthropic-messages")
    assert.deepStrictEqual(broken(sessions[0].messages), [])

    const toDash = await bin.run(["compact", "-", "-o", "-", "--to", "9000", "--json"], {
      stdin: text("session.json")
    })
    assert.strictEqual((JSON.parse(toDash.stderr) as Report).out, null)
    assert.isBelow((JSON.parse(toDash.stderr) as Report).after.tokens, 9000)
    // nor much less than was asked for
    assert.isAbove((JSON.parse(toDash.stderr) as Report).after.tokens, 5000)
    assert.isAbove(sessionsOf(toDash.stdout)[0].messages.length, 0)
  })

  it("overwrites nothing without --force, and with it the input too", async () => {
    copyFileSync(file("session.json"), file("mine.json"))
    const refused = await bin.run(["compact", "mine.json", "--to", "9000", "-o", "mine.json"])
    assert.strictEqual(refused.code, 2)
    assert.match(refused.stderr, oneSentence)
    assert.include(refused.stderr, "--force overwrites it")
    assert.strictEqual(text("mine.json"), text("session.json"))
    const forced = await bin.run(["compact", "mine.json", "--to", "9000", "-o", "mine.json", "--force"])
    assert.strictEqual(forced.code, 0)
    assert.isBelow(text("mine.json").length, text("session.json").length)
    assert.deepStrictEqual(
      readdirSync(bin.folder).filter((name) => name.includes(".part")),
      []
    )
  })

  it("tells the plan of a dry run, and writes nothing", async () => {
    const before = readdirSync(bin.folder)
    const { code, stdout } = await bin.run(["compact", "session.json", "--to", "9000", "--dry-run", "-o", "dry.json"])
    assert.strictEqual(code, 0)
    assert.include(stdout, "nothing is written (dry run, as openai-chat)")
    assert.include(stdout, "extract")
    assert.deepStrictEqual(readdirSync(bin.folder), before)
  })

  it("ends with 3 and says what stays where it cannot get as small as that", async () => {
    const { code, stderr, stdout } = await bin.run([
      "compact",
      "session.json",
      "--to",
      "500",
      "-o",
      "least.json",
      "--json"
    ])
    assert.strictEqual(code, 3)
    assert.match(stderr, oneSentence)
    assert.include(stderr, "the system prompt and tools take")
    const { sessions } = JSON.parse(stdout) as Report
    assert.include(sessions[0]?.reason ?? "", "it was to be below 500")
    // all the same it is as small as it gets
    const [least] = sessionsOf(text("least.json"))
    assert.isBelow(least.messages.length, 5)
    assert.deepStrictEqual(broken(least.messages), [])
  })

  it("says in a sentence what cannot be used, before anything is written", async () => {
    writeFileSync(file("policy.json"), '{"retain": 2')
    const transcript = file("session.json")
    const none: Given = {
      transcript,
      out: file("never.json"),
      force: false,
      to: "900",
      window: undefined,
      policy: undefined,
      noModel: false,
      provider: Option.none(),
      baseUrl: undefined,
      model: undefined,
      apiKeyEnv: undefined,
      session: undefined,
      full: false,
      from: undefined,
      format: undefined,
      dryRun: false,
      json: false
    }
    const wrong: ReadonlyArray<readonly [given: Partial<Given>, said: string]> = [
      [{ to: undefined }, "either --to or --window"],
      [{ window: "9" }, "either --to or --window"],
      [{ to: "9k" }, "--to takes a whole number"],
      [{ format: "roo-task" }, "--format roo-task is not written"],
      [{ policy: file("policy.json") }, "policy.json cannot be used"],
      [{ session: "other" }, 'no session "other"'],
      [{ noModel: true, model: "m" }, "--no-model asks no model"],
      [{ model: "m" }, "needs --base-url and --model"],
      [{ transcript: file("none.json") }, "there is no such file"]
    ]
    for (const [given, said] of wrong) {
      const error = await Effect.runPromise(
        Effect.flip(run({ ...none, ...given })).pipe(Effect.provide(NodeContext.layer))
      )
      assert.strictEqual(error._tag, "BadInput")
      assert.include(error.message, said)
    }
    const { code, stderr, stdout } = await bin.run(["compact", "session.json", "--to", "9k", "-o", "never.json"])
    assert.deepStrictEqual([code, stdout], [2, ""])
    assert.match(stderr, oneSentence)
    assert.isFalse(existsSync(file("never.json")))
  })

  it("keeps the sessions of a file apart, and takes one of them", async () => {
    const said = (name: string) => [
      { role: "user", content: `Read ${name}.` },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }]
      },
      { role: "tool", tool_call_id: "c1", content: `${name} `.repeat(9_000) },
      { role: "assistant", content: "Done." },
      { role: "user", content: "Thanks." }
    ]
    writeFileSync(file("runs.json"), JSON.stringify([{ traj: said("a") }, { traj: said("b") }, { traj: [] }]))
    const both = await bin.run(["compact", "runs.json", "--to", "4000", "-o", "both.json"])
    assert.strictEqual(both.code, 0, both.stderr)
    assert.include(both.stdout, "sessions that hold no messages are not written: 1 of the file's")
    assert.deepStrictEqual(
      sessionsOf(text("both.json")).map(({ id, messages }) => [id, messages.length]),
      [
        ["run-1", 5],
        ["run-2", 5]
      ]
    )
    const pi = ["compact", "runs.json", "--to", "4000", "--format", "pi-session"]
    const refused = await bin.run(pi)
    assert.strictEqual(refused.code, 2)
    assert.include(refused.stderr, "--session takes one")
    const one = await bin.run([...pi, "--session", "run-2"])
    assert.strictEqual(one.code, 0)
    assert.include(one.stdout, "Read b.")
    assert.include(one.stderr, "1 tool result was shortened")
    const nowhere = await bin.run(["compact", "runs.json", "--to", "4000", "--out", "nowhere/smaller.json"])
    assert.strictEqual(nowhere.code, 2)
    assert.include(nowhere.stderr, "--out nowhere/smaller.json cannot be written: there is no folder for it")
  })

  it("takes a session that its own tool compacted as the model saw it last, and with --full all of it", async () => {
    const record = (type: string, more: object) => ({ type, timestamp: "2026-01-01T00:00:00.000Z", ...more })
    const said = (role: string, words: string) =>
      record("message", { message: { role, content: [{ type: "text", text: words }] } })
    const lines = [
      record("session", { id: "p", cwd: "" }),
      said("user", "old words"),
      said("assistant", "old answer"),
      record("compaction", { summary: "They spoke.", firstKeptEntryIndex: 4, tokensBefore: 9 }),
      said("user", "new words")
    ]
    mkdirSync(file("pi"))
    writeFileSync(file("pi/session.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n") + "\n")
    const last = await bin.run(["compact", "pi/session.jsonl", "--to", "9000"])
    assert.notInclude(last.stdout, "old words")
    assert.include(last.stdout, "They spoke.")
    const all = await bin.run(["compact", "pi/session.jsonl", "--to", "9000", "--full"])
    assert.include(all.stdout, "old words")
    assert.include((await bin.run(["compact", "pi", "--to", "9000"])).stdout, "new words")
  })

  it("has a model summarise, and on a dry run only says that it would", async () => {
    await Effect.gen(function* () {
      const provider = yield* SimulatedProvider.make({ window: 200_000, as: "deepseek" })
      const words = ["compact", "session.json", "--window", "40000", "--base-url", provider.baseUrl, "--model", "small"]
      const dry = yield* Effect.promise(() => bin.run([...words, "--dry-run"]))
      assert.strictEqual((yield* provider.requests).length, 0)
      assert.include(dry.stdout, "openai-compatible/small would be asked for a summary of")
      assert.notInclude(dry.stdout, "extract")
      assert.deepStrictEqual([dry.code, dry.stderr], [0, ""])

      const { code, stderr } = yield* Effect.promise(() => bin.run([...words, "-o", "summed.json"]))
      assert.strictEqual(code, 0, stderr)
      assert.isAbove((yield* provider.requests).length, 0)
      const [session] = sessionsOf(text("summed.json"))
      assert.deepStrictEqual(broken(session.messages), [])
      assert.include(Message.text(session.messages[0]!), "[Checkpoint: a record of the earlier part")
    }).pipe(Effect.scoped, Effect.runPromise)
  })

  it("pays for no summary that could not be written", async () => {
    await Effect.gen(function* () {
      const provider = yield* SimulatedProvider.make({ window: 200_000, as: "deepseek" })
      const talk = Either.getOrThrow(Either.try(() => JSON.parse(text("session.json")) as { messages: unknown }))
      writeFileSync(file("long.json"), JSON.stringify([{ traj: talk.messages }, { traj: talk.messages }]))
      const words = ["compact", "long.json", "--window", "16000", "--base-url", provider.baseUrl, "--model", "small"]
      for (const [place, said] of [
        [["--format", "pi-session"], "holds one session"],
        [["-o", "none/out.json"], "there is no folder for it"]
      ] as const) {
        const { code, stderr } = yield* Effect.promise(() => bin.run([...words, ...place]))
        assert.strictEqual(code, 2, stderr)
        assert.include(stderr, said)
        assert.strictEqual((yield* provider.requests).length, 0)
      }
    }).pipe(Effect.scoped, Effect.runPromise)
  })

  it("names the formats that are written as they are", () => {
    assert.sameMembers([...written], [...Formats.written])
  })
})
