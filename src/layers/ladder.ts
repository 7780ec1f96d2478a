import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { setAside } from "../compaction/rescue.ts"
import { isResting } from "../compaction/resting.ts"
import * as Situation from "../compaction/Situation.ts"
import { type CompactionError, SummaryFailed } from "../errors/CompactionError.ts"
import type { Landed, Progress, Proposal, Rung, RungServices } from "../services/CompactService.ts"
import type { Surface, Ticket } from "../services/Surface.ts"
import * as Usage from "../session/Usage.ts"

/** What came of a run: the rungs that landed something, and the last failure. */
export interface Climbed {
  readonly landed: ReadonlyArray<Landed>
  readonly failure: CompactionError | undefined
}

/** The next rung that has something to do. */
export interface Step {
  readonly rung: Rung
  readonly proposal: Proposal
  readonly index: number
}

/**
 * What a rung would do. One from outside may throw where it should only look: that is what its attempt then dies of, so
 * that it is judged and logged like any other failure.
 */
const proposalOf = (rung: Rung, situation: Situation.Situation): Proposal | undefined => {
  try {
    return rung.propose(situation)
  } catch (error) {
    const seq = situation.state.newest
    return { first: seq, last: seq, price: 0, why: "its proposal threw", attempt: () => Effect.die(error) }
  }
}

/** The first rung from `from` on that has something to do; planning and running both ask this. */
export const nextStep = (rungs: ReadonlyArray<Rung>, situation: Situation.Situation, from = 0): Step | undefined => {
  const reduces = situation.bytes === undefined ? "tokens" : "bytes"
  for (let index = from; index < rungs.length; index++) {
    const rung = rungs[index]!
    if ((rung.reduces ?? "tokens") !== reduces) continue
    if (rung.paid && isResting(situation)) continue
    const proposal = proposalOf(rung, situation)
    if (proposal !== undefined) return { rung, proposal, index }
  }
  return undefined
}

const compactionErrorTags = new Set([
  "SessionBusy",
  "CompactionBusy",
  "SummaryFailed",
  "SpanChanged",
  "InvalidReplacement",
  "LogWriteFailed"
])

/** What a rung failed with, as an error of ours. */
const failureOf = (rung: Rung, cause: Cause.Cause<unknown>): CompactionError => {
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure)) {
    const error = failure.value as CompactionError
    if (compactionErrorTags.has(error?._tag)) return error
  }
  return new SummaryFailed({ reason: "model", detail: `the rung "${rung.name}" failed: ${Cause.pretty(cause)}` })
}

/** Rungs that hung, with the generation at which they began: at that one they would do so again. */
export type Hung = Map<Rung, number>

interface Ladder {
  readonly surface: typeof Surface.Service
  readonly services: Context.Context<RungServices>
  readonly tell: (progress: Progress) => void
  readonly hung: Hung
}

/** Without those that hung at this generation: whoever stands behind them has its turn. */
export const notHung = (rungs: ReadonlyArray<Rung>, hung: Hung, generation: number): ReadonlyArray<Rung> =>
  rungs.filter((rung) => hung.get(rung) !== generation)

/** A rung that takes more than half of the time of a whole run, and has to be told to end, hangs. */
const watched = <A, E, R>(
  attempt: Effect.Effect<A, E, R>,
  hung: Hung,
  rung: Rung,
  { measurement, policy }: Situation.Situation
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.forkDaemon(
      Effect.interruptible(
        Effect.delay(
          Effect.sync(() => hung.set(rung, measurement.generation)),
          Duration.times(policy.runTimeLimit, 0.5)
        )
      )
    ),
    () => attempt,
    (timer, exit) => {
      if (!Exit.isInterrupted(exit)) hung.delete(rung)
      return Fiber.interruptFork(timer)
    }
  )

/** Attempts one proposal and says what it did to the surface, which is all that counts. */
export const attemptRung = Effect.fnUntraced(function* (
  { hung, services, surface, tell }: Ladder,
  { proposal, rung }: Pick<Step, "proposal" | "rung">,
  id: string,
  ticket: Ticket,
  situation: Situation.Situation
) {
  const { trigger } = situation
  const { first, last, price, why } = proposal
  const began = yield* Clock.currentTimeMillis
  tell({ _tag: "RungStarted", trigger, rung: rung.name, first, last, price, why })
  const exit = yield* setAside(
    watched(Effect.provide(proposal.attempt({ id, ticket, situation }), services), hung, rung, situation)
  )
  const now = Situation.at(situation, yield* surface.state)
  const landed: Landed = {
    rung: rung.name,
    first,
    last,
    before: situation.measurement.totalTokens,
    after: now.measurement.totalTokens,
    generation: now.measurement.generation
  }
  const failure = Exit.isFailure(exit) ? failureOf(rung, exit.cause) : undefined
  if (Exit.isFailure(exit)) {
    yield* Effect.logWarning(`session "${surface.id}": the rung ${rung.name} failed`, exit.cause)
  }
  tell({
    _tag: "RungEnded",
    trigger,
    landed,
    spent: Usage.since(situation.state.summaries.usage, now.state.summaries.usage),
    duration: (yield* Clock.currentTimeMillis) - began,
    ...(failure === undefined ? {} : { failure })
  })
  return { now, landed, failure, moved: now.measurement.generation > situation.measurement.generation }
})

/** Rounds over the ladder, until the target is met or a round landed nothing. Rungs are judged by the surface alone. */
export const climb = Effect.fnUntraced(function* (
  ladder: Ladder,
  rungs: ReadonlyArray<Rung>,
  ticket: Ticket,
  start: Situation.Situation
) {
  const { surface } = ladder
  const landed: Array<Landed> = []
  let failure: CompactionError | undefined
  let runs = 0
  // at the generation at which it failed, a rung would do the same again
  const failedAt = new Map<Rung, number>()
  for (let round = 0; round < start.policy.summary.attempts; round++) {
    const roundBegan = yield* surface.generation
    let situation = Situation.at(start, yield* surface.state)
    for (let step = nextStep(rungs, situation); step !== undefined; step = nextStep(rungs, situation, step.index + 1)) {
      if (failedAt.get(step.rung) === situation.measurement.generation) continue
      const attempted = yield* attemptRung(ladder, step, `${ticket.id}/${runs++}`, ticket, situation)
      situation = attempted.now
      if (attempted.moved) landed.push(attempted.landed)
      if (attempted.failure !== undefined) {
        failure = attempted.failure
        failedAt.set(step.rung, situation.measurement.generation)
      }
      if (Situation.isTargetMet(situation, start)) return { landed, failure } satisfies Climbed
    }
    if ((yield* surface.generation) === roundBegan) break
  }
  return { landed, failure } satisfies Climbed
})
