/**
 * Reads a line as an error of a provider.
 *
 * @since 0.1.0
 */
import type { Delivery, Evidence } from "../../errors/classify.ts"

/**
 * `expected`, `limit` and `requested` are what the line says of itself; null: it says that there is none.
 *
 * @since 0.1.0
 * @category models
 */
export interface Line {
  readonly id: string
  readonly evidence: Evidence
  readonly expected?: unknown
  readonly limit?: unknown
  readonly requested?: unknown
}

const deliveries: ReadonlyArray<unknown> = [
  "http",
  "sse-error",
  "exit-200-body",
  "thrown",
  "finish-reason"
] satisfies ReadonlyArray<Delivery>

const isDelivery = (value: unknown): value is Delivery => deliveries.includes(value)

interface Envelope {
  readonly body: unknown
  readonly provider?: string | null
  readonly delivery?: Delivery | null
  readonly status?: number | null
}

/** An error that happens to have a field `body` beside fields of another meaning is one as it is. */
const isEnvelope = (value: unknown): value is Envelope & Readonly<Record<string, unknown>> => {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "body")) return false
  const { delivery = null, provider = null, status = null } = value as Readonly<Record<string, unknown>>
  return (
    (delivery === null || isDelivery(delivery)) &&
    (provider === null || typeof provider === "string") &&
    (status === null || typeof status === "number")
  )
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const route = (provider: string | null | undefined) => ({ provider: provider || "unknown", model: "unknown" })

/** Without a word on how it came: a failing status came with the answer, another one in its body. */
const deliveryOf = (status: number | null | undefined): Delivery =>
  typeof status !== "number" ? "thrown" : status >= 400 ? "http" : "exit-200-body"

/**
 * @since 0.1.0
 * @category constructors
 */
export const read = (text: string, number: number): Line => {
  const value = parsed(text)
  const named = `line ${number}`
  if (!isEnvelope(value)) return { id: named, evidence: { route: route(undefined), body: value, delivery: "thrown" } }
  const { body, delivery, id, provider, status } = value
  return {
    id: typeof id === "string" ? id : named,
    evidence: {
      route: route(provider),
      body,
      delivery: delivery ?? deliveryOf(status),
      ...(typeof status === "number" ? { status } : {})
    },
    expected: value["expected"],
    limit: value["limit"],
    requested: value["requested"]
  }
}
