import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import * as conformsJson from "./conformsJson.ts"
import type { Seq } from "./Ids.ts"
import * as JsonBytes from "./JsonBytes.ts"
import * as Message from "./Message.ts"
import * as SessionEvent from "./SessionEvent.ts"
import type { Unread } from "./UnreadMessage.ts"

/** An event whose message is not read, and where its JSON ends. */
export interface Read {
  readonly event: SessionEvent.SurfaceBody & SessionEvent.SessionEvent & { readonly unread: Unread }
  readonly end: number
}

const encoder = new TextEncoder()
const seqKey = encoder.encode('{"seq":')
const timeKey = encoder.encode(',"time":')
const quote = 34
const comma = 44
const bracket = 93
const brace = 125

/** Places of fields in what is looked at now. Nothing here waits, so one array of each is enough. */
const dataPlaces: Array<number> = []
const messagePlaces: Array<number> = []

const { metadata } = Message.Message.fields
const { ReasoningBlock, TextBlock, ToolCallBlock } = Message
const says = [TextBlock, ReasoningBlock, Message.ImageBlock, Message.FileBlock, Message.UnknownBlock] as const

/** A message of that role whose blocks tell nothing to a fold that `heardOf` does not find. */
const messageOf = (role: "user" | "assistant"): conformsJson.Recogniser => {
  const block = role === "user" ? Schema.Union(...says) : Schema.Union(TextBlock, ToolCallBlock, ...says.slice(1))
  const schema = Schema.Struct({ role: Schema.Literal(role), content: Schema.Array(block), metadata })
  const isMessage = conformsJson.struct(conformsJson.fieldsOf(schema.ast as AST.TypeLiteral))
  return (json, at) => isMessage(json, at, messagePlaces)
}

interface Shape {
  readonly type: SessionEvent.SurfaceBody["type"]
  /** from behind the time up to the data */
  readonly key: Uint8Array
  readonly names: ReadonlyArray<string>
  readonly isData: conformsJson.ObjectRecogniser
  /** the field that is not read */
  readonly unread: number
}

const shapes: ReadonlyArray<Shape> = SessionEvent.Body.members.flatMap((member): ReadonlyArray<Shape> => {
  const [type] = member.fields.type.literals
  if (type !== "message/user" && type !== "message/assistant" && type !== "message/tool-result") return []
  const fields = conformsJson
    .fieldsOf(member.fields.data.ast as AST.TypeLiteral)
    .map((field) =>
      field.name === "message" ? { ...field, is: messageOf(type === "message/user" ? "user" : "assistant") } : field
    )
  const names = fields.map(({ name }) => name)
  return [
    {
      type,
      key: encoder.encode(`,"type":"${type}","data":`),
      names,
      isData: conformsJson.struct(fields),
      unread: names.indexOf(type === "message/tool-result" ? "content" : "message")
    }
  ]
})

const contentPlace = 2 * Object.keys(Message.Message.fields).indexOf("content")
const saidKeys = ["text", "reasoning"].map((type) => encoder.encode(`{"type":"${type}",`))

/** An empty text has as many bytes in any order of its keys; what has others says something. */
const emptyLength = '{"type":"text","text":""}'.length

/** Stands for what a message says. */
const something: ReadonlyArray<Message.Block> = [Message.textBlock("…")]
const nothing: ReadonlyArray<Message.ResultBlock> = []

/** What a fold looks at in the content of an answer that was recognised: its calls, or that it says something. */
const heardOf = (json: JsonBytes.JsonBytes): ReadonlyArray<Message.Block> | undefined => {
  const { bytes } = json
  const calls: Array<Message.Block> = []
  let isEmpty = true
  let at = messagePlaces[contentPlace]!
  if (bytes[at + 1] === bracket) return undefined
  do {
    const from = at + 1
    at = JsonBytes.valueEnd(json, from)
    if (at - from !== emptyLength) isEmpty = false
    if (saidKeys.some((key) => JsonBytes.matches(bytes, from, key))) continue
    const block = JsonBytes.parse(json, from, at) as Message.Block
    if (block.type === "tool-call") calls.push(block)
  } while (bytes[at] === comma)
  if (calls.length > 0) return calls
  return isEmpty ? undefined : something
}

