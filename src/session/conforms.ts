import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"

type Predicate = (value: unknown) => boolean

const never: Predicate = () => false
const always: Predicate = () => true
const noOptions: AST.ParseOptions = {}

/**
 * Whether a value is surely what this schema, which must not transform, makes of it, encoding as well as decoding: valid,
 * plain, and without a key that the schema does not know. `false` says nothing, so what is refused here goes through the schema. For the many values of a hot path, which
 * are nearly all valid: a schema builds its output anew, and that costs ten times as much.
 */
export const make = <A, I>(schema: Schema.Schema<A, I>): Predicate => compile(schema.ast)

const compile = (ast: AST.AST): Predicate => {
  switch (ast._tag) {
    case "UnknownKeyword":
      return always
    case "StringKeyword":
      return (value) => typeof value === "string"
    case "NumberKeyword":
      return (value) => typeof value === "number"
    case "BooleanKeyword":
      return (value) => typeof value === "boolean"
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
    for (let i = 0; i < value.length; i++) if (!(elements[i] ?? rest)(value[i])) return false
    return true
  }
}

const struct = (ast: AST.TypeLiteral): Predicate => {
  const names: Array<PropertyKey> = []
  const fields: Array<{ readonly required: number; readonly holds: Predicate }> = []
  let required = 0
  for (const { isOptional, name, type } of ast.propertySignatures) {
    const field = compile(type)
    names.push(name)
    fields.push(
      isOptional
        ? { required: 0, holds: (value) => value === undefined || field(value) }
        : { required: 1, holds: field }
    )
    if (!isOptional) required++
  }
  /** The place of a key; nearly always the next one, so that is where the search begins. */
  const placeOf = (key: string, next: number): number => {
    for (let at = next; at < names.length; at++) if (names[at] === key) return at
    for (let at = 0; at < next; at++) if (names[at] === key) return at
    return -1
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
      const at = placeOf(key, next)
      const field = fields[at]
      // of a schema's output `__proto__` would be the prototype
      const holds = field === undefined ? (key === "__proto__" ? never : other) : field.holds
      if (!holds((value as Record<string, unknown>)[key])) return false
      if (field === undefined) continue
      found += field.required
      next = at + 1
    }
    return found === required
  }
}
