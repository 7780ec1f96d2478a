import { assert, describe, it } from "@effect/vitest"
import * as Sends from "../../src/compaction/sends.ts"
import { runEstimator } from "../../src/compaction/RunEstimator.ts"
import { tokens } from "../../src/compaction/TokenEstimator.ts"
import * as Message from "../../src/session/Message.ts"

const thought = { type: "reasoning", text: "a long way to the answer", redacted: "AAAA" } as const
const picture = { type: "image", source: { type: "base64", base64: "AAAA" }, mediaType: "image/png" } as const
const odd = { type: "unknown", value: { kind: "audio" } } as const
const nothing: Sends.Sends = { reasoning: "omit", opaque: false, carries: () => false }
const route = { provider: "openai", model: "gpt-5" }
const priceOf = (message: Message.Message, sends: Sends.Sends | undefined) => {
  const estimator = Sends.estimatorOf(runEstimator, () => sends)
  return tokens(estimator.message(message, route), estimator.weights(route))
}

describe("what is sent of a message", () => {
  it("is the same value where all of it is", () => {
    for (const content of [[thought, Message.textBlock("yes")], [picture], [odd]] as const) {
      const message: Message.Message = { role: "assistant", content }
      assert.strictEqual(Sends.asSent(message, Sends.all), message)
    }
    const plain = Message.user("go on")
    assert.strictEqual(Sends.asSent(plain, nothing), plain)
  })

  it("has reasoning only where the route sends it back, and encrypted reasoning where its provider can read it", () => {
    const said = Message.assistant([thought, Message.textBlock("yes")])
    const calling = Message.assistant([thought, Message.toolCall("c", "f", {})])
    const typesOf = (message: Message.Message, sends: Partial<Sends.Sends>) =>
      Sends.asSent(message, { ...Sends.all, ...sends }).content.map((block) => block.type)
    assert.deepStrictEqual(typesOf(said, { reasoning: "omit" }), ["text"])
    assert.deepStrictEqual(typesOf(said, { reasoning: "with-tool-calls" }), ["text"])
    assert.deepStrictEqual(typesOf(calling, { reasoning: "with-tool-calls" }), ["reasoning", "tool-call"])
    assert.deepStrictEqual(Sends.asSent(said, { ...Sends.all, opaque: false }).content[0], {
      type: "reasoning",
      text: thought.text
    })
  })

  it("has what one provider sealed for that one, and for nobody else", () => {
    const seal = { type: "reasoning", text: "hm", signature: "s" } as const
    const said = Message.assistant([
      { ...seal, provider: "a" },
      { ...seal, provider: "b" },
      seal,
      { type: "reasoning", text: "open" },
      { ...odd, provider: "a" },
      odd,
      Message.textBlock("yes"),
      { ...seal, provider: "a" }
    ])
    const places = (sends: Partial<Sends.Sends>) => {
      const { content } = Sends.asSent(said, { ...Sends.all, ...sends })
      return content.map((block) => {
        const place = said.content.indexOf(block)
        return place === -1 ? (block as { text?: string }).text : place
      })
    }
    assert.deepStrictEqual(places({ reasoning: "sealed", provider: "a" }), [0, 4, 6])
    assert.deepStrictEqual(places({ reasoning: "sealed" }), [0, 1, 2, 4, 5, 6])
    // who reads no seal gets what was shown of it
    assert.deepStrictEqual(places({ opaque: false }), ["hm", "hm", "hm", 3, 6, "hm"])
    assert.strictEqual(Sends.asSent(said, Sends.all), said)
    const alone = Message.assistant([{ ...seal, provider: "a" }])
    assert.lengthOf(Sends.asSent(alone, { ...Sends.all, reasoning: "sealed", provider: "a" }).content, 0)
  })

  it("names the images and files that it does not carry, without their bytes", () => {
    const inline = { type: "image", source: { type: "url", url: `data:image/png;base64,${"A".repeat(900)}` } } as const
    const result = Message.toolResult({ id: "c", name: "shot", content: [picture, inline, odd] })
    assert.deepStrictEqual(Sends.asSent(result, nothing).content, [
      {
        type: "tool-result",
        id: "c",
        name: "shot",
        content: [Message.textBlock("[image image/png]"), Message.textBlock("[image]")]
      }
    ])
    const carries: Sends.Sends["carries"] = (_, role) => role === "user"
    assert.strictEqual(Sends.asSent(Message.user([picture]), { ...nothing, carries }).content[0], picture)
  })
})

describe("the price of what is sent", () => {
  it("is nothing for reasoning that stays here, and its own for reasoning that goes back", () => {
    const said = Message.assistant([thought, Message.textBlock("yes")])
    assert.strictEqual(priceOf(said, nothing), priceOf(Message.assistant("yes"), undefined))
    assert.isAbove(priceOf(said, { ...nothing, reasoning: "always" }), priceOf(said, nothing))
    assert.strictEqual(priceOf(said, undefined), priceOf(said, Sends.all))
    for (const sends of [nothing, Sends.all]) assert.strictEqual(priceOf(Message.assistant([thought]), sends), 0)
  })

  it("is that of its name for an image that is not shown", () => {
    assert.strictEqual(priceOf(Message.user([picture]), nothing), priceOf(Message.user("[image image/png]"), undefined))
    assert.isAbove(priceOf(Message.user([picture]), undefined), 700)
  })

  it("is that of all of it where no route is known", () => {
    const said = Message.assistant([thought, Message.textBlock("yes")])
    assert.deepStrictEqual(Sends.estimatorOf(runEstimator, () => nothing).message(said), runEstimator.message(said))
  })

  it("holds the prefix of an envelope too", () => {
    const prefix = [Message.user([picture])]
    assert.deepStrictEqual(
      Sends.estimatorOf(runEstimator, () => nothing).envelope({ route, prefix }),
      runEstimator.envelope({ route, prefix: [Message.user("[image image/png]")] })
    )
  })
})
