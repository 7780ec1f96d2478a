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
 * Where the table says what a state leads to. Before it, each unit has its class's first column: there are two for each
 * class, the second for a unit that repeats the one before. A column has room for as many states as a byte can name, and
 * those of all classes have 27 KiB, which fits into the fastest memory of a processor.
 */
const place = (column: number, state: number): number => 0x10000 + (column << 8) + state

interface Table {
  readonly states: ReadonlyArray<State>
  readonly table: Uint8Array
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
  const table = new Uint8Array(place(2 * unitClasses.length, 0))
  classTable().forEach((unitClass, unit) => (table[unit] = 2 * unitClass))
  for (let from = 0; from < states.length; from++) {
    const before = states[from]!
    for (const [k, unit] of unitClasses.entries()) {
      const to = placeOf(step(before, unit, false))
      table[place(2 * k, from)] = to
      table[place(2 * k + 1, from)] = repeatsMatter(unit) ? placeOf(step(before, unit, true)) : to
    }
  }
  return { states, table }
}

/**
 * From `from` to `to`, from the state `at`; answers the state behind. `before` is the unit before, or what is none.
 *
 * A function of its own, of parameters alone, with `place` and whether two units are the same (1, else 0) written out: what
 * stands outside of a loop's function an engine looks up again for every unit, which takes a fifth longer. Two units a round,
 * since it looks up where the arrays are once a round. Where units are compared there is no jump: a processor would guess it
 * wrong at many a double letter.
 */
const scan = (
  text: string,
  from: number,
  to: number,
  at: number,
  before: number,
  table: Uint8Array,
  visits: Int32Array
): number => {
  let i = from
  for (; i < to - 1; i += 2) {
    const first = text.charCodeAt(i)
    const second = text.charCodeAt(i + 1)
    const middle = table[0x10000 + ((table[first]! + (((first ^ before) - 1) >>> 31)) << 8) + at]!
    at = table[0x10000 + ((table[second]! + (((second ^ first) - 1) >>> 31)) << 8) + middle]!
    visits[middle] = visits[middle]! + 1
    visits[at] = visits[at]! + 1
    before = second
  }
  if (i === to) return at
  const last = text.charCodeAt(i)
  at = table[0x10000 + ((table[last]! + (((last ^ before) - 1) >>> 31)) << 8) + at]!
  visits[at] = visits[at]! + 1
  return at
}

/**
 * Units that are scanned in one call. Of a loop that goes on for long an engine makes code while it runs, which knows nothing of
 * what comes behind it and is given up there, again and again: a third of the speed in many a process.
 */
const pieceLength = 1024

/** No unit. */
const none = 0x10000

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Automaton => {
  const { states, table } = explore()
  const visits = new Int32Array(states.length)
  return {
    states,
    visits: (text) => {
      visits.fill(0)
      visits[0] = text === "" ? 0 : 1
      let at = 0
      for (let from = 0; from < text.length; from += pieceLength) {
        const before = from === 0 ? none : text.charCodeAt(from - 1)
        at = scan(text, from, Math.min(from + pieceLength, text.length), at, before, table, visits)
      }
      return visits
    }
  }
}
