/**
 * One session of a replay: the real loop over recorded tools.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Agent from "../../layers/Agent.ts"
import * as AgentLoop from "../../layers/AgentLoop.ts"
import * as CompactService from "../../layers/CompactService.ts"
import type * as Session from "../../layers/Session.ts"
import * as Summarizer from "../../layers/Summarizer.ts"
import * as Surface from "../../layers/Surface.ts"
import * as TokenMeter from "../../layers/TokenMeter.ts"
import type { OpenError } from "../../errors/SessionError.ts"
import { CompactionPolicy } from "../../services/CompactionPolicy.ts"
import type { LogStore } from "../../services/LogStore.ts"
import type { ModelAdapter } from "../../services/ModelAdapter.ts"
import { SessionId } from "../../services/SessionId.ts"
import { ToolRunner } from "../../services/ToolRunner.ts"
import type { Policy } from "../../compaction/Policy.ts"
import type { Envelope } from "../../session/Envelope.ts"
import type { Message } from "../../session/Message.ts"
import type { Player } from "./player.ts"
import type { Happening } from "./watch.ts"

/**
 * `inject` is how recorded messages join a running turn; `over` is run instead of a step that the recording cannot
 * answer, and should not return.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly id: string
  readonly envelope: Envelope
  readonly policy: Policy
  readonly player: Player
  readonly adapter: Layer.Layer<ModelAdapter>
  readonly store: Layer.Layer<LogStore>
  readonly inject: (message: Message) => Effect.Effect<void>
  readonly over: Effect.Effect<never>
  readonly watch: (happening: Happening) => Effect.Effect<void>
}

/** The engine as it is, with each run told. */
const watchedCompaction = (watch: Options["watch"]) =>
  Layer.scoped(
    CompactService.CompactService,
    Effect.gen(function* () {
      const surface = yield* Surface.Surface
      const engine = yield* CompactService.make()
      return CompactService.CompactService.of({
        ...engine,
        compactIfNeeded: (trigger) =>
          Effect.gen(function* () {
            const { refusal } = yield* surface.state
            if (trigger === "context-overflow" && refusal !== undefined) {
              yield* watch({ _tag: "Refused", limit: refusal.limit, requested: refusal.requested })
            }
            return yield* engine.compactIfNeeded(trigger)
          }).pipe(
            Effect.tap((outcome) => watch({ _tag: "Compacted", outcome })),
            Effect.tapErrorCause((cause) => {
              const failure = Cause.failureOption(cause)
              return Option.isNone(failure)
                ? Effect.void
                : watch({ _tag: "CompactionFailed", trigger, detail: failure.value.message })
            })
          )
      })
    })
  )

const recordedTools = ({ envelope, inject, player }: Options) =>
  Layer.succeed(ToolRunner, {
    tools: envelope.tools ?? [],
    run: (call) =>
      Effect.suspend(() => {
        const { answer, joining } = player.answerCall(call)
        return Effect.as(Effect.forEach(joining, inject, { discard: true }), answer)
      })
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Session.Services, OpenError> => {
  const { tools: _tools, ...envelope } = options.envelope
  const app = Layer.mergeAll(
    Agent.layerWith(Effect.suspend(() => (options.player.isOver() ? options.over : Effect.succeed(envelope)))),
    recordedTools(options),
    Layer.provideMerge(Summarizer.layer, options.adapter),
    options.store,
    Layer.succeed(SessionId, options.id),
    Layer.succeed(CompactionPolicy, options.policy)
  )
  return AgentLoop.layer.pipe(
    Layer.provideMerge(watchedCompaction(options.watch)),
    Layer.provideMerge(TokenMeter.layer),
    Layer.provideMerge(Surface.layer),
    Layer.provide(app)
  )
}
