/** The value with something else somewhere in it, or beside what it has. */
export const changed = (value: unknown, path: ReadonlyArray<number>, by: unknown): unknown => {
  const [at, ...rest] = path
  if (typeof value !== "object" || value === null || at === undefined) return by
  const keys = [...Object.keys(value), "more"]
  const key = keys[at % keys.length]!
  const field = changed((value as Record<string, unknown>)[key], rest, by)
  if (Array.isArray(value)) return value.map((element, i) => (String(i) === key ? field : element))
  return { ...value, [key]: field }
}
