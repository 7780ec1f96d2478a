/**
 * How an answer is broken, in any protocol.
 *
 * @since 0.1.0
 */
import type { Fault } from "./reply.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Broken {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly pieces: ReadonlyArray<string | Uint8Array>
  readonly after: "end" | "cut" | "hold"
}

/**
 * `begun` is the answer as far as it came.
 *
 * @since 0.1.0
 * @category conversions
 */
export const broken = (
  fault: Exclude<Fault, { readonly type: "misreport" } | { readonly type: "problem" }>,
  begun: (text: string) => Pick<Broken, "headers" | "pieces">
): Broken => {
  switch (fault.type) {
    case "status":
      return {
        status: fault.status,
        headers: { "content-type": "application/json", ...fault.headers },
        pieces: [typeof fault.body === "string" ? fault.body : JSON.stringify(fault.body)],
        after: "end"
      }
    case "drop":
      return { status: 200, headers: {}, pieces: [], after: "cut" }
    case "cut":
      return { status: 200, ...begun(fault.text), after: "cut" }
    case "end":
      return { status: 200, ...begun(fault.text), after: "end" }
    case "stall":
      return { status: 200, ...begun(fault.text), after: "hold" }
    case "raw":
      return {
        status: 200,
        headers: { "content-type": "text/event-stream; charset=utf-8" },
        pieces: fault.pieces,
        after: "end"
      }
  }
}
