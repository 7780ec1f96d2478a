// Where a process is killed, and how it does that to itself.
import * as Effect from "effect/Effect"
import { tell } from "./pipe.ts"

/** Boundaries of the log's own file, of every other call that changes the folder, and of statements. */
export const filePlaces = [
  "before a write",
  "inside a write",
  "before a sync",
  "after a sync",
  "at another call"
] as const
export const sqlPlaces = ["before a statement", "after a statement"] as const
export const anyMoment = "at a random moment"

export type Boundary = (typeof filePlaces)[number] | (typeof sqlPlaces)[number]
export type Place = Boundary | typeof anyMoment

/** At the boundary of that number, counted from 0; of a write, behind this share of its bytes. */
export interface Kill {
  readonly place: Boundary
  readonly nth: number
  readonly share: number
}

export type StoreName = "file" | "sqlite"

export const placesOf: { readonly [name in StoreName]: ReadonlyArray<Place> } = {
  file: [...filePlaces, anyMoment],
  sqlite: [...sqlPlaces, anyMoment]
}

/** How many boundaries of each place this process has come by. */
const passed = new Map<Boundary, number>()

export const counts = (): ReadonlyArray<readonly [Boundary, number]> => [...passed]

/** As nobody can catch it, and at once: nothing of this process runs after it. */
const die = (kill: Kill): Effect.Effect<never> =>
  Effect.suspend(() => {
    tell({ is: "killed", place: kill.place, nth: kill.nth })
    process.kill(process.pid, "SIGKILL")
    return Effect.never
  })

/** Counts the boundary, and ends there if this is the one; `first` is done before. */
export const passing = (
  kill: Kill | undefined,
  place: Boundary,
  first: Effect.Effect<unknown, unknown> = Effect.void
) =>
  Effect.suspend(() => {
    const nth = passed.get(place) ?? 0
    passed.set(place, nth + 1)
    return kill?.place === place && kill.nth === nth ? Effect.zipRight(Effect.exit(first), die(kill)) : Effect.void
  })
