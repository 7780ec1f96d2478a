import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { createServer } from "node:http"
import { bundle, type Ended } from "./bin.ts"

let bin: Awaited<ReturnType<typeof bundle>>

beforeAll(async () => {
  bin = await bundle()
})
afterAll(() => bin.remove())

const paths = { chat: "/v1/chat/completions", messages: "/v1/messages", responses: "/v1/responses" } as const

type Ask = (
  path: keyof typeof paths,
  body: object
) => Promise<{ readonly status: number; readonly body: ReturnType<typeof JSON.parse> }>

/** Runs the command, talks to it when it says that it listens, and ends it as Ctrl-C does. */
const serving = async (args: ReadonlyArray<string>, talk: (ask: Ask, origin: string) => Promise<void>) => {
  let talking: Promise<void> | undefined
  const ended = await bin.run(["provider", ...args], {
    onStderr: (text, kill) => {
      const origin = /listens on (?<origin>http:\S+\d)/u.exec(text)?.groups?.["origin"]
      if (talking !== undefined || origin === undefined) return
      const ask: Ask = async (path, body) => {
        const response = await fetch(`${origin}${paths[path]}`, {
          method: "POST",
          headers: { "anthropic-version": "2023-06-01" },
          body: JSON.stringify({ model: "m", ...body })
        })
        return { status: response.status, body: await response.json() }
      }
      talking = talk(ask, origin).finally(kill)
    }
  })
  await talking
  return ended
}

const user = (content: string) => ({ messages: [{ role: "user", content }] })
const firstLine = ({ stdout }: Ended) => stdout.split("\n")[0]

