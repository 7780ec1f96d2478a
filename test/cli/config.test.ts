import { afterAll, assert, beforeEach, describe, it } from "@effect/vitest"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { providers as offered } from "../../src/cli/chat.ts"
import * as ChatSettings from "../../src/cli/chat/settings.ts"
import * as Config from "../../src/cli/config.ts"

const top = mkdtempSync(join(tmpdir(), "effect-compaction-config-"))
let number = 0
let project: string
let env: Record<string, string>

beforeEach(() => {
  const place = join(top, String(number++))
  project = join(place, "project")
  env = { HOME: join(place, "home"), XDG_CONFIG_HOME: join(place, "xdg") }
  mkdirSync(project, { recursive: true })
})
afterAll(() => rmSync(top, { recursive: true, force: true }))

const write = (path: string, value: unknown) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value))
}
const ofProject = (value: unknown) => write(join(project, "effect-compaction.json"), value)
const own = (value: unknown) => write(Config.ownPath(env), value)

const nothing: ChatSettings.Given = {
  provider: undefined,
  baseUrl: undefined,
  apiKeyEnv: undefined,
  model: undefined,
  window: undefined,
  policy: undefined,
  data: undefined
}

const settle = (given: Partial<ChatSettings.Given> = {}, named?: string) =>
  Config.load({ named, folder: project, env }).pipe(
    Effect.flatMap((configs) => ChatSettings.resolve({ ...nothing, ...given }, env, configs)),
    Effect.either,
    Effect.provide(NodeContext.layer),
    Effect.runPromise
  )

const settings = async (given: Partial<ChatSettings.Given> = {}, named?: string) =>
  Either.getOrThrowWith(await settle(given, named), (error) => error)

const wrong = async (given: Partial<ChatSettings.Given> = {}, named?: string) => {
  const result = await settle(given, named)
  assert.isTrue(Either.isLeft(result), JSON.stringify(result))
  return Either.isLeft(result) ? result.left.message : ""
}

const keyOf = ({ provider }: ChatSettings.Settings) =>
  provider.kind === "simulated" || provider.apiKey === undefined ? undefined : Redacted.value(provider.apiKey)

describe("a config file that cannot be used is named with its path and the fields", () => {
  it.each<readonly [string, unknown, ReadonlyArray<string>]>([
    ["no JSON", "{", ["it is not JSON"]],
    ["no object", [1], ["the whole: an object of settings is wanted"]],
    ["an empty name", { provider: "" }, ["provider: the name of a provider is wanted"]],
    ["a number for a name", { model: 3 }, ["model: the name of a model is wanted"]],
    ["no URL", { baseUrl: "localhost" }, ["baseUrl: a URL is wanted"]],
    ["a window as text", { window: "8000" }, ["window: a whole number of tokens above 0"]],
    ["a window of nothing", { window: 0 }, ["window: a whole number of tokens above 0"]],
    [
      "a policy that is none",
      { policy: { threshold: 7, prune: { over: "x" } } },
      ["policy: ", "threshold", "prune.over"]
    ],
    ["a field that is none", { modle: "x" }, ["modle: is not a setting; the settings here are"]],
    ["several", { provider: 1, window: -1 }, ["provider: ", "window: "]]
  ])("%s", async (_, value, parts) => {
    own(value)
    const message = await wrong()
    assert.notInclude(message, "\n")
    for (const part of [`the config ${Config.ownPath(env)} cannot be used: `, ...parts]) assert.include(message, part)
  })

  it("the project's is named by its own path, and a file that is named and not there is an error", async () => {
    ofProject({ window: "x" })
    assert.include(await wrong(), join(project, "effect-compaction.json"))
    assert.include(await wrong({}, join(project, "nope.json")), "there is no such file")
  })

  it("an unknown provider is told with what was meant, and where it was said", async () => {
    own({ provider: "deepsek" })
    assert.match(await wrong(), /config\.json: provider takes .*, and not "deepsek"; did you mean deepseek\?/u)
    env["EFFECT_COMPACTION_PROVIDER"] = "simulatd"
    assert.match(await wrong(), /^EFFECT_COMPACTION_PROVIDER takes .* did you mean simulated\?/u)
  })
})

