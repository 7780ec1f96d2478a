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
 * A row matches if all that it names does, and if its veto matches nothing:
 *
 * - `provider`, `delivery`, `status`: one of those listed; without them any.
 * - `code`: one of the body's codes, types, names or finish reasons, in lower case.
 * - `wording`: the provider's sentences, their white space collapsed; `where` must match them as well.
 * - `answer`: what a server put where the answer would stand, whole, of a choice that ended in an error.
 *
 * The figures are the named groups of `wording` and of the `figures` after it, first come first served: `limit`;
 * `input`, the tokens of the request's input, to which `more` is added; `output`, those that it had asked for, where the
 * limit is of both; `requested`, what the provider calls the requested amount, which may hold the output too. `limitField`
 * and `inputField` name number fields of the body. Figures of an overflow by which the request would have fitted are not
 * believed.
 *
 * An overflow is believed under a status of 400, 413, 422 or none. Under a server's own failure words may mention the window
 * without meaning this request, so there it takes a code, both figures, or `underServerError`.
 *
 * `seen` names providers that have been seen to use these words or codes; the row is not restricted to them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Row {
  readonly id: string
  readonly tag: ModelError["_tag"]
  readonly provider?: ReadonlyArray<string>
  readonly delivery?: ReadonlyArray<Delivery>
  readonly status?: ReadonlyArray<number>
  readonly code?: ReadonlyArray<string> | RegExp
  readonly wording?: RegExp
  readonly where?: RegExp
  readonly answer?: RegExp
  readonly veto?: RegExp
  readonly figures?: ReadonlyArray<RegExp>
  readonly limitField?: string
  readonly inputField?: string
  readonly limitCounts?: "input" | "input-and-output"
  readonly underServerError?: boolean
  readonly seen?: ReadonlyArray<string>
}
