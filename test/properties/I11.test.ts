import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import {
  CompactionPolicy,
  CompactService,
  LogStore,
  Message,
  Session,
  Summarizer,
  Surface,
  SurfaceState,
  TokenMeter
} from "../../src/index.ts"
import { route as scripted } from "../../src/testing/Script.ts"
import * as Testing from "../../src/testing/index.ts"
import { runs, textOf, worlds } from "./conversation.ts"
import { drive, layerSession, makeModel, play } from "./play.ts"
import { type Event, foldLog, readLog } from "./reading.ts"

/** What happens to the surface while a summary is made. */
const meanwhile = FastCheck.array(
  FastCheck.constantFrom("appends" as const, "nothing" as const, "replaces inside" as const),
  { maxLength: 3 }
)

const textMessage = (seed: number) => Message.user(textOf({ script: "latin", count: 120, seed }))

/** A session whose summariser lets `during` happen before it answers. */
const layerDisturbed = (store: typeof LogStore.LogStore.Service, during: Effect.Effect<void, never, Surface.Surface>) =>
  // what is made without a model has nothing to wait for
  CompactService.layerWith({ rungs: (defaults) => defaults.filter(({ name }) => name === "summarise") }).pipe(
    Layer.provide(
      Layer.effect(
        Summarizer.Summarizer,
        Effect.map(Surface.Surface, (surface) => ({
          bounded: false,
          summarize: () =>
            Effect.as(Effect.provideService(during, Surface.Surface, surface), { text: "What came before is done." })
        }))
      )
    ),
    Layer.provideMerge(TokenMeter.layer),
    Layer.provideMerge(Surface.layer),
    Layer.provideMerge(CompactionPolicy.layer({ threshold: 0.5, prune: false, retain: 100, summary: { attempts: 1 } })),
    Layer.provide([
      Layer.succeed(LogStore.LogStore, store),
      Layer.succeed(Session.SessionId, "s"),
      Testing.layerScript({ window: 600 })
    ])
  )

/** What one of them does, with the ticket that happens to be open. */
const disturb = (what: "appends" | "nothing" | "replaces inside") =>
  Effect.gen(function* () {
    const surface = yield* Surface.Surface
    if (what === "appends") yield* surface.append(Message.user("meanwhile"))
    if (what !== "replaces inside") return
    const ticket = yield* surface.openTicket
    const { surface: now } = yield* surface.state
    const node = SurfaceState.nodeAt(now, 1)
    if (ticket === undefined || node === undefined) return
    yield* surface.replace(ticket, {
      expected: { nodes: [node] },
      spans: [
        {
          first: node.seq,
          last: node.seq,
          by: { type: "message/user", data: { message: Message.user("x"), source: "context" } }
        }
      ],
      records: () => ({ before: [], after: [] })
    })
  }).pipe(Effect.exit, Effect.asVoid)

const isSurface = ({ type }: Event) => type.startsWith("message/")

describe("I11 a stale summary never lands", () => {
  it.effect.prop(
    "I11 what a summary stands for was there, unchanged, when it landed [A51 A92 A133 RACE-4]",
    [
      FastCheck.constantFrom("pressure" as const, "context-overflow" as const, "manual" as const, "region" as const),
      meanwhile
    ],
    ([trigger, happenings]) =>
      Effect.gen(function* () {
        const store = yield* LogStore.makeMemory
        const during = Effect.forEach(happenings, disturb, { discard: true })
        yield* Effect.gen(function* () {
          const surface = yield* Surface.Surface
          yield* surface.commit(() => [{ type: "request/envelope", data: { envelope: { route: scripted } } }])
          for (let seed = 0; seed < 5; seed++) yield* surface.append(textMessage(seed))
          const [first, , last] = SurfaceState.nodes((yield* surface.state).surface)
          yield* drive(
            trigger === "region"
              ? CompactService.compactRegion(first!.seq, last!.seq)
              : CompactService.compactIfNeeded(trigger)
          )
        }).pipe(Effect.provide(layerDisturbed(store, during)))

        const events = yield* readLog(store, "s")
        for (const { stood } of foldLog(events).landings) assert.isTrue(stood, "its span was not there")
        const start = events.findIndex(({ type }) => type === "compaction/start")
        const landed = events.findIndex(({ type }) => type === "compaction/summary")
        assert.isAtLeast(start, 0)
        const changed = events.slice(start, landed < 0 ? events.length : landed).filter(isSurface)
        const inside = changed.some((event) => "replaces" in event.data)
        const byHand = trigger === "manual" || trigger === "region"
        // a span that somebody chose may have company; one that was chosen for them stands on the whole surface
        assert.strictEqual(landed >= 0, byHand ? !inside : changed.length === 0)
        assert.strictEqual(
          events.filter(({ type }) => type === "compaction/end").length,
          events.filter(({ type }) => type === "compaction/start").length
        )
      }),
    runs
  )

  it.effect.prop(
    "I11 nothing lands under the ticket of a run that is over, or under none",
    [worlds, FastCheck.constantFrom("lands-late" as const, "forges-a-ticket" as const), FastCheck.boolean()],
    ([given, lie, whole]) =>
      Effect.gen(function* () {
        const world = {
          ...given,
          backend: whole ? ({ is: "a liar", lie } as const) : ({ is: "a ladder", rungs: [lie] } as const),
          policy: { ...given.policy, auto: true }
        }
        const model = makeModel(world)
        const store = yield* LogStore.makeMemory
        yield* Effect.gen(function* () {
          yield* play(world, model)
          yield* TestClock.adjust("3 hours")
          assert.strictEqual(yield* Surface.generation, 0)
        }).pipe(Effect.provide(layerSession(world, store, model)))
        assert.strictEqual(foldLog(yield* readLog(store, "s")).generation, 0)
      }),
    runs
  )
})
