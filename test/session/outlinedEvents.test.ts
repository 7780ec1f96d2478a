import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as conforms from "../../src/session/conforms.ts"
import * as conformsJson from "../../src/session/conformsJson.ts"
import * as JsonBytes from "../../src/session/JsonBytes.ts"
import * as LogFrame from "../../src/session/LogFrame.ts"
import * as Message from "../../src/session/Message.ts"
import * as outlinedEvents from "../../src/session/outlinedEvents.ts"
import * as SessionEvent from "../../src/session/SessionEvent.ts"
import * as HeldMessage from "../../src/session/HeldMessage.ts"
import { changed } from "./changed.ts"

const encoder = new TextEncoder()

/** At an odd place in its memory, as a line of a chunk is. */
const bytesOf = (json: string): Uint8Array => encoder.encode(`.${json},"sum":"`).subarray(1, -8)

const counts = { estimator: "e", values: [1, 20, 300] }

const conversation: ReadonlyArray<SessionEvent.Body> = [
  {
    type: "message/user",
    data: {
      message: { ...Message.user('ä "quoted" \u0000\n\\ \ud83d'), metadata: { a: [1, null] } },
      source: "prompt",
      counts
    }
  },
  {
    type: "message/assistant",
    data: {
      counts,
      message: Message.assistant([
        { type: "reasoning", text: "hm", signature: "s" },
        Message.textBlock("b"),
        Message.toolCall("c", "read", { text: "x".repeat(50), deep: [{}, [], "", -1.5e3] })
      ]),
      usage: { inputTokens: 1, outputTokens: 2 },
      finish: "tool-calls"
    }
  },
  {
    type: "message/tool-result",
    data: { callId: "c", name: "read", content: [Message.textBlock("d")], isError: true, counts }
  },
  {
    type: "message/tool-result",
    data: {
      callId: "c",
      name: "read",
      content: [Message.textBlock("d")],
      metadata: { from: { result: "json" } },
      counts
    }
  },
  { type: "message/assistant", data: { message: Message.assistant("done"), finish: "stop", counts } },
  { type: "message/assistant", data: { message: Message.assistant(""), finish: "stop", counts } },
  { type: "message/assistant", data: { message: Message.assistant([]), finish: "stop", counts } },
  { type: "turn/end", data: { turn: 0, outcome: "completed" } }
]

const at = (body: unknown, seq: number): unknown => ({ seq, time: 1_700_000_000_000, ...(body as object) })

/** What decoding all of it says. */
const reference = (json: string, count: number) =>
  Either.flatMap(
    Either.mapLeft(LogFrame.parseEvents(json, count), (reason) => ({ seq: 0, reason })),
    (values) => outlinedEvents.decode(0, values)
  )

/** An event with its message read; what the fold looks at before that must be there already. */
const whole = ({ unread, ...event }: outlinedEvents.OutlinedEvent): unknown => {
  if (unread === undefined) return event
  const body = event as SessionEvent.SurfaceBody
  const held = HeldMessage.of({ ...body, unread })
  const outline = HeldMessage.outline(held)
  const message = HeldMessage.read(held)
  const calls = (message: Message.Message) => Message.toolCalls(message).map(({ id, name }) => ({ id, name }))
  assert.deepStrictEqual(calls(outline), calls(message))
  assert.strictEqual(Message.isEmpty(outline), Message.isEmpty(message))
  if (body.type !== "message/tool-result") {
    assert.strictEqual(outline.role, message.role)
    return { ...event, data: { ...body.data, message } }
  }
  return { ...event, data: { ...body.data, content: Message.toolResults(message)[0]!.content } }
}

/** Outlines the text and compares it with the reference; gives how many messages were left unread. */
const check = (json: string, count: number): number => {
  const outlined = outlinedEvents.make({ seq: 0, count, json: bytesOf(json) })
  const text = new TextDecoder().decode(encoder.encode(json))
  const read: unknown = Either.map(outlined, (events) => events.map(whole))
  assert.deepStrictEqual(read, reference(text, count) as unknown, json)
  return Either.isRight(outlined) ? outlined.right.filter(({ unread }) => unread !== undefined).length : 0
}

