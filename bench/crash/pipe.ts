// What a process that will be killed tells the one that looks after it, line by line, as soon as it is so.
import { writeSync } from "node:fs"
import type { Place } from "./places.ts"

/** A batch, by where it begins, how many events it has, and a sum over them. */
export interface Written {
  readonly session: string
  readonly seq: number
  readonly count: number
  readonly sum: string
}

export type Told =
  | ({ readonly is: "tried" | "acknowledged" } & Written)
  | { readonly is: "turn"; readonly session: string; readonly turn: number; readonly generation: number }
  | { readonly is: "killed"; readonly place: Place; readonly nth: number }
  | { readonly is: "done"; readonly boundaries: ReadonlyArray<readonly [Place, number]> }
  | { readonly is: "failed"; readonly why: string }

/** The third pipe of a child, beside what it says to people. */
export const pipe = 3

const again = new Set(["EAGAIN", "EINTR"])

/** Returns once the system has it: it arrives whatever becomes of this process. */
export const tell = (told: Told): void => {
  const bytes = Buffer.from(`${JSON.stringify(told)}\n`)
  for (let from = 0; from < bytes.length;) {
    try {
      from += writeSync(pipe, bytes, from)
    } catch (error) {
      if (!again.has((error as NodeJS.ErrnoException).code ?? "")) throw error
    }
  }
}
