import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { LogStore, Sessions, Surface, SurfaceState, TokenMeter } from "../../src/index.ts"
import { runs, type World, worlds } from "./conversation.ts"
import { layerSession, makeModel, play, promptOf, route } from "./play.ts"
import { foldLog, readLog, unsettled } from "./reading.ts"

/** Opening writes one event: the revision is the one thing that is different. */
const sizes = ({ revision: _revision, surface: _surface, ...rest }: TokenMeter.Measurement) => rest

/** Everything that the next request and the next decision depend on, as JSON. */
const look = Effect.gen(function* () {
  const state = yield* Effect.flatMap(Surface.Surface, (surface) => surface.state)
  const meter = yield* TokenMeter.TokenMeter
  const measured = sizes(yield* meter.measure())
  const nodes = SurfaceState.nodes(state.surface)
  return JSON.stringify({
    nodes,
    messages: yield* Surface.messages,
    generation: yield* Surface.generation,
    measured,
    elsewhere: sizes(yield* meter.measure({ route: { ...route, model: "another" }, system: "Another." })),
    meter: { ...state.meter, calibrations: [...state.meter.calibrations] },
    routes: [...state.routes],
    resting: [...state.resting],
    refusals: state.refusals,
    byteRefusals: state.byteRefusals,
    lastPressure: state.lastPressure,
    summaries: state.summaries,
    turn: state.turn,
    step: state.step
  })
})