describe("effect-compaction provider", () => {
  it("answers any client in three protocols, tells of each request, and stops on Ctrl-C", async () => {
    let where = ""
    const ended = await serving(
      ["--window", "1000", "--as", "anthropic", "--discovery", "vllm"],
      async (ask, origin) => {
        where = origin
        const said = await ask("chat", user("Hello there"))
        assert.strictEqual(said.body.choices[0].message.content, "You said: Hello there")
        const called = await ask("messages", {
          ...user('Please.\n#call read_file {"path":"a.txt"}'),
          max_tokens: 100,
          tools: [{ name: "list", input_schema: { type: "object" } }]
        })
        assert.deepInclude(called.body.content[0], { type: "tool_use", name: "read_file", input: { path: "a.txt" } })
        const response = await ask("responses", { input: "#words 30" })
        assert.strictEqual(response.body.output[0].content[0].text, "word ".repeat(30).trim())
        const quoted = await ask("chat", user('Said before:\n#call read_file\n\n#say {"a": 1}'))
        assert.strictEqual(quoted.body.choices[0].message.content, '{"a": 1}')
        const long = await ask("messages", { ...user("word ".repeat(2_000)), max_tokens: 100 })
        assert.strictEqual(long.status, 400)
        const models = await (await fetch(`${origin}/v1/models`)).json()
        assert.strictEqual(models.data[0].max_model_len, 1_000)
      }
    )
    assert.strictEqual(ended.code, 130, ended.stderr)
    assert.strictEqual(ended.stdout, `${where}\n`)
    assert.match(ended.stderr, /^a simulated anthropic with a window of 1,000 tokens listens on /u)
    assert.match(
      ended.stderr,
      /request 1: chat-completions, \d+ tokens: answered \(200\), reported as \d+ in, 0 of them/u
    )
    assert.match(ended.stderr, /request 5: anthropic-messages, 2,\d+ tokens: refused \(400\)\n/u)
  })

  it("fails at the requests that it is told", async () => {
    const script = ["--refuse-at", "2", "--rate-limit-at", "3,4", "--overload-at", "5", "--misreport-at", "6"]
    const ended = await serving(["--window", "5000", "--as", "openai", "--latency", "1", ...script], async (ask) => {
      const found: Array<number> = []
      for (let i = 0; i < 5; i++) found.push((await ask("chat", user("Hello"))).status)
      assert.deepStrictEqual(found, [200, 400, 429, 429, 503])
      assert.strictEqual((await ask("chat", user("Hello"))).body.usage.prompt_tokens, 500)
    })
    assert.match(ended.stderr, /request 3: chat-completions, \d+ tokens: faulted \(429\)\n/u)
  })

  it("counts, states and limits what its options say", async () => {
    const args = ["--counting-factor", "2", "--stated-window", "9000", "--output-limit", "50", "--byte-limit", "20000"]
    await serving(["--window", "500", ...args], async (ask, origin) => {
      const long = await ask("chat", user("word ".repeat(300)))
      assert.match(
        long.body.error.message,
        /maximum context length is 9000 tokens\. However, you requested 6\d\d tokens/u
      )
      assert.strictEqual((await ask("chat", { ...user("x"), max_tokens: 51 })).status, 400)
      const large = await fetch(`${origin}${paths.chat}`, { method: "POST", body: "x".repeat(20_001) })
      assert.strictEqual(large.status, 413)
    })
    await serving(["--window", "100", "--truncates"], async (ask) => {
      assert.strictEqual((await ask("chat", user("word ".repeat(300)))).status, 200)
    })
  })

  it("listens on the port that it is given, and says when it cannot", async () => {
    const server = createServer(() => {})
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = String(typeof address === "object" && address !== null ? address.port : 0)
    const taken = await bin.run(["provider", "--window", "1000", "--port", port])
    assert.strictEqual(taken.code, 2)
    assert.strictEqual(taken.stdout, "")
    assert.include(
      taken.stderr,
      `cannot listen on port ${port} of 127.0.0.1: another process listens there; --port takes`
    )
    await new Promise((resolve) => server.close(resolve))
    const ended = await serving(["--window", "1000", "--port", port], async (ask) => {
      assert.strictEqual((await ask("chat", user("x"))).status, 200)
    })
    assert.strictEqual(firstLine(ended), `http://127.0.0.1:${port}`)
  })

  it.each<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ["no window", [], ["--window"]],
    ["a window of nothing", ["--window", "0"], ["--window", '"0"']],
    ["a window that is no number", ["--window", "8k"], ["--window", '"8k"']],
    [
      "a provider that is none",
      ["--window", "100", "--as", "foo"],
      ["--as takes deepseek, openai or anthropic", '"foo"']
    ],
    ["a port that is none", ["--window", "100", "--port", "70000"], ["--port", "65535", '"70000"']],
    ["a factor of nothing", ["--window", "100", "--counting-factor", "0"], ["--counting-factor", "above 0"]],
    ["a request 0", ["--window", "100", "--refuse-at", "0,3"], ["--refuse-at", "3,7", '"0,3"']],
    ["a stated window that is none", ["--window", "100", "--stated-window", "x"], ["--stated-window", '"x"']],
    ["a latency that is none", ["--window", "100", "--latency", "soon"], ["--latency", "milliseconds"]]
  ])("refuses %s in one sentence", async (_, args, parts) => {
    const { code, stderr, stdout } = await bin.run(["provider", ...args])
    assert.strictEqual(code, 2, stderr)
    assert.strictEqual(stdout, "")
    assert.match(stderr, /^effect-compaction: [^\n]+\n$/u)
    for (const part of parts) assert.include(stderr, part)
  })

  it("explains itself", async () => {
    const { code, stdout } = await bin.run(["provider", "--help"])
    assert.strictEqual(code, 0)
    for (const part of ["$ effect-compaction provider", "--refuse-at", "/v1/messages", "#call NAME"]) {
      assert.include(stdout.replace(/\s+/gu, " "), part)
    }
    assert.include((await bin.run(["--help"])).stdout, "effect-compaction provider --port 4010")
    assert.include((await bin.run(["provider"])).stderr, "effect-compaction provider --help")
  })
})
