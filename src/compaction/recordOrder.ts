/**
 * Whether an event may follow on what came before it: the order of turns, steps and compactions, which no fold needs and
 * every writer of this library keeps.
 *
 * @since 0.1.0
 */
import type { OutlinedEvent } from "../session/outlinedEvents.ts"
import type * as SessionEvent from "../session/SessionEvent.ts"
import type { SessionState } from "./SessionState.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Misplaced {
  readonly rule: "turn-order" | "step-order" | "compaction-order" | "compaction-record"
  readonly detail: string
}

const turnName = (turn: number | null | undefined) => (turn === null || turn === undefined ? "no turn" : `turn ${turn}`)

const misplaced = (rule: Misplaced["rule"], detail: string): Misplaced => ({ rule, detail })

const ofCompaction = (state: SessionState, id: string, what: string): Misplaced | undefined => {
  const open = state.openCompaction
  if (open?.id === id) return undefined
  return misplaced(
    "compaction-order",
    open === undefined
      ? `${what} of compaction "${id}" stands where none is open`
      : `${what} of compaction "${id}" stands in compaction "${open.id}"`
  )
}

const badPrice = ({ after, before }: typeof SessionEvent.Price.Type): Misplaced | undefined =>
  before >= 0 && after >= 0 && after <= before
    ? undefined
    : misplaced("compaction-record", `it says that ${before} tokens became ${after}`)

const badSpan = ({ shadowed, span }: SessionEvent.BodyOf<"compaction/summary">["data"]): Misplaced | undefined =>
  shadowed[0] === span.first && shadowed.at(-1) === span.last
    ? undefined
    : misplaced(
        "compaction-record",
        `its span is from seq ${span.first} to ${span.last}, and what it shadows from ${shadowed[0]} to ${shadowed.at(-1)}`
      )

const compactionStart = (
  state: SessionState,
  { id, turn }: SessionEvent.BodyOf<"compaction/start">["data"]
): Misplaced | undefined => {
  if (state.openCompaction !== undefined) {
    return misplaced("compaction-order", `compaction "${id}" begins inside compaction "${state.openCompaction.id}"`)
  }
  return turn === (state.openTurn ?? null)
    ? undefined
    : misplaced(
        "compaction-order",
        `compaction "${id}" says ${turnName(turn)}, and ${turnName(state.openTurn)} is open`
      )
}

const crossed = (state: SessionState, what: string): Misplaced | undefined =>
  state.openCompaction === undefined
    ? undefined
    : misplaced("compaction-order", `${what} inside compaction "${state.openCompaction.id}"`)

/**
 * What is wrong with the place of this event after that state; undefined if nothing is.
 *
 * @since 0.1.0
 * @category predicates
 */
export const check = (state: SessionState, event: OutlinedEvent): Misplaced | undefined => {
  const { openStep, openTurn } = state
  switch (event.type) {
    case "turn/start":
      return openTurn === undefined
        ? crossed(state, `turn ${event.data.turn} begins`)
        : misplaced("turn-order", `turn ${event.data.turn} begins while turn ${openTurn} is open`)
    case "turn/end":
      return openTurn === event.data.turn
        ? crossed(state, `turn ${event.data.turn} ends`)
        : misplaced("turn-order", `turn ${event.data.turn} ends, and ${turnName(openTurn)} is open`)
    case "step/start": {
      const { step, turn } = event.data
      if (openStep !== undefined) {
        return misplaced("step-order", `step ${step} begins while step ${openStep.step} is open`)
      }
      return turn === (openTurn ?? null)
        ? undefined
        : misplaced("step-order", `step ${step} says ${turnName(turn)}, and ${turnName(openTurn)} is open`)
    }
    case "step/end":
      return openStep?.step === event.data.step && openStep.turn === event.data.turn
        ? undefined
        : misplaced(
            "step-order",
            `step ${event.data.step} ends, and ${openStep === undefined ? "no step" : `step ${openStep.step}`} is open`
          )
    case "compaction/start":
      return compactionStart(state, event.data)
    case "compaction/call":
      return ofCompaction(state, event.data.id, "a call")
    case "compaction/prune":
      // one that asks nobody stands for itself, without a bracket around it
      return (
        (state.openCompaction === undefined ? undefined : ofCompaction(state, event.data.id, "a prune")) ??
        badPrice(event.data.price)
      )
    case "compaction/summary":
      return ofCompaction(state, event.data.id, "a summary") ?? badPrice(event.data.price) ?? badSpan(event.data)
    case "compaction/end":
      return ofCompaction(state, event.data.id, "the end")
    case "message/user":
      return event.data.source === "checkpoint" &&
        event.data.replaces !== undefined &&
        state.openCompaction === undefined
        ? misplaced("compaction-order", "a checkpoint takes the place of messages, and no compaction is open")
        : undefined
    default:
      return undefined
  }
}
