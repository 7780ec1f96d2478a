/**
 * How logs of older format versions are read: event by event they are turned into what the next version would have
 * written, until they are of today's. What reads events knows one version only.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"

/**
 * From version `from` to the next one. `event` is given one event as the JSON value that was written, and gives one event
 * with the same `seq`: other events name it by that. It is pure, and leaves alone what it does not know, which the schema
 * then refuses in its own words. What it throws refuses the batch.
 *
 * @since 0.1.0
 * @category models
 */
export interface Upcaster {
  readonly from: number
  readonly event: (value: unknown) => unknown
}

/**
 * Those of this release. Empty: version 1 is the first.
 *
 * @since 0.1.0
 * @category constants
 */
export const upcasters: ReadonlyArray<Upcaster> = []

/** Those that lead from `from` to `to`, in order; undefined if one is missing. */
const path = (from: number, to: number, known: ReadonlyArray<Upcaster>): ReadonlyArray<Upcaster> | undefined => {
  if (from > to) return undefined
  const steps: Array<Upcaster> = []
  for (let version = from; version < to; version++) {
    const step = known.find((upcaster) => upcaster.from === version)
    if (step === undefined) return undefined
    steps.push(step)
  }
  return steps
}

/**
 * Whether events of version `from` can be read as those of version `to`.
 *
 * @since 0.1.0
 * @category predicates
 */
export const leads = (from: number, to: number, known: ReadonlyArray<Upcaster> = upcasters): boolean =>
  from === to || (known.length > 0 && path(from, to, known) !== undefined)

/**
 * Events of version `from` as those of version `to`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const upcast = (
  values: ReadonlyArray<unknown>,
  from: number,
  to: number,
  known: ReadonlyArray<Upcaster> = upcasters
): Either.Either<ReadonlyArray<unknown>, string> => {
  const steps = path(from, to, known)
  if (steps === undefined) return Either.left(`no reader leads from format version ${from} to ${to}`)
  return Either.try({
    try: () => values.map((value) => steps.reduce((event, step) => step.event(event), value)),
    catch: (error) =>
      `its events of format version ${from} cannot be read as version ${to}: ${error instanceof Error ? error.message : String(error)}`
  })
}
