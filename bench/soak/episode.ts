// One episode, from its plan to its verdict.
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { headings } from "../../src/compaction/SummaryInstruction.ts"
import { SummaryFailed } from "../../src/errors/CompactionError.ts"
import * as Agent from "../../src/layers/Agent.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactionPolicy from "../../src/layers/CompactionPolicy.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as TokenMeter from "../../src/layers/TokenMeter.ts"
import * as ToolRunner from "../../src/layers/ToolRunner.ts"
import { SessionId } from "../../src/services/SessionId.ts"
import * as Message from "../../src/session/Message.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import { lyingRung, lyingSummary } from "../../src/testing/index.ts"
import * as Random from "../random.ts"
import { messagesOf, sizeOf, type Turn, turnOf } from "./conversation.ts"
import * as Judges from "./judges.ts"
import { type Plan, type Summariser, stratumPlanOf, type Stratum } from "./plan.ts"
import * as Provider from "./provider.ts"
import * as VirtualClock from "./virtualClock.ts"

export interface Verdict {
  readonly seed: number
  readonly requests: number
  readonly overflows: number
  readonly rescues: number
  readonly notSmaller: number
  readonly brokenPairs: number
  readonly lostOrDoubled: number
  /** a session that no further prompt gets out of, although a reduction exists */
  readonly stuck: number
  /** a rescue that gave up although envelope, newest unit and 500 tokens fit */
  readonly failedRescue: number
  readonly summaries: number
  /** tokens of summary calls that came to nothing */
  readonly wasted: number
  readonly died: string | undefined
}

const structured = (text: string) => headings.map((heading) => `## ${heading}\n${text}`).join("\n\n")

const summaryOf = (
  summariser: Summariser,
  tokens: number
): Effect.Effect<string | Summarizer.Summary, SummaryFailed> => {
  const usage = { inputTokens: tokens, outputTokens: 50 }
  switch (summariser) {
    case "fine":
      return Effect.succeed({ text: structured("what matters of it"), finish: "stop", usage })
    case "failing":
      return Effect.fail(new SummaryFailed({ reason: "model", detail: "503" }))
    case "overflowing":
      return Effect.fail(new SummaryFailed({ reason: "overflow", detail: "too long" }))
    case "hangs-uninterruptibly":
      return lyingSummary("hangs")
    default:
      // a lie costs as much as the truth
      return Effect.map(lyingSummary(summariser), (said) => ({
        ...(typeof said === "string" ? { text: said } : said),
        usage
      }))
  }
}

const session = (plan: Plan, provider: Provider.Provider, turns: { current: Turn | undefined }, system: string) =>
  AgentLoop.layer.pipe(
    Layer.provideMerge(
      plan.foreignRung === undefined
        ? CompactService.layer
        : CompactService.layerWith({ rungs: (defaults) => [lyingRung(plan.foreignRung!), ...defaults] })
    ),
    Layer.provideMerge(TokenMeter.layer),
    Layer.provideMerge(Surface.layer),
    Layer.provide([
      Layer.succeed(SessionId, "soak"),
      LogStore.layerMemory,
      provider.layer,
      Agent.layer({ ...Provider.route, system }),
      ToolRunner.layer({
        read: {
          schema: { parameters: { type: "object" } },
          run: (args) => {
            const { path } = args as { readonly path: string }
            return Effect.succeed(turns.current?.results.get(path.replace(/\.ts$/, "")) ?? "nothing there")
          }
        }
      }),
      Summarizer.layerWith(({ span }) => summaryOf(plan.summariser, Provider.counted(plan.factor, {}, span)), {
        bounded: true,
        headings: true
      }),
      Layer.orDie(CompactionPolicy.layer(plan.policy))
    ])
  )

/** Runs an episode without a word, in a time of its own. */
const play = <A, E>(episode: Effect.Effect<A, E>): Promise<A> =>
  episode.pipe(Logger.withMinimumLogLevel(LogLevel.None), Effect.withClock(VirtualClock.make()), Effect.runPromise)

/** Whether a turn ended because the provider refused it as too long. */
const overflowed = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) &&
  Option.exists(
    Cause.failureOption(exit.cause),
    (error) => (error as { _tag?: string })._tag === "ContextWindowExceeded"
  )

const diedOf = (exit: Exit.Exit<unknown, unknown>): string | undefined =>
  Exit.isFailure(exit) && Cause.isDie(exit.cause) ? Cause.pretty(exit.cause).split("\n", 3).join(" ") : undefined

/** What a lie does late it has done by then. */
const lateEnough = "2 hours"