describe("settings", () => {
  it("without anything: the simulated provider, and the folder of the XDG directories", async () => {
    const found = await settings()
    assert.deepStrictEqual(found.provider, { kind: "simulated", chosen: true })
    assert.strictEqual(found.window, 16_000)
    assert.strictEqual(found.data, join(env["HOME"] ?? "", ".local/share/effect-compaction/sessions"))
    env["XDG_DATA_HOME"] = "/data"
    assert.strictEqual((await settings()).data, "/data/effect-compaction/sessions")
  })

  it("an option goes before the environment, that before the project, and that before one's own config", async () => {
    own({ provider: "simulated", model: "own", window: 1_000, data: "own" })
    assert.deepInclude(await settings(), {
      route: { provider: "simulated", model: "own" },
      window: 1_000,
      data: join(dirname(Config.ownPath(env)), "own")
    })
    ofProject({ window: 2_000, model: "project" })
    assert.strictEqual((await settings()).window, 2_000)
    env["EFFECT_COMPACTION_WINDOW"] = "3000"
    assert.strictEqual((await settings()).window, 3_000)
    assert.strictEqual((await settings({ window: "4000" })).window, 4_000)
    assert.strictEqual((await settings()).route.model, "project")
    write(join(project, "other.json"), { model: "named" })
    assert.strictEqual((await settings({}, join(project, "other.json"))).route.model, "named")
  })

  it("a policy is one in the file, or a path beside it", async () => {
    ofProject({ policy: { threshold: 0.5 } })
    assert.strictEqual((await settings()).policy.threshold, 0.5)
    ofProject({ policy: "policy.json" })
    write(join(project, "policy.json"), { threshold: 0.6 })
    assert.strictEqual((await settings()).policy.threshold, 0.6)
    write(join(project, "policy.json"), { threshold: 6 })
    assert.include(await wrong(), "threshold")
  })

  it("the first provider whose key is there answers, and one that was named needs its key", async () => {
    env["OPENAI_API_KEY"] = "k1"
    assert.deepInclude((await settings()).route, { provider: "openai" })
    env["DEEPSEEK_API_KEY"] = "k2"
    const found = await settings()
    assert.deepInclude(found.route, { provider: "deepseek", model: "deepseek-flash" })
    assert.strictEqual(keyOf(found), "k2")
    assert.include(await wrong({ provider: "anthropic" }), "ANTHROPIC_API_KEY")
    assert.include(await wrong({ provider: "groq", model: "m" }), "GROQ_API_KEY")
    assert.include(await wrong({ provider: "openrouter" }), "needs --model")
    assert.strictEqual((await settings({ provider: "simulated" })).provider.kind, "simulated")
    assert.include(await wrong({ provider: "simulated", baseUrl: "http://localhost:1/v1" }), "needs another provider")
  })

  it("a project's file sends no key elsewhere, and cannot say which secret is a key", async () => {
    env["OPENAI_API_KEY"] = "mine"
    const elsewhere = "http://example.test/v1"
    ofProject({ provider: "openai", baseUrl: elsewhere })
    const found = await settings()
    assert.strictEqual(keyOf(found), undefined)
    assert.include(found.notes.join(" "), `no key is sent to ${elsewhere}`)
    own({ apiKeyEnv: "OPENAI_API_KEY" })
    assert.strictEqual(keyOf(await settings()), undefined)
    assert.strictEqual(keyOf(await settings({ baseUrl: elsewhere })), "mine")
    ofProject({ apiKeyEnv: "OPENAI_API_KEY" })
    assert.match(await wrong(), /effect-compaction\.json cannot be used: apiKeyEnv: a project's file cannot say/u)
    ofProject({})
    own({ provider: "openai", baseUrl: elsewhere })
    assert.strictEqual(keyOf(await settings()), "mine")
  })

  it("help offers the providers that there are", () => {
    assert.sameMembers([...offered], [...ChatSettings.providers])
  })
})
