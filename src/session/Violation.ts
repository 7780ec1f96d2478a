/**
 * Why the surface refuses an event.
 *
 * @since 0.1.0
 */

/**
 * Why the surface refuses an event. The fold tells it from a state by its `reason`, without wrapping either: it asks at every
 * event, and `instanceof` would walk the prototypes of each state.
 *
 * @since 0.1.0
 * @category models
 */
export class Violation {
  readonly _tag = "Violation"
  readonly reason:
    | "no-such-node"
    | "reversed"
    | "overlapping"
    | "splits-a-pair"
    | "changes-more-than-content"
    | "unanswered-calls"
    | "no-such-call"
    | "duplicate-call"
    | "empty"
  readonly detail: string
  constructor(reason: Violation["reason"], detail: string) {
    this.reason = reason
    this.detail = detail
  }
}
