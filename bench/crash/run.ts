// Kills a process again and again while it works on sessions, and looks after each death at what is left of them.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Schedule from "effect/Schedule"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { Surface, SurfaceState } from "../../src/index.ts"
import * as Random from "../random.ts"
import type { Fault } from "./brokenStore.ts"
import type { Orders } from "./child.ts"
import * as Judge from "./judge.ts"
import { live } from "./life.ts"
import type { Told } from "./pipe.ts"
import { anyMoment, type Boundary, type Place, placesOf, type StoreName } from "./places.ts"
import { type SessionPlan, sessionOf, sessionsAtOnce } from "./plan.ts"
import { emptyReport, noKills, type Report } from "./report.ts"
import { inSession, isFinished, playNext } from "./session.ts"
import { type Address, open, type Store } from "./stores.ts"
import { toldStore } from "./toldStore.ts"

export interface Options {
  /** the bundled program of the process that is killed */
  readonly program: string
  readonly store: StoreName
  readonly kills: number
  readonly seed: number
  /** what the store of the process that is killed does wrong, to see that it is found out */
  readonly fault?: Fault
  readonly say: (line: string) => void
  /** of the boundaries of a place only each so many, for a short run; by default all, one after the other */
  readonly stride?: number
  /** whoever ran it wants to know what was found so far */
  readonly isStopped?: () => boolean
}

/** About what a life tells before it ends by itself. */
const tellings = 60

const seen = Effect.flatMap(Surface.Surface, (surface) =>
  Effect.map(surface.state, ({ surface: nodes }): Judge.Seen => ({
    generation: nodes.generation,
    nodes: SurfaceState.nodes(nodes).map(({ seq }) => seq),
    messages: SurfaceState.messages(nodes)
  }))
)

/** A lease is waited for; a file is free at once. */
const whileLocked = {
  schedule: Schedule.intersect(Schedule.spaced("20 millis"), Schedule.recurs(500)),
  while: (error: { readonly _tag: string }) => error._tag === "SessionLocked"
}

