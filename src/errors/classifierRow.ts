/**
 * The form of a row of the classifier.
 *
 * @since 0.1.0
 */
import type { ModelError } from "./ModelError.ts"

/**
 * How an error came to us: as the answer's status, as an event inside the stream, as the body of an answer with status
 * 200, thrown by a client, or as the reason why an answer ended.
 *
 * @since 0.1.0
 * @category models
 */
export type Delivery = "http" | "sse-error" | "exit-200-body" | "thrown" | "finish-reason"

/**
 * A row matches if all that it names does: one of its providers, one of its deliveries, one of its statuses, one of its
 * codes, its wording; and if its veto matches nothing.
 *
 * The figures are the named groups of `wording` and of the `figures` after it, first come first served: `limit`;
 * `input`, the tokens of the request's input; `requested`, what the provider calls the requested amount, which may hold
 * the output too. `limitField` and `inputField` name number fields of the body.
 *
 * @since 0.1.0
 * @category models
 */
export interface Row {
  readonly id: string
  readonly provider?: string
  readonly delivery?: ReadonlyArray<Delivery>
  readonly status?: ReadonlyArray<number>
  readonly code?: ReadonlyArray<string>
  readonly wording?: RegExp
  readonly veto?: RegExp
  readonly tag: ModelError["_tag"]
  readonly figures?: ReadonlyArray<RegExp>
  readonly limitField?: string
  readonly inputField?: string
  readonly limitCounts?: "input" | "input-and-output"
}
