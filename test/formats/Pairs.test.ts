import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { missingResult, repairPairs } from "../../src/formats/Pairs.ts"
import * as Message from "../../src/session/Message.ts"
import { wildMessages } from "./arbitraries.ts"
import { broken } from "./wholePairs.ts"

const calls = (...ids: ReadonlyArray<string>) =>
  Message.assistant(ids.map((id) => Message.toolCall(id, "read", { path: id })))
const result = (id: string, content = `content of ${id}`) => Message.toolResult({ id, name: "read", content })

describe("repairPairs", () => {
  it("gives back what is whole as it is", () => {
    const messages = [Message.user("hi"), calls("a", "b"), result("a"), result("b"), Message.assistant("done")]
    const repaired = repairPairs(messages)
    assert.deepStrictEqual(repaired.messages, messages)
    assert.deepStrictEqual(repaired.notes, [])
  })

  it("keeps an orphan result as the user's text", () => {
    const { messages, notes } = repairPairs([Message.user("hi"), result("x")])
    assert.strictEqual(messages[1]?.role, "user")
    assert.include(Message.text(messages[1] ?? Message.user("")), "content of x")
    assert.deepStrictEqual(notes, ['message 2: the result "x" has no call before it and was kept as the user\'s text'])
  })

  it("puts an error result where none was recorded", () => {
    const { messages, notes } = repairPairs([calls("a", "b"), result("b"), Message.user("and?")])
    assert.deepStrictEqual(
      messages[1],
      Message.toolResult({ id: "a", name: "read", content: missingResult, isError: true })
    )
    assert.deepStrictEqual(messages[2], result("b"))
    assert.lengthOf(notes, 1)
    assert.include(notes[0], 'call "a" of "read" has no result')
  })

  it("leaves out a result that stands there twice and keeps one that differs", () => {
    const { messages, notes } = repairPairs([calls("a"), result("a"), result("a"), result("a", "another")])
    assert.deepStrictEqual(messages.slice(0, 2), [calls("a"), result("a")])
    assert.lengthOf(messages, 3)
    assert.include(Message.text(messages[2] ?? Message.user("")), "another")
    assert.lengthOf(notes, 2)
  })

  it("puts results into call order", () => {
    const { messages, notes } = repairPairs([calls("a", "b"), result("b"), result("a")])
    assert.deepStrictEqual(messages, [calls("a", "b"), result("a"), result("b")])
    assert.lengthOf(notes, 1)
  })

  it("moves a result up to its call", () => {
    const { messages, notes } = repairPairs([calls("a"), Message.user("wait"), result("a")])
    assert.deepStrictEqual(messages, [calls("a"), result("a"), Message.user("wait")])
    assert.lengthOf(notes, 1)
  })

  it("pairs calls and results without ids by their place", () => {
    const { messages } = repairPairs([calls("", ""), result("", "one"), result("", "two")])
    assert.deepStrictEqual(broken(messages), [])
    assert.deepStrictEqual(
      messages.flatMap(Message.toolResults).map((block) => block.content),
      [[Message.textBlock("one")], [Message.textBlock("two")]]
    )
  })

  it("gives a call id that is used again a new name, with its own result", () => {
    const { messages } = repairPairs([calls("a"), calls("a"), result("a", "of the second")])
    assert.deepStrictEqual(broken(messages), [])
    assert.deepStrictEqual(Message.toolResults(messages[1] ?? calls())[0]?.isError, true)
    assert.deepStrictEqual(Message.toolResults(messages[3] ?? calls())[0]?.content, [
      Message.textBlock("of the second")
    ])
  })

  it("takes results out of a user message, before its words", () => {
    const mixed = Message.user([...result("b").content, ...result("a").content, Message.textBlock("go on")])
    const { messages, notes } = repairPairs([calls("a", "b"), mixed])
    assert.deepStrictEqual(messages, [calls("a", "b"), result("a"), result("b"), Message.user("go on")])
    assert.lengthOf(notes, 1)
  })

  it("names messages as it is told to", () => {
    assert.deepStrictEqual(repairPairs([Message.assistant("")], (index) => `line ${index + 7}`).notes, [
      "line 7: an empty assistant message was left out"
    ])
  })
})

const texts = (message: Message.Message): ReadonlyArray<string> =>
  message.content.flatMap((block) => {
    if (block.type === "text" || block.type === "reasoning") return [block.text]
    if (block.type === "tool-result") return block.content.map((part) => (part.type === "text" ? part.text : ""))
    return block.type === "tool-call" ? [JSON.stringify(block.arguments)] : []
  })

describe("repairPairs, whatever it is given", () => {
  it("makes pairs whole, and is done after once", () => {
    FastCheck.assert(
      FastCheck.property(wildMessages, (messages) => {
        const once = repairPairs(messages)
        assert.deepStrictEqual(broken(once.messages), [])
        const twice = repairPairs(once.messages)
        assert.deepStrictEqual(twice.messages, once.messages)
        assert.deepStrictEqual(twice.notes, [])
      }),
      { numRuns: 1000 }
    )
  })

  it("says the same of what is whole as of what has to be mended at its end", () => {
    FastCheck.assert(
      FastCheck.property(wildMessages, (messages) => {
        const whole = repairPairs(messages).messages
        const seen = repairPairs(whole)
        const mended = repairPairs([...whole, Message.assistant("")])
        assert.lengthOf(mended.notes, 1)
        assert.deepStrictEqual(seen.messages, mended.messages)
        for (let index = 0; index <= whole.length; index++) {
          assert.strictEqual(seen.placeOf(index), mended.placeOf(index))
        }
      }),
      { numRuns: 300 }
    )
  })

  it("loses no text", () => {
    FastCheck.assert(
      FastCheck.property(wildMessages, (messages) => {
        const kept = repairPairs(messages).messages.flatMap(texts)
        for (const text of messages.flatMap(texts).filter((text) => text !== ""))
          assert.isTrue(
            kept.some((other) => other.includes(text)),
            text
          )
      }),
      { numRuns: 1000 }
    )
  })

  it("changes nothing without a note", () => {
    FastCheck.assert(
      FastCheck.property(wildMessages, (messages) => {
        const repaired = repairPairs(messages)
        if (broken(messages).length > 0) return
        const full = messages.filter((message) => !Message.isEmpty(message))
        assert.deepStrictEqual(repaired.messages.flatMap(texts), full.flatMap(texts))
        assert.lengthOf(repaired.notes, messages.length - full.length)
      }),
      { numRuns: 1000 }
    )
  })

  it("takes as many parallel calls as an engine does not take arguments, whether results name them or not", () => {
    const ids = Array.from({ length: 130_000 }, (_, i) => `c${i}`)
    const calling = Message.assistant(ids.map((id) => Message.toolCall(id, "run", {})))
    for (const named of [true, false]) {
      const results = ids.map((id) => Message.toolResult({ id: named ? id : "", name: "run", content: "R" }))
      const { messages } = repairPairs([calling, ...results])
      assert.strictEqual(messages.length, ids.length + 1)
      assert.strictEqual(Message.toolResults(messages.at(-1)!)[0]?.id, ids.at(-1))
    }
  })
})