describe("I7 nothing is lost", () => {
  it.effect.prop(
    "I7 a session opened again from its log is the one that was closed: surface, generation, prices, requests [A26 A62 P60 RESUME-1]",
    [worlds],
    ([world]) =>
      Effect.gen(function* () {
        const model = makeModel(world)
        const store = yield* LogStore.makeMemory
        const before = yield* Effect.zipRight(play(world, model), look).pipe(
          Effect.provide(layerSession(world, store, model))
        )
        const again = () => layerSession(world, store, makeModel(world))
        assert.strictEqual(yield* Effect.provide(look, again()), before)
        assert.strictEqual(yield* Effect.provide(look, again()), before)

        // and it is what somebody reads who only knows the format
        const { generation, surface } = foldLog(yield* readLog(store, "s"))
        const read = JSON.parse(before) as {
          generation: number
          messages: unknown
          nodes: ReadonlyArray<{ seq: number }>
        }
        assert.strictEqual(read.generation, generation)
        assert.deepStrictEqual(
          read.nodes.map(({ seq }) => seq),
          surface.map(({ seq }) => seq)
        )
        assert.deepStrictEqual(read.messages, JSON.parse(JSON.stringify(surface.map(({ message }) => message))))
      }),
    runs
  )

  it.effect.prop(
    "I7 a branch at any seq is what the session was there, as if its writer had died: surface, generation, prices, requests",
    [worlds, FastCheck.nat(10_000)],
    ([world, pick]) =>
      Effect.gen(function* () {
        const model = makeModel(world)
        const store = yield* LogStore.makeMemory
        yield* play(world, model).pipe(Effect.provide(layerSession(world, store, model)))
        const events = yield* readLog(store, "s")
        const at = pick % events.length
        yield* Sessions.branch("s", { at, as: "branch" }).pipe(
          Effect.provide(
            Sessions.layer({ session: (id) => Layer.orDie(layerSession(world, store, makeModel(world), id)) })
          ),
          Effect.provideService(LogStore.LogStore, store)
        )
        const copy = yield* readLog(store, "branch")
        assert.deepStrictEqual(copy.slice(1), events.slice(1, at + 1))
        assert.deepStrictEqual((yield* readLog(store, "s")).slice(0, events.length), events)

        // every event a batch of its own: what belongs to one batch is cut here too
        yield* Effect.scoped(
          Effect.flatMap(store.open("dead"), (log) =>
            Effect.forEach(events.slice(0, at + 1), (event, seq) =>
              log.append({ seq, events: [event] }, { sync: true })
            )
          )
        )
        const looked = (id: string) => Effect.provide(look, layerSession(world, store, makeModel(world), id))
        const branched = yield* looked("branch")
        assert.strictEqual(branched, yield* looked("dead"))
        const { generation, surface } = foldLog(events.slice(0, at + 1))
        const read = JSON.parse(branched) as { generation: number; nodes: ReadonlyArray<{ seq: number }> }
        assert.strictEqual(read.generation, generation)
        assert.deepStrictEqual(
          read.nodes.slice(0, surface.length).map(({ seq }) => seq),
          surface.map(({ seq }) => seq)
        )
        assert.isUndefined(unsettled(yield* readLog(store, "branch")))
      }),
    runs
  )

  it.effect.prop(
    "I7 what a replacement shadowed is still in the log, word for word [ATOMIC-2 ATOMIC-3 RESUME-2]",
    [worlds],
    ([world]) =>
      Effect.gen(function* () {
        const model = makeModel(world)
        const store = yield* LogStore.makeMemory
        yield* play(world, model).pipe(Effect.provide(layerSession(world, store, model)))
        const events = yield* readLog(store, "s")
        const kept = new Set(
          events.flatMap((event) => (event.type === "message/user" ? [JSON.stringify(event.data.message)] : []))
        )
        for (const plan of world.turns) assert.isTrue(kept.has(JSON.stringify(promptOf(plan))), "a prompt is gone")
        // every message that a model ever saw was an event, and is one still
        const all = new Set<string>()
        for (let upTo = 1; upTo <= events.length; upTo++) {
          for (const { message } of foldLog(events.slice(upTo - 1, upTo)).surface) all.add(JSON.stringify(message))
          const event = events[upTo - 1]!
          if (event.type === "message/tool-result") {
            const { callId: id, content, isError, name } = event.data
            const block = { type: "tool-result", id, name, content, ...(isError === undefined ? {} : { isError }) }
            all.add(JSON.stringify({ role: "tool", content: [block] }))
          }
          if (event.type === "message/user" || event.type === "message/assistant") {
            all.add(JSON.stringify(event.data.message))
          }
        }
        for (const { request } of model.seen) {
          for (const message of request.messages) assert.isTrue(all.has(JSON.stringify(message)))
        }
        // and a reader inside a session sees the same log
        const seqs = events.map(({ seq }) => seq)
        assert.deepStrictEqual(
          seqs,
          seqs.map((_, i) => i)
        )
      }),
    runs
  )

  it.effect.prop(
    "I7 a log whose replacement does not name what it shadows is refused, and not guessed at [A28 A65]",
    [worlds, FastCheck.nat(20), FastCheck.constantFrom("one less", "another", "none of them there" as const)],
    ([given, pick, how]) =>
      Effect.gen(function* () {
        const world: World = { ...given, backend: { is: "a ladder", rungs: ["prune", "summarise"] }, summary: "honest" }
        const model = makeModel(world)
        const store = yield* LogStore.makeMemory
        yield* play(world, model).pipe(Effect.provide(layerSession(world, store, model)))
        const events = structuredClone(yield* readLog(store, "s"))
        const replacing = events.flatMap((event) => ("replaces" in event.data ? [event.data] : []))
        const victim = replacing[pick % Math.max(replacing.length, 1)]
        const sources = victim?.replaces?.sources as Array<number> | undefined
        if (sources !== undefined) {
          if (how === "one less" && sources.length > 1) sources.splice(pick % sources.length, 1)
          else if (how === "another") sources[pick % sources.length] = sources[pick % sources.length]! + 1
          else sources.splice(0, sources.length, 0)
        }
        const damaged = yield* LogStore.makeMemory
        yield* Effect.scoped(Effect.flatMap(damaged.open("s"), (log) => log.append({ seq: 0, events }, { sync: true })))
        const opened = yield* Effect.either(
          Surface.messages.pipe(Effect.provide(layerSession(world, damaged, makeModel(world))))
        )
        if (sources === undefined) assert.isTrue(Either.isRight(opened))
        else assert.strictEqual(Either.isLeft(opened) ? opened.left._tag : "opened", "SessionCorrupt")
      }),
    runs
  )
})
