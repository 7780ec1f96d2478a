import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import * as conformsJson from "./conformsJson.ts"
import type { Seq } from "./Ids.ts"
import * as JsonBytes from "./JsonBytes.ts"
import * as jsonValues from "./jsonValues.ts"
import * as Message from "./Message.ts"
import * as SessionEvent from "./SessionEvent.ts"
import type { Unread } from "./HeldMessage.ts"
import { closeBrace, closeBracket, comma, quote } from "./jsonCharacters.ts"

/** An event whose message is not read, and where its JSON ends. */
export interface Read {
  readonly event: SessionEvent.SurfaceBody & SessionEvent.SessionEvent & { readonly unread: Unread }
  readonly end: number
}

const seqKey = JsonBytes.text('{"seq":')
const timeKey = JsonBytes.text(',"time":')

/** Places in what is looked at now. Nothing here waits, so one array of each is enough. */
const dataPlaces: Array<number> = []
/** Those of blocks end where a -1 stands: an array that is emptied gives its memory back, and grows again. */
const blockPlaces: Array<number> = []

const { ReasoningBlock, TextBlock, ToolCallBlock } = Message
const says = [ReasoningBlock, Message.ImageBlock, Message.FileBlock, Message.UnknownBlock] as const

/** A message of that role whose blocks tell nothing to a fold that `heardOf` does not find. */
const messageOf = (role: "user" | "assistant"): conformsJson.Recogniser => {
  const isUsers = conformsJson.make(Schema.Union(TextBlock, ...says))
  const isAssistants = conformsJson.make(Schema.Union(TextBlock, ToolCallBlock, ...says))
  const isContent = conformsJson.array(role === "user" ? isUsers : isAssistants)
  const schema = Schema.Struct({ ...Message.Message.fields, role: Schema.Literal(role) })
  return conformsJson.struct(
    conformsJson
      .fieldsOf(schema.ast as AST.TypeLiteral)
      .map((field) =>
        field.name === "content" ? { ...field, is: (json, at) => isContent(json, at, blockPlaces) } : field
      )
  )
}

const isCounts = conformsJson.make(SessionEvent.Counts)

/** The counts that were recognised last, and what stands before their values: an estimator's id is that of thousands. */
let counts: SessionEvent.Counts = { estimator: "", values: [] }
let countsKey = JsonBytes.text("no counts yet")

/**
 * The usual form of counts is read as it is recognised, into a copy of the last ones: an estimator gives as many numbers for each
 * message, and a list that grows keeps room for more of them for as long as the session is open.
 */
const usualCounts = (json: JsonBytes.JsonBytes, from: number): number => {
  if (!JsonBytes.isAt(json, from, countsKey)) return -1
  const { bytes } = json
  const values = counts.values.slice()
  let at = from + countsKey.length
  for (let place = 0; place < values.length; place++, at++) {
    at = JsonBytes.naturalEnd(json, at)
    if (at === -1 || bytes[at] !== (place === values.length - 1 ? closeBracket : comma)) return -1
    values[place] = JsonBytes.naturalNumber
  }
  if (bytes[at] !== closeBrace) return -1
  counts = { estimator: counts.estimator, values }
  return at + 1
}

const countsEnd: conformsJson.Recogniser = (json, from) => {
  const usual = usualCounts(json, from)
  if (usual !== -1) return usual
  const end = isCounts(json, from)
  if (end === -1) return -1
  counts = jsonValues.parse(json, from, end) as SessionEvent.Counts
  countsKey = JsonBytes.text(`{"estimator":${JSON.stringify(counts.estimator)},"values":[`)
  return end
}

interface Shape {
  readonly type: SessionEvent.SurfaceBody["type"]
  /** from behind the time up to the data */
  readonly key: JsonBytes.Text
  readonly names: ReadonlyArray<string>
  readonly isData: conformsJson.PartsRecogniser
  /** the field that is not read */
  readonly unread: number
  /** empty data, by which fields it has: one bit a name */
  readonly blanks: Array<Record<string, unknown> | undefined>
}

const shapes: ReadonlyArray<Shape> = SessionEvent.Body.members.flatMap((member): ReadonlyArray<Shape> => {
  const [type] = member.fields.type.literals
  if (type !== "message/user" && type !== "message/assistant" && type !== "message/tool-result") return []
  const fields = conformsJson.fieldsOf(member.fields.data.ast as AST.TypeLiteral).map((field) => {
    if (field.name === "counts") return { ...field, is: countsEnd }
    return field.name === "message"
      ? { ...field, is: messageOf(type === "message/user" ? "user" : "assistant") }
      : field
  })
  const names = fields.map(({ name }) => name)
  return [
    {
      type,
      key: JsonBytes.text(`,"type":"${type}","data":`),
      names,
      isData: conformsJson.struct(fields),
      unread: names.indexOf(type === "message/tool-result" ? "content" : "message"),
      blanks: []
    }
  ]
})

