import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { bundle } from "./bin.ts"
import { hasTmux, terminal } from "./screen.ts"

let bin: Awaited<ReturnType<typeof bundle>>
let work: string
let env: Readonly<Record<string, string>>
let open: ReturnType<typeof terminal> | undefined

beforeAll(async () => {
  bin = await bundle()
  work = join(bin.folder, "work")
  mkdirSync(work)
  writeFileSync(join(bin.folder, "secret.txt"), "nobody's business\n")
  symlinkSync("../secret.txt", join(work, "link.txt"))
  symlinkSync("..", join(work, "up"))
  env = {
    HOME: bin.folder,
    XDG_DATA_HOME: join(bin.folder, "data"),
    XDG_CONFIG_HOME: join(bin.folder, "config"),
    DEEPSEEK_API_KEY: "",
    ANTHROPIC_API_KEY: "",
    OPENAI_API_KEY: ""
  }
})
afterEach(() => {
  open?.close()
  open = undefined
})
afterAll(() => bin.remove())

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Waits until it holds, at most a minute. */
const eventually = async (holds: () => boolean) => {
  for (let waited = 0; waited < 600 && !holds(); waited++) await new Promise((resolve) => setTimeout(resolve, 100))
  assert.isTrue(holds())
}

const chat = (more: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const screen = terminal({ cwd: work, env: { ...env, ...more } })
  open = screen
  screen.start([process.execPath, bin.file, "chat", ...args])
  return screen
}

const log = (session: string) => join(bin.folder, "data/effect-compaction/sessions", `${session}.jsonl`)

const prompt = /\[\d+ % of [\d,]+, generation \d+\] >\s*$/u

