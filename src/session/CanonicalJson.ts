/**
 * Two values are the same if their canonical JSON is: keys sorted, absent and empty lists alike left out.
 *
 * @since 0.1.0
 */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== "object" || value === null) return value
  const sorted: Record<string, unknown> = Object.create(null)
  for (const key of Object.keys(value).sort()) {
    const field = (value as Record<string, unknown>)[key]
    if (field === undefined || (Array.isArray(field) && field.length === 0)) continue
    sorted[key] = canonical(field)
  }
  return sorted
}

/**
 * @since 0.1.0
 * @category conversions
 */
export const encode = (value: unknown): string => JSON.stringify(canonical(value)) ?? "null"