const bodies = Arbitrary.make(SessionEvent.Body)
const parts = FastCheck.oneof(FastCheck.jsonValue(), FastCheck.constantFrom(null, -1, 1.5, "", "text", "tool", true))

describe("outlinedEvents", () => {
  it("leaves the messages of a conversation unread, and each is read as it was written", () => {
    const json = JSON.stringify(conversation.map(at))
    // an answer that says nothing is decoded, since it is not on the surface
    assert.strictEqual(check(json, conversation.length), 5)
  })

  it("is what decoding says, of any batch and whatever was changed in it", () => {
    let unread = 0
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.oneof(bodies, FastCheck.constantFrom(...conversation)), {
          minLength: 1,
          maxLength: 4
        }),
        FastCheck.array(FastCheck.nat(20), { maxLength: 8 }),
        parts,
        (events, path, by) => {
          const values = events.map(at)
          for (const value of [values, changed(values, path, by)]) {
            unread += check(JSON.stringify(value), events.length)
          }
        }
      ),
      { numRuns: 500 }
    )
    assert.isAbove(unread, 300)
  })

  it("is what decoding says of any text, byte by byte", () => {
    const json = JSON.stringify(conversation.map(at))
    FastCheck.assert(
      FastCheck.property(
        FastCheck.nat(json.length),
        FastCheck.nat(3),
        FastCheck.oneof(
          FastCheck.string({ maxLength: 3 }),
          FastCheck.constantFrom(
            "\n",
            "\u0001",
            "\\",
            '"',
            "\\u00",
            '\\"',
            " ",
            "{",
            "]",
            ",",
            '"text":"',
            "0",
            "-",
            ".",
            "e1",
            "null"
          )
        ),
        (from, length, by) => {
          check(json.slice(0, from) + by + json.slice(from + length), conversation.length)
        }
      ),
      { numRuns: 3_000 }
    )
  })

  it("refuses what JSON or the format does not have, though no fold looks there", () => {
    const text = (json: string) =>
      `[{"seq":0,"time":0,"type":"message/user","data":{"message":{"role":"user","content":[{"type":"text","text":${json}}]},"source":"prompt","counts":{"estimator":"e","values":[1]}}}]`
    assert.strictEqual(check(text('"fine"'), 1), 1)
    for (const bad of ['"\u0001"', '"\\x"', '"\\u00g0"', '"', "1", "null", '"a","text":2', '"a","more":01']) {
      assert.strictEqual(check(text(bad), 1), 0, bad)
      assert.isTrue(Either.isLeft(outlinedEvents.make({ seq: 0, count: 1, json: bytesOf(text(bad)) })), bad)
    }
    // what the schema drops, or takes otherwise than it stands, is decoded
    for (const odd of ['"a","more":1', '"a","text":"b"', '"a" ']) assert.strictEqual(check(text(odd), 1), 0, odd)
  })
})

it("JSON that is recognised is plain", () => {
  const isPlain = conforms.make(SessionEvent.Body)
  const recognise = conformsJson.make(SessionEvent.Body)
  let recognised = 0
  FastCheck.assert(
    FastCheck.property(bodies, FastCheck.array(FastCheck.nat(20), { maxLength: 6 }), parts, (body, path, by) => {
      for (const value of [body, changed(body, path, by)]) {
        const json = JSON.stringify(value)
        const bytes = bytesOf(json)
        if (recognise(JsonBytes.make(bytes), 0) !== bytes.length) continue
        recognised++
        assert.isTrue(isPlain(JSON.parse(json)), json)
      }
    }),
    { numRuns: 500 }
  )
  assert.isAbove(recognised, 300)
})
