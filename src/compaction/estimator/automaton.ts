/**
 * The transitions as a table, and the one look at a text: for each unit one step in the table.
 *
 * The work for a unit is the same whatever the text is. What a unit raises depends on nothing behind it, so with weights
 * that are not negative a text with something appended never costs less.
 *
 * @since 0.1.0
 */
import { begin, repeatsMatter, type State, step } from "./transitions.ts"
import { classTable, unitClasses } from "./unitClasses.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Automaton {
  readonly states: ReadonlyArray<State>
  /** How often the units of the text led to each state. The array is the same in every call: read it before the next one. */
  readonly visits: (text: string) => Int32Array
}

/**
 * Columns of a state's row: two for each class, the second for a unit that repeats the one before. With states that fit
 * into a byte the table has 32 KiB, about as much as the fastest memory of a processor holds.
 */
const columnBits = 7

interface Table {
  readonly states: ReadonlyArray<State>
  readonly next: Uint8Array
}

const keyOf = ({ length, raises, run, shortParts }: State) => `${run} ${length} ${shortParts} ${raises.join(" ")}`

/** All states that a text can lead to, and where each unit leads from each of them. */
const explore = (): Table => {
  const states: Array<State> = [begin]
  const places = new Map<string, number>([[keyOf(begin), 0]])
  const placeOf = (state: State): number => {
    const key = keyOf(state)
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, states.length)
    return states.push(state) - 1
  }
  const rows: Array<ReadonlyArray<number>> = []
  for (let from = 0; from < states.length; from++) {
    const before = states[from]!
    rows.push(
      unitClasses.flatMap((unit) => {
        const to = placeOf(step(before, unit, false))
        return [to, repeatsMatter(unit) ? placeOf(step(before, unit, true)) : to]
      })
    )
  }
  const next = new Uint8Array(rows.length << columnBits)
  rows.forEach((row, from) => next.set(row, from << columnBits))
  return { states, next }
}

/**
 * A function of its own, of parameters alone: what stands outside of a loop's function an engine looks up again for every
 * unit, which takes a third longer.
 */
const scan = (text: string, next: Uint8Array, rowBits: number, columns: Uint8Array, visits: Int32Array): void => {
  let at = 0
  let before = -1
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    at = next[(at << rowBits) + columns[unit]! + (unit === before ? 1 : 0)]!
    visits[at] = visits[at]! + 1
    before = unit
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Automaton => {
  const { next, states } = explore()
  // half a column already, which saves the loop a shift
  const columns = classTable().map((unitClass) => 2 * unitClass)
  const visits = new Int32Array(states.length)
  return {
    states,
    visits: (text) => {
      visits.fill(0)
      visits[0] = text === "" ? 0 : 1
      scan(text, next, columnBits, columns, visits)
      return visits
    }
  }
}
