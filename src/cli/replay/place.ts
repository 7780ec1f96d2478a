/**
 * How far a session's log has come in a recording.
 *
 * @since 0.1.0
 */
import type { SessionEvent, SkippedEvent } from "../../session/SessionEvent.ts"
import * as Message from "../../session/Message.ts"
import type { Recording } from "./turns.ts"

/**
 * A turn that ended because its request did not fit: where its end stands in the log, and how many recorded answers it
 * left.
 *
 * @since 0.1.0
 * @category models
 */
export interface GivenUp {
  readonly turn: number
  readonly seq: number
  readonly skipped: number
}

/**
 * The next thing to do: turn `turn`, of which `answered` answers are in the log. `begun`: its prompt is in the log.
 * `outside` is how many messages the log holds since the last turn ended: those before the next prompt.
 *
 * @since 0.1.0
 * @category models
 */
export interface Place {
  readonly turn: number
  readonly answered: number
  readonly begun: boolean
  readonly outside: number
  readonly givenUp: ReadonlyArray<GivenUp>
}

/**
 * @since 0.1.0
 * @category constants
 */
export const start: Place = { turn: 0, answered: 0, begun: false, outside: 0, givenUp: [] }

/**
 * Finds the place from the log alone. A turn that was interrupted is taken up where it stopped; one that ended because its
 * request did not fit is over, with the answers that it did not get.
 *
 * @since 0.1.0
 * @category conversions
 */
export const placeIn = (recording: Recording, events: ReadonlyArray<SessionEvent | SkippedEvent>): Place => {
  let place = start
  let inTurn = false
  const left = () => (recording.turns[place.turn]?.answers.length ?? 0) - place.answered
  const next = (): Place => ({ ...start, turn: place.turn + 1, givenUp: place.givenUp })
  for (const event of events) {
    switch (event.type) {
      case "turn/start":
        inTurn = true
        place = { ...place, begun: true }
        break
      case "message/user":
        if (!inTurn && event.data.replaces === undefined) place = { ...place, outside: place.outside + 1 }
        break
      case "message/assistant":
        if (inTurn && event.data.interrupted !== true) place = { ...place, answered: place.answered + 1 }
        break
      case "turn/end": {
        inTurn = false
        const { error, outcome } = event.data
        if (outcome === "failed" && error?.tag === "ContextWindowExceeded") {
          const skipped = Math.max(left(), 0)
          place = { ...next(), givenUp: [...place.givenUp, { turn: place.turn, seq: event.seq, skipped }] }
        } else if (left() <= 0 || outcome === "completed" || outcome === "output-limit") place = next()
        break
      }
    }
  }
  // the process died between the last answer of a turn and the turn's end
  return place.begun && left() <= 0 ? next() : place
}

/**
 * Whether the recording has nothing left that the log does not hold.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isAtEnd = (recording: Recording, place: Place): boolean =>
  place.turn >= recording.turns.length && place.outside >= recording.rest.length

/**
 * Whether the log and the recording begin with the same words, so that one can be the continuation of the other.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isSameConversation = (
  recording: Recording,
  events: ReadonlyArray<SessionEvent | SkippedEvent>
): boolean => {
  const [turn] = recording.turns
  const recorded = turn === undefined ? recording.rest[0] : (turn.before[0] ?? turn.prompt)
  const logged = events.find((event) => event.type === "message/user")
  return logged === undefined || recorded === undefined
    ? true
    : Message.text(logged.data.message) === Message.text(recorded)
}
