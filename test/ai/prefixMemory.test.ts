import * as Prompt from "@effect/ai/Prompt"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as messageChain from "../../src/ai/messageChain.ts"
import * as prefixMemory from "../../src/ai/prefixMemory.ts"
import * as Message from "../../src/session/Message.ts"

const checkpoint = (text: string) => Message.user(text)

describe("prefixMemory", () => {
  it("gives out the conversation that covers most, to one caller at a time", () => {
    const memory = prefixMemory.make<string>(4)
    assert.deepStrictEqual([...memory.keep("b", "B"), ...memory.keep("c", "C")], [])
    assert.deepStrictEqual(memory.take(["a", "b", "c", "d"]), { _tag: "conversation", length: 2, conversation: "C" })
    assert.deepStrictEqual(memory.take(["a", "b", "c", "d"]), { _tag: "conversation", length: 1, conversation: "B" })
    assert.isUndefined(memory.take(["a", "b", "c", "d"]))
    assert.isUndefined(memory.take(["a", "x"]))
  })

  it("a checkpoint beyond what a conversation took in stands for more, one before it does not", () => {
    const memory = prefixMemory.make<string>(4)
    memory.keep("c", "C")
    memory.learn("b", checkpoint("b"))
    assert.strictEqual(memory.take(["a", "b", "c"])?._tag, "conversation")
    memory.keep("b", "B")
    memory.learn("c", checkpoint("c"))
    assert.deepStrictEqual(memory.take(["a", "b", "c"]), { _tag: "checkpoint", length: 2, message: checkpoint("c") })
    // a checkpoint may be given to many
    assert.strictEqual(memory.take(["a", "b", "c"])?._tag, "checkpoint")
  })

  it("what was used last stays, within the bound; of two that are the same the later one", () => {
    const memory = prefixMemory.make<string>(2)
    memory.keep("a", "A")
    memory.keep("b", "B")
    assert.deepStrictEqual(memory.keep("a", "A2"), ["A"])
    assert.deepStrictEqual(memory.keep("c", "C"), ["B"])
    for (let i = 0; i < 100; i++) memory.learn(`k${i}`, checkpoint("x"))
    assert.deepStrictEqual(memory.size(), { conversations: 2, checkpoints: 16 })
    assert.isUndefined(memory.take(["", "k0"]))
    assert.isDefined(memory.take(["", "k99"]))
  })
})

const said = (text: string, options: Prompt.ProviderOptions = {}) =>
  Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text, options })], options })

const seed = messageChain.makeSeed()

describe("messageChain", () => {
  it("equal beginnings have equal names, and another message another name for all that follows", () => {
    const texts = FastCheck.array(FastCheck.string(), { maxLength: 8 })
    FastCheck.assert(
      FastCheck.property(texts, texts, texts, (shared, left, right) => {
        const a = messageChain.make(
          seed,
          [...shared, ...left].map((text) => said(text))
        )
        const b = messageChain.make(
          seed,
          [...shared, ...right].map((text) => said(text))
        )
        let same = shared.length
        while (
          same < shared.length + Math.min(left.length, right.length) &&
          left[same - shared.length] === right[same - shared.length]
        )
          same++
        for (let i = 0; i < Math.max(a.length, b.length); i++) assert.strictEqual(a[i] === b[i], i <= same, String(i))
      })
    )
  })

  it("a message that has no JSON is the same again as the same object, and another one is not", () => {
    const odd = () =>
      Prompt.makeMessage("assistant", {
        content: [Prompt.makePart("tool-call", { id: "1", name: "f", params: { n: 1n }, providerExecuted: false })]
      })
    const one = odd()
    assert.deepStrictEqual(messageChain.make(seed, [one]), messageChain.make(seed, [one]))
    assert.notDeepEqual(messageChain.make(seed, [one]), messageChain.make(seed, [odd()]))
  })

  it("a provider's options make no difference, what a part says does", () => {
    const call = (params: unknown) =>
      Prompt.makeMessage("assistant", {
        content: [Prompt.makePart("tool-call", { id: "a", name: "read", params, providerExecuted: false })]
      })
    const file = (data: Uint8Array | string | URL) =>
      Prompt.makeMessage("user", { content: [Prompt.makePart("file", { mediaType: "image/png", data })] })
    const name = (message: Parameters<typeof messageChain.make>[1][number]) => messageChain.make(seed, [message])[1]
    assert.strictEqual(name(said("x", { anthropic: { cacheControl: 1 } })), name(said("x")))
    assert.notStrictEqual(name(call({ page: 1 })), name(call({ page: 2 })))
    assert.strictEqual(name(call({ page: 1 })), name(call({ page: 1 })))
    assert.strictEqual(name(file(new Uint8Array([1, 2, 3]))), name(file(new Uint8Array([1, 2, 3]))))
    assert.notStrictEqual(name(file(new Uint8Array([1, 2, 3]))), name(file(new Uint8Array([1, 2, 4]))))
    assert.strictEqual(name(file(new URL("https://a.example/b"))), name(file(new URL("https://a.example/b"))))
    // what has no JSON is never the same again
    assert.notStrictEqual(name(call({ page: 1n })), name(call({ page: 1n })))
  })

  it("another memory has other names", () => {
    assert.notStrictEqual(
      messageChain.make(messageChain.makeSeed(), [said("x")])[1],
      messageChain.make(seed, [said("x")])[1]
    )
  })
})