/** One run, over one store. */
export const run = async (options: Options): Promise<Report> => {
  const { fault, isStopped = () => false, kills, program, say, seed, store: name, stride = 1 } = options
  const random = Random.make(seed)
  const directory = mkdtempSync(`${tmpdir()}/crash-`)
  const address: Address = { store: name, directory }
  const report = emptyReport(name)
  const known = new Map<string, Judge.Known>()
  const knownOf = (session: string): Judge.Known => {
    const found = known.get(session) ?? Judge.unknown()
    known.set(session, found)
    return found
  }
  const hear = (told: Told): void => {
    if (told.is === "turn") {
      const session = knownOf(told.session)
      session.generation = told.generation
      report.turns++
    }
    if (told.is !== "tried" && told.is !== "acknowledged") return
    const { acknowledged, tried } = knownOf(told.session)
    if (told.is === "tried") tried.set(told.seq, [...(tried.get(told.seq) ?? []), told])
    else {
      acknowledged.set(told.seq, told)
      report.acknowledged += told.count
    }
  }

  /** Everything that is looked at after a death, and one more turn. */
  const look = (plan: SessionPlan, store: Store, at: string) =>
    Effect.gen(function* () {
      const { id } = plan
      const wrong = (what: string) => report.violations.push(`${name}, ${at}, ${id}: ${what}`)
      const knows = knownOf(id)
      const dead = yield* store.batches(id)
      const loss = Judge.lossOf(dead, knows)
      const lost = loss.lost.reduce((sum, { count }) => sum + count, 0)
      if (lost > 0) wrong(`${lost} acknowledged events are not there`)
      if (loss.partial > 0) wrong(`${loss.partial} batches are there in part`)
      report.lost += lost
      // once is enough
      for (const { seq } of loss.lost) knows.acknowledged.delete(seq)
      report.partial += loss.partial
      // some deaths are waited for as anybody has to, the others as if the time were over
      if (!at.startsWith(anyMoment)) yield* store.afterLeases
      const log = toldStore(store.log, hear)
      const inThis = inSession(plan, log)

      const began = performance.now()
      const opened = inThis(() => seen)
      const first = yield* Effect.exit(name === "file" ? opened : Effect.retry(opened, whileLocked))
      report.longestWait = Math.max(report.longestWait, performance.now() - began)
      if (Exit.isFailure(first)) {
        report.unopened++
        wrong(`it could not be opened: ${Cause.pretty(first.cause)}`)
        return false
      }
      const before = Judge.eventsOf(dead)
      const after = Judge.eventsOf(yield* store.batches(id))
      const { settled, wrong: outOfOrder } = Judge.settledOf(after.slice(before.length))
      for (const what of [...outOfOrder, ...Judge.wrongWith(before, after, first.value, knows)]) wrong(what)
      report.settled.turns += settled.turns
      report.settled.steps += settled.steps
      report.settled.compactions += settled.compactions

      const second = yield* Effect.exit(
        inThis((model) =>
          Effect.gen(function* () {
            const again = Judge.eventsOf(yield* store.batches(id)).slice(after.length)
            if (again.length !== 1 || again[0]?.type !== "session/opened") wrong("settling was done twice")
            if (yield* isFinished(plan)) return true
            const { outcome, ...turn } = yield* playNext(seed, plan, model)
            if (outcome !== "completed") wrong(`turn ${turn.turn} ended as ${outcome}`)
            hear({ is: "turn", session: id, ...turn })
            return yield* isFinished(plan)
          })
        )
      )
      if (Exit.isFailure(second)) wrong(`it did not go on: ${Cause.pretty(second.cause)}`)
      return Exit.isSuccess(second) && second.value
    })

  const whole = Effect.gen(function* () {
    const store = yield* open(address)
    const next = new Map<Place, number>()
    let number = 0
    let sessions: Array<SessionPlan> = []
    /** the places of those that have turns left */
    let unfinished: Array<number> = []
    const inTurn = (n: number) => unfinished[n % unfinished.length]!
    const renew = () => {
      sessions = Array.from({ length: sessionsAtOnce }, () => sessionOf(number++))
      unfinished = [...sessions.keys()]
    }

    /** Sessions that have had all their turns make place for others. */
    const lookAtAll = (at: string) =>
      Effect.gen(function* () {
        const ended = yield* Effect.forEach(sessions, (plan) => look(plan, store, at))
        unfinished = [...sessions.keys()].filter((place) => !ended[place])
        if (unfinished.length > 0) return false
        for (const plan of sessions) yield* finished(plan)
        renew()
        return true
      })
    const finished = (plan: SessionPlan) =>
      Effect.map(store.batches(plan.id), (batches) => {
        const { paidTwice, reused, summaries } = Judge.summariesOf(Judge.eventsOf(batches))
        report.sessions++
        report.summaries += summaries
        report.reused += reused
        report.paidTwice += paidTwice
        if (paidTwice > 0) report.violations.push(`${name}, ${plan.id}: ${paidTwice} summaries were paid for twice`)
      })

    renew()
    const places = placesOf[name]
    let killed = 0
    // a store that is known to lie has shown it then
    const isShown = () => fault !== undefined && report.lost + report.partial > 0
    for (let life = 0; killed < kills && !isShown() && !isStopped(); life++) {
      const place = places[life % places.length]!
      const nth = next.get(place) ?? stride - 1
      next.set(place, nth + stride)
      const orders: Orders = {
        address,
        seed,
        sessions,
        // at a random moment all write at once; one alone has no more boundaries than can be gone through
        ...(place === anyMoment
          ? {}
          : {
              plays: inTurn(Math.floor(life / places.length)),
              kill: { place: place as Boundary, nth, share: random.next() }
            }),
        ...(fault === undefined ? {} : { fault })
      }
      const { told, ...ended } = yield* Effect.promise(() =>
        live(program, orders, place === anyMoment ? random.integer(tellings) : undefined)
      )
      for (const one of told) hear(one)
      const at = `${place} (${nth})`
      if (ended.stuck) report.violations.push(`${name}, ${at}: the process did not end`)
      for (const one of told) if (one.is === "failed") report.violations.push(`${name}, ${at}: ${one.why}`)
      if (ended.killed) {
        killed++
        const before = report.kills.get(place) ?? noKills
        report.kills.set(place, { ...before, times: before.times + 1, upTo: Math.max(before.upTo, nth + 1) })
        if (killed % 10 === 0 || killed === kills) say(`${name}: ${killed} of ${kills} kills`)
      } else {
        // the life ended before it came there: it was killed at every one before
        next.delete(place)
        const before = report.kills.get(place)
        if (before !== undefined && stride === 1) report.kills.set(place, { ...before, all: true })
      }
      yield* lookAtAll(at)
    }
    // what was begun is brought to its end
    let ended = isShown()
    for (let i = 0; i < 20 && !ended; i++) ended = yield* lookAtAll("at the end")
    if (!ended) report.violations.push(`${name}: the last sessions do not come to their end`)
  })
  try {
    await whole.pipe(Effect.scoped, Logger.withMinimumLogLevel(LogLevel.None), Effect.runPromise)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  return report
}