/** The counts that were read last: an estimator's id is the same for thousands of events. */
let lastCounts = { before: new Uint8Array(0), estimator: "" }
const valuesKey = encoder.encode(',"values":[')

const countsOf = (json: JsonBytes.JsonBytes, from: number, to: number): SessionEvent.Counts => {
  const { bytes } = json
  const { before, estimator } = lastCounts
  if (before.length === 0 || !JsonBytes.matches(bytes, from, before)) {
    const counts = JsonBytes.parse(json, from, to) as SessionEvent.Counts
    const key = encoder.encode(`{"estimator":${JSON.stringify(counts.estimator)}`)
    lastCounts = { before: new Uint8Array([...key, ...valuesKey]), estimator: counts.estimator }
    return counts
  }
  const values: Array<number> = []
  for (let at = from + before.length; at < to - 2; at++) {
    const end = JsonBytes.numberEnd(json, at)
    values.push(JsonBytes.parseNumber(json, at, end))
    at = end
  }
  return { estimator, values }
}

const fieldOf = (json: JsonBytes.JsonBytes, name: string, from: number, to: number): unknown => {
  if (name === "counts") return countsOf(json, from, to)
  return json.bytes[from] === quote ? JsonBytes.parseString(json, from, to) : JsonBytes.parse(json, from, to)
}

const dataOf = (json: JsonBytes.JsonBytes, shape: Shape): unknown => {
  const data: Record<string, unknown> = {}
  for (let place = 0; place < shape.names.length; place++) {
    const from = dataPlaces[2 * place]!
    if (from === -1) continue
    const name = shape.names[place]!
    if (place !== shape.unread) data[name] = fieldOf(json, name, from, dataPlaces[2 * place + 1]!)
    else if (shape.type === "message/tool-result") data[name] = nothing
    else {
      const content = shape.type === "message/user" ? something : heardOf(json)
      if (content === undefined) return undefined
      data[name] = { role: shape.type === "message/user" ? "user" : "assistant", content }
    }
  }
  return data
}

/**
 * Reads the event that begins at `at` if it surely is one that puts a message on the surface, has that seq, and stands there
 * as a log's writer writes it. Undefined says nothing.
 */
export const read = (json: JsonBytes.JsonBytes, at: number, seq: Seq): Read | undefined => {
  const { bytes } = json
  if (!JsonBytes.matches(bytes, at, seqKey)) return undefined
  const seqAt = at + seqKey.length
  const seqEnd = JsonBytes.numberEnd(json, seqAt)
  if (seqEnd === -1 || JsonBytes.parseNumber(json, seqAt, seqEnd) !== seq) return undefined
  if (!JsonBytes.matches(bytes, seqEnd, timeKey)) return undefined
  const timeAt = seqEnd + timeKey.length
  const timeEnd = JsonBytes.numberEnd(json, timeAt)
  if (timeEnd === -1) return undefined
  const shape = shapes.find(({ key }) => JsonBytes.matches(bytes, timeEnd, key))
  if (shape === undefined) return undefined
  dataPlaces.fill(-1)
  for (let i = dataPlaces.length; i < 2 * shape.names.length; i++) dataPlaces.push(-1)
  const dataEnd = shape.isData(json, timeEnd + shape.key.length, dataPlaces)
  if (dataEnd === -1 || bytes[dataEnd] !== brace) return undefined
  const data = dataOf(json, shape)
  if (data === undefined) return undefined
  const unread: Unread = { bytes, from: dataPlaces[2 * shape.unread]!, to: dataPlaces[2 * shape.unread + 1]! }
  const event = { seq, time: JsonBytes.parseNumber(json, timeAt, timeEnd), type: shape.type, data, unread }
  return { event: event as Read["event"], end: dataEnd + 1 }
}
