import * as Option from "effect/Option"
import { FiniteSchemaId, type Schema } from "effect/Schema"
import * as AST from "effect/SchemaAST"

type Predicate = (value: unknown) => boolean

const never: Predicate = () => false
const always: Predicate = () => true
const noOptions: AST.ParseOptions = {}

/**
 * Whether a value is surely what this schema, which must not transform, makes of it, encoding as well as decoding: valid,
 * plain, and without a key that the schema does not know. `false` says nothing, so what is refused here goes through the schema. For the many values of a hot path, which
 * are nearly all valid: a schema builds its output anew, and that costs ten times as much.
 */
export const make = <A, I>(schema: Schema<A, I>): Predicate => compile(schema.ast)

const isString: Predicate = (value) => typeof value === "string"
const isNumber: Predicate = (value) => typeof value === "number"
const isBoolean: Predicate = (value) => typeof value === "boolean"

/** Asked here where it is one of the few that nearly all values meet: a call of what an engine does not know costs more than the answer. */
const holds = (predicate: Predicate, value: unknown): boolean =>
  predicate === isString
    ? typeof value === "string"
    : predicate === Number.isFinite
      ? Number.isFinite(value)
      : predicate(value)

const compile = (ast: AST.AST): Predicate => {
  switch (ast._tag) {
    case "UnknownKeyword":
      return always
    case "StringKeyword":
      return isString
    case "NumberKeyword":
      return isNumber
    case "BooleanKeyword":
      return isBoolean
    case "UndefinedKeyword":
      return (value) => value === undefined
    case "Literal":
      return (value) => value === ast.literal
    case "Refinement":
      return refined(ast)
    case "Union":
      return either(ast.types.map(compile))
    case "TupleType":
      return list(ast)
    case "TypeLiteral":
      return struct(ast)
    default:
      return never
  }
}

const refined = (ast: AST.Refinement): Predicate => {
  const from = compile(ast.from)
  // what the schema's filter asks, without the issue that it would make: a count has nine of them
  if (from === isNumber && ast.annotations[AST.SchemaIdAnnotationId] === FiniteSchemaId) return Number.isFinite
  return (value) => from(value) && Option.isNone(ast.filter(value, noOptions, ast))
}

const either = (members: ReadonlyArray<Predicate>): Predicate => {
  return (value) => {
    for (const member of members) if (member(value)) return true
    return false
  }
}

const list = (ast: AST.TupleType): Predicate => {
  const elements = ast.elements.map((element) => compile(element.type))
  const [rest = never, ...more] = ast.rest.map((element) => compile(element.type))
  if (more.length > 0 || ast.elements.some((element) => element.isOptional)) return never
  return (value) => {
    if (!Array.isArray(value) || value.length < elements.length) return false
    for (let i = 0; i < value.length; i++) if (!holds(elements[i] ?? rest, value[i])) return false
    return true
  }
}

const struct = (ast: AST.TypeLiteral): Predicate => {
  const names: Array<PropertyKey> = []
  const fields: Array<{ readonly required: number; readonly predicate: Predicate }> = []
  let required = 0
  for (const { isOptional, name, type } of ast.propertySignatures) {
    const field = compile(type)
    names.push(name)
    fields.push(
      isOptional
        ? { required: 0, predicate: (value) => value === undefined || field(value) }
        : { required: 1, predicate: field }
    )
    if (!isOptional) required++
  }
  const [other = never, ...more] = ast.indexSignatures.map(({ parameter, type }) =>
    parameter._tag === "StringKeyword" ? compile(type) : never
  )
  if (more.length > 0) return never
  return (value) => {
    if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false
    let found = 0
    let next = 0
    for (const key in value) {
      // read before all else: an engine knows the place of a key that it has just enumerated
      const own: unknown = (value as Record<string, unknown>)[key]
      const at = names[next] === key ? next : names.indexOf(key)
      const field = fields[at]
      if (field === undefined) {
        // of a schema's output `__proto__` would be the prototype
        if (key === "__proto__" || !other(own)) return false
        continue
      }
      if (!holds(field.predicate, own)) return false
      found += field.required
      next = at + 1
    }
    return found === required
  }
}
