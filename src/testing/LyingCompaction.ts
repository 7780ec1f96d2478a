/**
 * Compaction that is wrong, or lies, or hangs: as a rung among others, or as a whole `CompactService`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SummaryFailed } from "../errors/CompactionError.ts"
import * as Engine from "../layers/CompactService.ts"
import { CompactService, type Reduced, type Rung, type RungServices } from "../services/CompactService.ts"
import { Surface, type Ticket } from "../services/Surface.ts"
import * as Message from "../session/Message.ts"
import type { Trigger } from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Usage from "../session/Usage.ts"

/**
 * - `nothing-changed`: reports success, having done nothing
 * - `fails-after-prune`: really prunes, then fails
 * - `fails`, `dies`, `interrupts-itself`: at once
 * - `hangs`, `hangs-uninterruptibly`: for good
 * - `does-not-shrink`: replaces the oldest message by a longer one, and reports success
 * - `splits-a-pair`: replaces half of a tool call and its results, and reports success
 * - `forges-a-ticket`: makes a good replacement under a ticket of its own
 * - `lands-late`: makes a good replacement an hour later, and cannot be interrupted until then
 *
 * @since 0.1.0
 * @category constants
 */
export const lies = [
  "nothing-changed",
  "fails-after-prune",
  "fails",
  "dies",
  "interrupts-itself",
  "hangs",
  "hangs-uninterruptibly",
  "does-not-shrink",
  "splits-a-pair",
  "forges-a-ticket",
  "lands-late"
] as const

/**
 * @since 0.1.0
 * @category models
 */
export type Lie = (typeof lies)[number]

/** Puts `text` in place of the nodes at places `from` to `to`, by everything that the surface asks for but honesty. */
const put = (ticket: Ticket, from: number, to: number, text: string) =>
  Effect.flatMap(Surface, (surface) =>
    Effect.flatMap(surface.state, (state) => {
      const nodes = SurfaceState.nodes(state.surface, from, to + 1)
      const [first] = nodes
      const last = nodes.at(-1)
      if (first === undefined || last === undefined) return Effect.void
      const message = Message.user(text)
      return surface.replace(ticket, {
        expected: { nodes },
        spans: [
          { first: first.seq, last: last.seq, by: { type: "message/user", data: { message, source: "context" } } }
        ],
        records: () => ({ before: [], after: [] })
      })
    })
  )

/** All but the newest unit, in a word. */
const landAll = (ticket: Ticket) =>
  Effect.flatMap(Surface, (surface) =>
    Effect.flatMap(surface.state, (state) =>
      put(ticket, 0, SurfaceState.unitStart(state.surface, state.surface.length - 1) - 1, "short")
    )
  )

const longer = (ticket: Ticket) => put(ticket, 0, 0, "not a word less than there was, ".repeat(800))

/** The first message that has calls, without its results. */
const halfAPair = (ticket: Ticket) =>
  Effect.flatMap(Surface, (surface) =>
    Effect.flatMap(surface.state, (state) => {
      const at = SurfaceState.messages(state.surface).findIndex((message) => Message.toolCalls(message).length > 0)
      return at < 0 ? Effect.void : put(ticket, 0, at, "short")
    })
  )

const failure = new SummaryFailed({ reason: "model", detail: "it fails on purpose" })

/** What a lie does under the ticket of an open run. */
const done = (lie: Lie, ticket: Ticket): Effect.Effect<unknown, unknown, Surface> => {
  switch (lie) {
    case "nothing-changed":
      return Effect.void
    case "fails-after-prune":
    case "fails":
      return Effect.fail(failure)
    case "dies":
      return Effect.dieMessage("it dies on purpose")
    case "interrupts-itself":
      return Effect.interrupt
    case "hangs":
      return Effect.never
    case "hangs-uninterruptibly":
      return Effect.uninterruptible(Effect.never)
    case "does-not-shrink":
      return Effect.exit(longer(ticket))
    case "splits-a-pair":
      return Effect.exit(halfAPair(ticket))
    case "forges-a-ticket":
      return Effect.exit(landAll({ ...ticket, id: `${ticket.id}` }))
    case "lands-late":
      return Effect.uninterruptible(Effect.zipRight(Effect.sleep("1 hour"), landAll(ticket)))
  }
}

/**
 * A lie as a rung of a ladder that may hold honest ones too. `fails-after-prune` is the prune rung with another end.
 *
 * @since 0.1.0
 * @category rungs
 */
export const lyingRung = (lie: Lie): Rung => ({
  name: lie,
  paid: false,
  propose: (situation) => {
    const prune = Engine.defaultRungs.find(({ name }) => name === "prune")
    if (lie === "fails-after-prune") {
      const proposal = prune?.propose(situation)
      return proposal === undefined
        ? undefined
        : { ...proposal, attempt: (run) => Effect.zipRight(proposal.attempt(run), Effect.fail(failure)) }
    }
    const { surface } = situation.state
    const first = SurfaceState.nodeAt(surface, 0)?.seq ?? 0
    const last = SurfaceState.nodeAt(surface, surface.length - 1)?.seq ?? 0
    return { first, last, price: 1, why: "it says so", attempt: ({ ticket }) => done(lie, ticket) }
  }
})

/**
 * A whole service that lies. What it says of planning is the engine's.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerLying = (lie: Lie): Layer.Layer<CompactService, never, RungServices> =>
  Layer.scoped(
    CompactService,
    Effect.gen(function* () {
      const surface = yield* Surface
      const engine = yield* Engine.make({ rungs: ([prune]) => (prune === undefined ? [] : [prune]) })
      const claim = (trigger: Trigger): Reduced => ({
        _tag: "Reduced",
        trigger,
        rungs: [lie],
        landed: [],
        before: 1_000_000,
        after: 0,
        generation: 1_000_000,
        spent: Usage.zero,
        targetMet: true,
        duration: 0
      })
      return CompactService.of({
        ...engine,
        compactIfNeeded: (trigger) =>
          lie === "fails-after-prune"
            ? Effect.zipRight(engine.compactIfNeeded(trigger), Effect.fail(failure))
            : surface
                .withTicket(trigger, "wait", (ticket) => Effect.provideService(done(lie, ticket), Surface, surface))
                .pipe(
                  Effect.as(claim(trigger)),
                  Effect.mapError(() => failure)
                )
      })
    })
  )
