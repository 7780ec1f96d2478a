/**
 * One request of a turn: streamed, told as events, and rescued where the provider refuses it as too long.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as AnswerParts from "../compaction/answer.ts"
import type { Policy } from "../compaction/Policy.ts"
import type { Row } from "../errors/classifierRow.ts"
import type { ModelError } from "../errors/ModelError.ts"
import type { LogWriteFailed } from "../errors/SessionError.ts"
import type { TurnEvent } from "../services/AgentLoop.ts"
import type { CompactService, Outcome } from "../services/CompactService.ts"
import type { ModelAdapter, ModelRequest } from "../services/ModelAdapter.ts"
import type { Surface } from "../services/Surface.ts"
import type { TokenMeter } from "../services/TokenMeter.ts"
import * as Message from "../session/Message.ts"
import { mayBeOverflow, overflowSign } from "./overflowSign.ts"
import { rescuedRequest } from "./rescuedRequest.ts"
import { genAiAttributes, usageAttributes } from "./telemetry.ts"

/**
 * @since 0.1.0
 * @category models
 */
export type Emit = (event: TurnEvent) => Effect.Effect<void>

/**
 * @since 0.1.0
 * @category models
 */
export interface Requesting {
  readonly surface: typeof Surface.Service
  readonly meter: typeof TokenMeter.Service
  readonly compact: typeof CompactService.Service
  readonly adapter: typeof ModelAdapter.Service
  readonly policy: Policy
  readonly rows: ReadonlyArray<Row>
}

/**
 * Tells what a compaction came to, if it came to anything.
 *
 * @since 0.1.0
 * @category utils
 */
export const compacted = (emit: Emit) => (outcome: Outcome) =>
  outcome._tag === "Declined"
    ? Effect.void
    : emit({
        _tag: "Compacted",
        trigger: outcome.trigger,
        rungs: outcome.rungs,
        before: outcome.before,
        after: outcome.after,
        generation: outcome.generation
      })

/**
 * What came of an answer that was cut by an interruption is kept, without its calls.
 *
 * @since 0.1.0
 * @category constructors
 */
export const turnRequest = (
  { adapter, compact, meter, policy, rows, surface }: Requesting,
  emit: Emit
): Effect.Effect<AnswerParts.Answer, ModelError | LogWriteFailed> => {
  let parts = AnswerParts.make()
  const send = (modelRequest: ModelRequest) =>
    Effect.suspend(() => {
      parts = AnswerParts.make()
      return Effect.flatMap(surface.state, ({ step }) =>
        Effect.zipRight(
          emit({ _tag: "StepStarted", step }),
          Stream.runForEach(adapter.stream(modelRequest), (part) => {
            parts.add(part)
            if (part.type === "text-delta") return emit({ _tag: "TextDelta", step, delta: part.delta })
            if (part.type === "reasoning-delta") return emit({ _tag: "ReasoningDelta", step, delta: part.delta })
            if (part.type !== "repeated") return Effect.void
            const { type: _type, ...repeated } = part
            return emit({ _tag: "RequestRepeated", step, ...repeated })
          })
        )
      )
    }).pipe(Effect.map(() => parts.answer()))
  return Effect.flatMap(surface.state, ({ envelope }) =>
    Effect.zipRight(
      envelope === undefined ? Effect.void : Effect.annotateCurrentSpan(genAiAttributes(envelope.envelope.route)),
      rescuedRequest({ surface, meter, compact }, policy, {
        send,
        overflow: (error) =>
          envelope === undefined ? Option.none() : overflowSign(error, envelope.envelope.route, rows),
        mayBeOverflow: (error) => envelope !== undefined && mayBeOverflow(error, envelope.envelope.route, rows),
        answered: ({ finish, message, usage }) => ({ finish, usage, isEmpty: message.content.length === 0 }),
        givenUp: (_, overflow) => Exit.fail(overflow),
        info: envelope === undefined ? Effect.succeedNone : adapter.modelInfo(envelope.envelope.route),
        keepOpen: true,
        closing: (refused) => {
          const message = parts.partial()
          return refused || Message.isEmpty(message)
            ? []
            : [{ type: "message/assistant", data: { message, interrupted: true } }]
        },
        refused: (step) => emit({ _tag: "StepDiscarded", step }),
        compacted: compacted(emit)
      })
    )
  ).pipe(
    Effect.tap(({ usage }) => (usage === undefined ? Effect.void : Effect.annotateCurrentSpan(usageAttributes(usage)))),
    Effect.withSpan("effect-compaction.request")
  )
}