const shapeAt = (json: JsonBytes.JsonBytes, at: number): Shape | undefined => {
  for (const shape of shapes) if (JsonBytes.isAt(json, at, shape.key)) return shape
  return undefined
}

/** How a block begins that makes no call. One whose keys stand in another order is parsed to see. */
const saidKeys = ["text", "reasoning", "image", "file", "unknown"].map((type) => JsonBytes.text(`{"type":"${type}",`))

const isSaid = (json: JsonBytes.JsonBytes, from: number): boolean => {
  for (const key of saidKeys) if (JsonBytes.isAt(json, from, key)) return true
  return false
}

const callFields = conformsJson.fieldsOf(ToolCallBlock.ast as AST.TypeLiteral)
const isCall = conformsJson.struct(callFields)
const callPlaces: Array<number> = []
const placeIn = (name: keyof Message.ToolCallBlock) => 2 * callFields.findIndex((field) => field.name === name)
const [idPlace, namePlace] = [placeIn("id"), placeIn("name")]
const callKey = JsonBytes.text('{"type":"tool-call",')

/** A call without its arguments, which no fold looks at. */
const callAt = (json: JsonBytes.JsonBytes, from: number): Message.Block => {
  isCall(json, from, callPlaces)
  const string = (place: number) => jsonValues.parseString(json, callPlaces[place]!, callPlaces[place + 1]!)
  return { type: "tool-call", id: string(idPlace), name: string(namePlace), arguments: undefined }
}

/** An empty text has as many bytes in any order of its keys; what has others says something. */
const emptyLength = '{"type":"text","text":""}'.length

/** Stands for what a message says. */
const something: ReadonlyArray<Message.Block> = [Message.textBlock("…")]
const nothing: ReadonlyArray<Message.ResultBlock> = []

/** What a fold looks at in the content that was recognised last: its calls, or that it says something. */
const heardOf = (json: JsonBytes.JsonBytes): ReadonlyArray<Message.Block> | undefined => {
  const calls: Array<Message.Block> = []
  let isEmpty = true
  for (let i = 0; blockPlaces[i] !== -1; i += 2) {
    const from = blockPlaces[i]!
    const to = blockPlaces[i + 1]!
    if (to - from !== emptyLength) isEmpty = false
    if (isSaid(json, from)) continue
    const block = JsonBytes.isAt(json, from, callKey)
      ? callAt(json, from)
      : (jsonValues.parse(json, from, to) as Message.Block)
    if (block.type === "tool-call") calls.push(block)
  }
  if (calls.length > 0) return calls
  return isEmpty ? undefined : something
}

const fieldOf = (json: JsonBytes.JsonBytes, name: string, from: number, to: number): unknown => {
  if (name === "counts") return counts
  return json.bytes[from] === quote ? jsonValues.parseString(json, from, to) : jsonValues.parse(json, from, to)
}

/** An object that has the fields which were found. One that gains them one by one takes an engine several times as long. */
const blankOf = ({ blanks, names }: Shape): Record<string, unknown> => {
  let found = 0
  for (let place = 0; place < names.length; place++) if (dataPlaces[2 * place] !== -1) found |= 1 << place
  const blank = (blanks[found] ??= Object.fromEntries(
    names.filter((_, place) => (found & (1 << place)) !== 0).map((name) => [name, undefined])
  ))
  return { ...blank }
}

const dataOf = (json: JsonBytes.JsonBytes, shape: Shape): unknown => {
  const data = blankOf(shape)
  for (let place = 0; place < shape.names.length; place++) {
    const from = dataPlaces[2 * place]!
    if (from === -1) continue
    const name = shape.names[place]!
    if (place !== shape.unread) data[name] = fieldOf(json, name, from, dataPlaces[2 * place + 1]!)
    else if (shape.type === "message/tool-result") data[name] = nothing
    else {
      const content = heardOf(json)
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
  if (!JsonBytes.isAt(json, at, seqKey)) return undefined
  const seqAt = at + seqKey.length
  const seqEnd = JsonBytes.naturalEnd(json, seqAt)
  if (seqEnd === -1 || JsonBytes.naturalNumber !== seq) return undefined
  if (!JsonBytes.isAt(json, seqEnd, timeKey)) return undefined
  const timeEnd = JsonBytes.naturalEnd(json, seqEnd + timeKey.length)
  const time = JsonBytes.naturalNumber
  if (timeEnd === -1) return undefined
  const shape = shapeAt(json, timeEnd)
  if (shape === undefined) return undefined
  for (let i = 0; i < 2 * shape.names.length; i++) dataPlaces[i] = -1
  const dataEnd = shape.isData(json, timeEnd + shape.key.length, dataPlaces)
  if (dataEnd === -1 || bytes[dataEnd] !== closeBrace) return undefined
  const data = dataOf(json, shape)
  if (data === undefined) return undefined
  const unread: Unread = { bytes, from: dataPlaces[2 * shape.unread]!, to: dataPlaces[2 * shape.unread + 1]! }
  const event = { seq, time, type: shape.type, data, unread }
  return { event: event as Read["event"], end: dataEnd + 1 }
}
