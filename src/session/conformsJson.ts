import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as JsonBytes from "./JsonBytes.ts"
import * as jsonValues from "./jsonValues.ts"

/** Where the value that begins at `at` ends; -1 where it is not surely one of the schema. */
export type Recogniser = (json: JsonBytes.JsonBytes, at: number) => number

/**
 * The same of what has parts. Where each begins and ends is written to `places`, two numbers a part: an object's in the order of
 * its schema's fields, where those of a field that is absent stay as they are; an array's with a -1 behind the last.
 */
export type PartsRecogniser = (json: JsonBytes.JsonBytes, at: number, places?: Array<number>) => number

export interface Field {
  readonly name: string
  readonly isOptional: boolean
  readonly is: Recogniser
}

const never: Recogniser = () => -1
const noOptions: AST.ParseOptions = {}

/**
 * What `conforms` says of a value, said of its JSON without building it: whether it is surely what this schema, which must not
 * transform, makes of it.
 */
export const make = <A, I>(schema: Schema.Schema<A, I>): Recogniser => compile(schema.ast)

const compile = (ast: AST.AST): Recogniser => {
  switch (ast._tag) {
    case "UnknownKeyword":
      return JsonBytes.valueEnd
    case "StringKeyword":
      return JsonBytes.stringEnd
    case "NumberKeyword":
      return JsonBytes.numberEnd
    case "BooleanKeyword":
      return oneOf([literal(true), literal(false)])
    case "Literal":
      return literal(ast.literal)
    case "Refinement":
      return refined(ast)
    case "Union":
      return oneOf(ast.types.map(compile))
    case "TupleType":
      return list(ast)
    case "TypeLiteral":
      return struct(fieldsOf(ast), ast.indexSignatures)
    default:
      return never
  }
}

const literal = (value: AST.LiteralValue): Recogniser => {
  if (typeof value === "bigint") return never
  const text = JsonBytes.text(JSON.stringify(value))
  return (json, at) => (JsonBytes.isAt(json, at, text) ? at + text.length : -1)
}

type Parse = (json: JsonBytes.JsonBytes, from: number, to: number) => unknown

/** Refinements upon each other look at one value, which is read once. */
const refined = (ast: AST.Refinement): Recogniser => {
  const refinements: Array<AST.Refinement> = []
  let from: AST.AST = ast
  for (; from._tag === "Refinement"; from = from.from) refinements.unshift(from)
  const parse = parseOf(from)
  if (parse === undefined) return never
  const isFrom = compile(from)
  if (refinements.every(isNonEmpty)) return (json, at) => (json.bytes[at + 1] === 34 ? -1 : isFrom(json, at))
  return (json, at) => {
    const end = isFrom(json, at)
    if (end === -1) return -1
    const value = parse(json, at, end)
    for (const refinement of refinements) {
      if (Option.isSome(refinement.filter(value, noOptions, refinement))) return -1
    }
    return end
  }
}

/** Only scalars: an object would have to be built. */
const parseOf = (ast: AST.AST): Parse | undefined => {
  if (ast._tag === "NumberKeyword") return jsonValues.parseNumber
  return ast._tag === "StringKeyword" ? jsonValues.parseString : undefined
}

/** The commonest one of strings, for which none is read. */
const isNonEmpty = ({ annotations }: AST.Refinement): boolean =>
  annotations[AST.SchemaIdAnnotationId] === Schema.MinLengthSchemaId &&
  (annotations[AST.JSONSchemaAnnotationId] as { readonly minLength?: number } | undefined)?.minLength === 1

const oneOf = (members: ReadonlyArray<Recogniser>): Recogniser => {
  return (json, at) => {
    for (const member of members) {
      const end = member(json, at)
      if (end !== -1) return end
    }
    return -1
  }
}

