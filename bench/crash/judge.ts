// What must hold of a session after its writer was killed, judged by the bytes that lie there and by what was told.
import { brokenPair, type Event, foldLog, unsettled } from "../../test/properties/reading.ts"
import type { Written } from "./pipe.ts"
import type { Batch } from "./stores.ts"
import { sumOf } from "./toldStore.ts"

/** What is known of a session's writes, of all processes. */
export interface Known {
  /** by the seq at which they begin: whoever died before it wrote leaves the place to another batch */
  readonly tried: Map<number, Array<Written>>
  readonly acknowledged: Map<number, Written>
  /** of the newest turn that was told to be over */
  generation: number
}

export const unknown = (): Known => ({ tried: new Map(), acknowledged: new Map(), generation: 0 })

export interface Loss {
  /** what was acknowledged and is not there as it was */
  readonly lost: ReadonlyArray<Written>
  /** batches of which there is a part */
  readonly partial: number
}

export const lossOf = (batches: ReadonlyArray<Batch>, { acknowledged, tried }: Known): Loss => {
  const there = new Map(batches.map(({ events, seq }) => [seq, { count: events.length, sum: sumOf(events) }]))
  const is = (written: Written) => {
    const found = there.get(written.seq)
    return found?.count === written.count && found.sum === written.sum
  }
  const lost = [...acknowledged.values()].filter((written) => !is(written))
  const partial = batches.filter(({ seq }) => !(tried.get(seq) ?? []).some(is)).length
  return { lost, partial }
}

export const eventsOf = (batches: ReadonlyArray<Batch>): ReadonlyArray<Event> =>
  batches.flatMap(({ events }) => events as ReadonlyArray<Event>)

/** What the library made of the log. */
export interface Seen {
  readonly generation: number
  readonly nodes: ReadonlyArray<number>
  readonly messages: ReadonlyArray<unknown>
}

/** What is wrong with a session that was opened again, against a fold that knows the format and nothing of the library's. */
export const wrongWith = (
  before: ReadonlyArray<Event>,
  after: ReadonlyArray<Event>,
  seen: Seen,
  known: Known
): ReadonlyArray<string> => {
  const dead = foldLog(before)
  const { generation, landings, surface } = foldLog(after)
  const json = (value: unknown) => JSON.stringify(value)
  const wrong: Array<string> = []
  const must = (holds: boolean, what: string) => void (holds || wrong.push(what))
  must(
    after.every(({ seq }, place) => seq === place),
    "the events do not follow each other"
  )
  must(json(after.slice(0, before.length)) === json(before), "opening changed what was written before")
  must(after[before.length]?.type === "session/opened", "opening does not begin with its record")
  must(json(surface.slice(0, dead.surface.length)) === json(dead.surface), "settling touched the surface")
  must(dead.generation === generation, "settling moved the generation")
  must(seen.generation === generation, `generation ${seen.generation} with ${generation} replacements in the log`)
  must(generation >= known.generation, `generation ${generation} after one of ${known.generation} was told`)
  must(
    landings.every(({ stood }) => stood),
    "a replacement does not name what stood there"
  )
  must(json(seen.nodes) === json(surface.map(({ seq }) => seq)), "the nodes are not those of the log")
  must(json(seen.messages) === json(surface.map(({ message }) => message)), "the messages are not those of the log")
  const pair = brokenPair(surface.map(({ message }) => message))
  must(pair === undefined, `pairs: ${pair}`)
  const open = unsettled(after)
  must(open === undefined, `unsettled: ${open}`)
  return wrong
}

const settledTypes = ["compaction/end", "step/end", "turn/end"] as const

export interface Settled {
  readonly turns: number
  readonly steps: number
  readonly compactions: number
}

/** What an opening settled, or that it did so in another order than newest first. */
export const settledOf = (
  added: ReadonlyArray<Event>
): { readonly settled: Settled; readonly wrong: ReadonlyArray<string> } => {
  const places = added.flatMap((event) => {
    const place = settledTypes.indexOf(event.type as never)
    return place >= 0 && "settled" in event.data && event.data.settled === true ? [place] : []
  })
  const times = (type: (typeof settledTypes)[number]) => places.filter((place) => settledTypes[place] === type).length
  const inOrder = places.every((place, i) => i === 0 || places[i - 1]! < place)
  return {
    settled: { turns: times("turn/end"), steps: times("step/end"), compactions: times("compaction/end") },
    wrong: inOrder ? [] : ["settling does not close the newest first, once"]
  }
}

/** What a session's summaries came to. Two answers for the same messages: the first one was not used. */
export const summariesOf = (
  events: ReadonlyArray<Event>
): { readonly summaries: number; readonly reused: number; readonly paidTwice: number } => {
  const landed = events.flatMap((event) => (event.type === "compaction/summary" ? [event.data.rung] : []))
  const paid = events.flatMap((event) =>
    event.type === "compaction/call" && event.data.outcome === "completed" ? [JSON.stringify(event.data.span)] : []
  )
  return {
    summaries: landed.length,
    reused: landed.filter((rung) => rung === "reuse").length,
    paidTwice: paid.length - new Set(paid).size
  }
}