describe.skipIf(!hasTmux)("chat in a terminal (skipped where tmux is missing)", () => {
  it("runs tools, asks before a command, shows pressure and generation, compacts, branches and leaves [A143]", async () => {
    const screen = chat({ NO_COLOR: "1" }, "--session", "tools", "--window", "8000")
    await screen.until(prompt)
    assert.match(screen.shown(), /simulated model \(no key is set[^]*begins: there was no session of this name/u)
    // a terminal that shows colours, and a person who wants none
    assert.notInclude(screen.coloured(), "\u001b[2m")
    screen.type("/compact")
    await screen.until(/compacted: nothing, since nothing was asked of a model yet/u)
    screen.type("/compact now")
    await screen.until(/\/compact takes nothing behind it/u)
    screen.type("write notes.txt: hello there")
    await screen.until(/made notes\.txt \(\+1 -0 lines\)[^]*Done\.[^]*generation 0\] >\s*$/u)
    screen.type("#words 600")
    await screen.until(/word word\s+\[\d+ % of 8,000, generation 0\] > ?$/u)
    screen.type("edit notes.txt: hello => good morning")
    await screen.until(/- ?hello there\s+\+ ?good morning there[^]*Done\.[^]*> ?$/u)
    assert.strictEqual(readFileSync(join(work, "notes.txt"), "utf8"), "good morning there\n")
    screen.type("read link.txt")
    await screen.until(/link\.txt: this is outside of the working folder[^]*Done\.[^]*> ?$/u)
    screen.type("run cat notes.txt > copy.txt; echo copied")
    await screen.until(/wants to run: cat notes\.txt > copy\.txt; echo copied\s+run it\? \[y\/N\] ?$/u)
    assert.isFalse(existsSync(join(work, "copy.txt")))
    screen.type("y")
    await screen.until(/exit code 0[^]*copied\s+\[\d+ %/u)
    assert.isTrue(existsSync(join(work, "copy.txt")))
    screen.type("run touch never")
    await screen.until(/touch never\s+run it\? \[y\/N\] ?$/u)
    screen.type("n")
    await screen.until(/the user did not let this command run[^]*> ?$/u)
    assert.isFalse(existsSync(join(work, "never")))

    screen.type("/plan")
    await screen.until(/before the next request: nothing, since it is below the threshold/u)
    await screen.until(/\/compact: summarise of the events/u)
    screen.type("/compact")
    await screen.until(/compacted by summarise: [\d,]+ -> [\d,]+ tokens, generation 1[^]*generation 1\] > ?$/u)
    screen.paste("list\n\n#say pasted as one")
    screen.press("Enter")
    await screen.until(/lists \.\s+pasted as one\s+\[[^\]]*\] > ?$/u)
    screen.type("/us\t")
    await screen.until(/requests: \d+, [\d,]+ tokens in[^]*summaries: 1, [^]*> ?$/u)
    screen.type("/branch 1")
    await screen.until(/branched at event 1: session tools-branch-1[^]*generation 0\] > ?$/u)
    screen.type("/quit")
    const end = await screen.until(/ended with \d+/u)
    assert.match(end, /effect-compaction chat --session tools-branch-1\s+ended with 0$/u)
    assert.strictEqual(end.match(/go on with it/gu)?.length, 1)
    assert.isTrue(existsSync(log("tools")) && existsSync(log("tools-branch-1")))
  }, 180_000)

  it("Ctrl-C ends a turn and its command with all children; the session goes on; twice leaves", async () => {
    const screen = chat({}, "--session", "stops", "--allow-commands")
    await screen.until(prompt)
    assert.include(screen.coloured(), "\u001b[2m")
    screen.type("run sleep 600 & echo $! > child; sleep 600")
    const child = join(work, "child")
    await eventually(() => existsSync(child) && readFileSync(child, "utf8").endsWith("\n"))
    const pid = Number(readFileSync(child, "utf8"))
    assert.isTrue(isAlive(pid))
    screen.press("C-c")
    await screen.until(/\(stopped; what was done is kept\)\s+\[[^\]]*\] > ?$/u)
    await eventually(() => !isAlive(pid))
    screen.type("list")
    await screen.until(/lists \.[^]*Done\.[^]*> ?$/u)
    screen.press("C-c")
    await screen.until(/Ctrl-C again leaves[^]*> ?$/u)
    screen.press("C-c")
    await screen.until(/ended with 130$/u)
    const { code, stdout } = await bin.run(["doctor", log("stops")])
    assert.strictEqual(code, 0, stdout)
  }, 180_000)

  it.each([
    ["openai-compatible", ["--model", "m", "--window", "50000"]],
    ["anthropic", []]
  ] as const)(
    "Ctrl-C ends an answer that comes in, what was said is kept (%s)",
    (name, more) =>
      Effect.gen(function* () {
        const as = name === "anthropic" ? "anthropic" : "openai"
        const provider = yield* SimulatedProvider.make({ as, window: 50_000 })
        yield* provider.next(SimulatedProvider.stall("I begin, and"), SimulatedProvider.say("I am well."))
        const baseUrl = as === "anthropic" ? provider.baseUrl : `${provider.baseUrl}/v1`
        const args = ["--session", `cut-${name}`, "--provider", name, "--base-url", baseUrl, ...more]
        const screen = chat({ ANTHROPIC_API_KEY: "secret-key" }, ...args)
        yield* Effect.promise(async () => {
          await screen.until(prompt)
          screen.type("hello")
          await screen.until(/I begin, and$/u)
          screen.press("C-c")
          await screen.until(/\(stopped; what was done is kept\)\s+\[[^\]]*\] > ?$/u)
          screen.type("how are you?")
          await screen.until(/I am well\.\s+\[[^\]]*\] > ?$/u)
        })
        const [first, second] = yield* provider.requests
        assert.strictEqual(first?.outcome, "abandoned")
        assert.include(second?.text, "I begin, and")
        assert.notInclude(readFileSync(log(`cut-${name}`), "utf8"), "secret-key")
      }).pipe(Effect.scoped, Effect.runPromise),
    180_000
  )

  it("goes on after kill -9 in the middle of a turn", async () => {
    const screen = chat({}, "--session", "killed", "--allow-commands")
    await screen.until(prompt)
    screen.type("write kept.txt: kept")
    await screen.until(/made kept\.txt[^]*Done\.[^]*> ?$/u)
    screen.type("run echo $PPID > chat.pid; sleep 600")
    const file = join(work, "chat.pid")
    await eventually(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"))
    process.kill(Number(readFileSync(file, "utf8")), "SIGKILL")
    await screen.until(/ended with 137$/u)
    screen.close()

    const again = chat({}, "--session", "killed", "--allow-commands")
    await again.until(/goes on: \d+ messages, generation 0\s+last it said: Done\. [^]*> ?$/u)
    const second = await bin.run(["chat", "--session", "killed"], { cwd: work, env })
    assert.strictEqual(second.code, 1)
    assert.match(second.stderr, /effect-compaction: session "killed" is [^\n]+ \(the sessions are in [^\n]+\)\n$/u)
    again.type("read kept.txt")
    await again.until(/reads kept\.txt[^]*Done\. The tool answered: 1\s+kept[^]*> ?$/u)
    again.type("/quit")
    await again.until(/ended with 0$/u)
  }, 180_000)
})

