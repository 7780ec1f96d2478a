/**
 * OpenAI's strict mode: every object of a schema closed, and all of its properties required.
 *
 * @since 0.1.0
 */
type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null

/** Keywords whose value is one schema, a list of them, or schemas by name. */
const single = ["items", "additionalItems"]
const several = ["anyOf", "oneOf", "allOf", "prefixItems"]
const named = ["$defs", "definitions", "properties"]

const inside = (schema: Fields): ReadonlyArray<unknown> => [
  ...single.map((key) => schema[key]),
  ...several.flatMap((key) => (Array.isArray(schema[key]) ? (schema[key] as ReadonlyArray<unknown>) : [])),
  ...named.flatMap((key) => (isObject(schema[key]) ? Object.values(schema[key]) : []))
]

const isClosed = (schema: Fields): boolean => {
  if (schema["type"] !== "object" && schema["properties"] === undefined) return true
  const properties = Object.keys(isObject(schema["properties"]) ? schema["properties"] : {})
  const required = Array.isArray(schema["required"]) ? (schema["required"] as ReadonlyArray<unknown>) : []
  return schema["additionalProperties"] === false && properties.every((name) => required.includes(name))
}

/**
 * Whether a JSON Schema is one that strict mode takes.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isStrict = (schema: unknown): boolean =>
  !isObject(schema) || (isClosed(schema) && inside(schema).every((inner) => isStrict(inner)))