const list = (ast: AST.TupleType): Recogniser => {
  const elements = ast.elements.map((element) => compile(element.type))
  const [rest = never, ...more] = ast.rest.map((element) => compile(element.type))
  if (more.length > 0 || ast.elements.some((element) => element.isOptional)) return never
  return array(rest, elements)
}

/** An array that begins with the `first` elements; all behind them are like `rest`. */
export const array =
  (rest: Recogniser, first: ReadonlyArray<Recogniser> = []): PartsRecogniser =>
  (json, from, places) => {
    const { bytes } = json
    if (bytes[from] !== 91) return -1
    if (bytes[from + 1] === 93) {
      if (places !== undefined) places[0] = -1
      return first.length === 0 ? from + 2 : -1
    }
    for (let at = from, i = 0; ; i++) {
      if (places !== undefined) places[2 * i] = at + 1
      at = (first[i] ?? rest)(json, at + 1)
      if (places !== undefined) places[2 * i + 1] = at
      if (at === -1) return -1
      if (bytes[at] === 93) {
        if (places !== undefined) places[2 * i + 2] = -1
        return i + 1 >= first.length ? at + 1 : -1
      }
      if (bytes[at] !== 44) return -1
    }
  }

/** The fields of a struct, each with the recogniser of its type. */
export const fieldsOf = (ast: AST.TypeLiteral): ReadonlyArray<Field> =>
  ast.propertySignatures.map(({ isOptional, name, type }) => ({ name: String(name), isOptional, is: compile(type) }))

const protoKey = JsonBytes.text('"__proto__"')

/** A key that no field has: of a schema's output `__proto__` would be the prototype, and an escape may spell it. */
const otherKeyEnd = (json: JsonBytes.JsonBytes, at: number): number => {
  const end = JsonBytes.stringEnd(json, at)
  if (end === -1 || JsonBytes.isAt(json, at, protoKey)) return -1
  return json.bytes.subarray(at, end).includes(92) ? -1 : end
}

/** An object with these fields in any order, none of them twice. */
export const struct = (
  fields: ReadonlyArray<Field>,
  indexes: ReadonlyArray<AST.IndexSignature> = []
): PartsRecogniser => {
  const keys = fields.map(({ name }) => JsonBytes.text(`${JSON.stringify(name)}:`))
  const required = fields.reduce((all, { isOptional }, place) => (isOptional ? all : all | (1 << place)), 0)
  const [other, ...more] = indexes.map(({ parameter, type }) =>
    parameter._tag === "StringKeyword" ? compile(type) : never
  )
  if (more.length > 0 || fields.length > 31) return never
  /** The place of the key at `at`; nearly always the next one, so that is where the search begins. */
  const placeOf = (json: JsonBytes.JsonBytes, at: number, next: number): number => {
    for (let place = next; place < keys.length; place++) if (JsonBytes.isAt(json, at, keys[place]!)) return place
    for (let place = 0; place < next; place++) if (JsonBytes.isAt(json, at, keys[place]!)) return place
    return -1
  }
  return (json, from, places) => {
    const { bytes } = json
    if (bytes[from] !== 123) return -1
    if (bytes[from + 1] === 125) return required === 0 ? from + 2 : -1
    let found = 0
    for (let at = from, next = 0; ;) {
      at++
      const place = placeOf(json, at, next)
      if (place === -1) {
        if (other === undefined) return -1
        at = otherKeyEnd(json, at)
        if (at === -1 || bytes[at] !== 58) return -1
        at = other(json, at + 1)
      } else {
        if ((found & (1 << place)) !== 0) return -1
        found |= 1 << place
        next = place + 1
        at += keys[place]!.length
        if (places !== undefined) places[2 * place] = at
        at = fields[place]!.is(json, at)
        if (places !== undefined) places[2 * place + 1] = at
      }
      if (at === -1) return -1
      if (bytes[at] === 125) return (found & required) === required ? at + 1 : -1
      if (bytes[at] !== 44) return -1
    }
  }
}