describe("chat without a terminal", () => {
  it("takes lines from a pipe, asks nothing, and gives the answers alone on stdout", async () => {
    const stdin = "#say one\n/plan\nlist up\nrun touch never\n#say two\n"
    const { code, stderr, stdout } = await bin.run(["chat", "--session", "piped"], { stdin, cwd: work, env })
    assert.strictEqual(code, 0, stderr)
    const said = stdout.split("\n").filter((line) => line !== "")
    assert.deepStrictEqual([said[0], said.at(-1)], ["one", "two"])
    assert.match(stderr, /up: this is outside of the working folder/u)
    assert.match(stderr, /does not run touch never: nobody can be asked; --allow-commands lets it/u)
    assert.match(stderr, /before the next request: nothing/u)
    assert.notInclude(stdout + stderr, "\u001b")
    assert.notInclude(stdout + stderr, "nobody's business")
    assert.isFalse(existsSync(join(work, "never")))
  })

  it("ends on an interrupt with the command that runs, and its session is whole", async () => {
    const child = join(work, "piped-child")
    let killed = false
    const { code, stderr } = await bin.run(["chat", "--session", "cut", "--allow-commands"], {
      stdin: `run echo $$ > ${child}; sleep 600\n`,
      cwd: work,
      env,
      onStderr: (text, kill) => {
        if (killed || !text.includes("· runs echo")) return
        killed = true
        void eventually(() => existsSync(child) && readFileSync(child, "utf8").endsWith("\n")).then(kill)
      }
    })
    assert.strictEqual(code, 130, stderr)
    const pid = Number(readFileSync(child, "utf8"))
    await eventually(() => !isAlive(pid))
    const doctor = await bin.run(["doctor", log("cut")])
    assert.strictEqual(doctor.code, 0, doctor.stdout)
  })

  it("takes all of the input as one prompt with --once", async () => {
    const stdin = "#say one\n/plan\n#say two\n"
    const args = ["chat", "--once", "--allow-commands"]
    const { code, stderr, stdout } = await bin.run(args, { stdin, cwd: work, env })
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(stdout, "one\n")
    assert.notInclude(stderr, "before the next request")
    const nothing = await bin.run(args, { stdin: "\n", cwd: work, env })
    assert.strictEqual(nothing.code, 1)
    assert.include(nothing.stderr, "--once found no question")
  })

  it.each<readonly [string, ReadonlyArray<string>, RegExp]>([
    ["a provider without its key", ["--provider", "deepseek"], /variable DEEPSEEK_API_KEY, .* is not set/u],
    ["a window that is no number", ["--window", "8k"], /--window takes a whole number .* "8k"/u],
    [
      "a config that is not there",
      ["--config", "nope.json"],
      /cannot read the config nope\.json: there is no such file/u
    ],
    ["a provider that is none", ["--provider", "deepsek"], /and not "deepsek"; did you mean deepseek\?/u],
    ["a URL that is none", ["--base-url", "here"], /--base-url: "here" is no URL/u]
  ])("refuses %s in one sentence", async (_, args, words) => {
    const { code, stderr, stdout } = await bin.run(["chat", ...args], { cwd: work, env })
    assert.strictEqual(code, 2, stderr)
    assert.strictEqual(stdout, "")
    assert.match(stderr, /^effect-compaction: [^\n]+\n$/u)
    assert.match(stderr, words)
  })

  it("is a failure where the turn failed", async () => {
    const args = ["chat", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"]
    const { code, stderr } = await bin.run(args, { stdin: "hello\n", cwd: work, env })
    assert.strictEqual(code, 1, stderr)
    assert.match(stderr, /the turn failed: /u)
  })
})