/** What the log and the provider say of an episode that is over. */
const verdictOf = Effect.fnUntraced(function* (
  plan: Plan,
  provider: Provider.Provider,
  more: Pick<Verdict, "stuck" | "failedRescue" | "died">
) {
  yield* Effect.sleep(lateEnough)
  const surface = yield* Surface.Surface
  const state = yield* surface.state
  const events = Chunk.toReadonlyArray(yield* Effect.orDie(Stream.runCollect(surface.history(0))))
  const calls = events.flatMap((event) => (event.type === "compaction/call" ? [event.data] : []))
  const failed = calls.filter(({ outcome }) => outcome !== "completed")
  return {
    seed: plan.seed,
    requests: provider.seen.length,
    overflows: provider.seen.filter(({ refused }) => refused).length,
    rescues: events.filter((event) => event.type === "rescue/end" && event.data.outcome === "retry").length,
    notSmaller: Judges.notSmaller(provider.seen),
    brokenPairs: Judges.brokenPairs(provider.seen),
    lostOrDoubled: Judges.lostOrDoubled(events, state.surface),
    summaries: calls.length,
    wasted: failed.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0), 0),
    ...more
  } satisfies Verdict
})

const systemOf = (random: Random.Random, tokens: number) =>
  `You are terse. ${"Obey. ".repeat(Math.floor(tokens / 2))}${random.integer(9)}`

/** Turns of a conversation; a session that refuses is prompted again before it is called stuck. */
export const converse = (plan: Plan): Promise<Verdict> => {
  const random = Random.make(plan.seed ^ 0x5eed)
  const provider = Provider.make(plan)
  const turns: { current: Turn | undefined } = { current: undefined }
  const system = systemOf(random, plan.system)
  const prompt = (turn: Turn) =>
    Effect.gen(function* () {
      turns.current = turn
      provider.beginTurn(turn.answers)
      const running = yield* Effect.fork(AgentLoop.run(turn.prompt))
      if (plan.interrupts && random.next() < 0.3) {
        yield* Effect.repeatN(Effect.yieldNow(), random.integer(40))
        return yield* Fiber.interrupt(running)
      }
      return yield* Fiber.await(running)
    })
  return Effect.gen(function* () {
    let died: string | undefined
    let stuck = 0
    for (let turn = 0; turn < plan.turns; turn++) {
      const exit = yield* prompt(turnOf(random, turn, plan.median * plan.window))
      died ??= diedOf(exit)
      if (!overflowed(exit)) continue
      let again = exit
      for (let i = 0; i < 3 && overflowed(again); i++) {
        again = yield* prompt({ prompt: "Go on", answers: [], results: new Map() })
      }
      const { surface } = yield* (yield* Surface.Surface).state
      if (overflowed(again) && Judges.hasReduction(plan, { system }, surface)) stuck++
    }
    return yield* verdictOf(plan, provider, { stuck, failedRescue: 0, died })
  }).pipe(Effect.provide(session(plan, provider, turns, system)), play)
}

/** One request of a session that is over its window, though envelope, newest unit and 500 tokens fit. */
export const rescueOnce = (seed: number, stratum: Stratum): Promise<Verdict> => {
  const plan = stratumPlanOf(seed, stratum)
  const random = Random.make(seed ^ 0x5eed)
  const provider = Provider.make(plan)
  const envelopeTokens = random.integer(Math.floor(plan.window / 4))
  const system = systemOf(random, envelopeTokens / plan.factor)
  const envelope = Provider.counted(plan.factor, { system }, [])
  const room = plan.window - envelope - 500
  const median = plan.median * plan.window
  const history = messagesOf(
    random,
    median / plan.factor,
    (messages) => Provider.counted(plan.factor, { system }, messages) > plan.window
  )
  // the newest unit: a prompt that fits, by the provider's own count
  let size = Math.min(sizeOf(random, median), room) / plan.factor
  const promptOf = () => `Now: ${"word ".repeat(Math.max(1, Math.floor(size)))}`
  while (Provider.counted(plan.factor, {}, [Message.user(promptOf())]) > room && size > 1) size *= 0.8
  const turns = { current: undefined }
  return Effect.gen(function* () {
    yield* Surface.append(...history)
    provider.beginTurn([])
    const exit = yield* Effect.exit(AgentLoop.run(promptOf()))
    const { surface } = yield* (yield* Surface.Surface).state
    const fits =
      Provider.counted(plan.factor, { system }, [SurfaceState.nodeAt(surface, surface.length - 1)!.message]) + 500 <=
      plan.window
    return yield* verdictOf(plan, provider, {
      stuck: 0,
      failedRescue: Exit.isFailure(exit) && fits ? 1 : 0,
      died: diedOf(exit)
    })
  }).pipe(Effect.provide(session(plan, provider, turns, system)), play)
}
