/**
 * Drives turns: the model, its tools, and compaction in between.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { LearnedWindow } from "../compaction/learnedWindow.ts"
import type { ModelError } from "../errors/ModelError.ts"
import type { LogWriteFailed, NotSuspended, TurnError } from "../errors/SessionError.ts"
import type { Message } from "../session/Message.ts"
import type { Trigger } from "../session/SessionEvent.ts"

export type { LearnedWindow } from "../compaction/learnedWindow.ts"

/**
 * What happens in a turn, for whoever watches. `StepDiscarded`: what this step streamed is void, since its request was
 * refused, or its answer shows that the request did not fit. `WindowLearned`: a warning; the answer is kept.
 * `RequestRepeated`: attempt number `attempt`, from 1, failed for a reason that may pass, and nothing of an answer had come;
 * the request is sent again after `delay` milliseconds. `retryAfter` is what the provider asked for.
 *
 * @since 0.1.0
 * @category models
 */
export type TurnEvent =
  | { readonly _tag: "StepStarted"; readonly step: number }
  | { readonly _tag: "TextDelta"; readonly step: number; readonly delta: string }
  | { readonly _tag: "ReasoningDelta"; readonly step: number; readonly delta: string }
  | {
      readonly _tag: "RequestRepeated"
      readonly step: number
      readonly attempt: number
      readonly delay: number
      readonly error: ModelError["_tag"]
      readonly retryAfter?: number
    }
  | { readonly _tag: "StepDiscarded"; readonly step: number }
  | { readonly _tag: "ToolCalled"; readonly step: number; readonly id: string; readonly name: string }
  | {
      readonly _tag: "ToolAnswered"
      readonly step: number
      readonly id: string
      readonly name: string
      readonly isError: boolean
    }
  | {
      readonly _tag: "Compacted"
      readonly trigger: Trigger
      readonly rungs: ReadonlyArray<string>
      readonly before: number
      readonly after: number
      readonly generation: number
    }
  | ({ readonly _tag: "WindowLearned"; readonly step: number } & LearnedWindow)
  | {
      readonly _tag: "TurnEnd"
      readonly outcome: "completed" | "output-limit" | "suspended"
      /** the text of the last answer */
      readonly text: string
      /** ids of the calls that wait for an answer */
      readonly pending: ReadonlyArray<string>
    }

/**
 * @since 0.1.0
 * @category models
 */
export type TurnEnd = Extract<TurnEvent, { readonly _tag: "TurnEnd" }>

/**
 * What a session is at, also one that was opened after days.
 *
 * @since 0.1.0
 * @category models
 */
export type State =
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Running"; readonly turn: number }
  | { readonly _tag: "Suspended"; readonly turn: number; readonly pending: ReadonlyArray<string> }

/**
 * @since 0.1.0
 * @category tags
 */
export class AgentLoop extends Context.Tag("effect-compaction/services/AgentLoop")<
  AgentLoop,
  {
    /**
     * One turn as its events. Running the stream runs the turn; leaving it, at any time, interrupts the turn and waits
     * until it is closed. A second prompt while a turn runs, or while one is suspended, fails with `SessionBusy`.
     */
    readonly prompt: (prompt: string | Message) => Stream.Stream<TurnEvent, TurnError>
    /**
     * Answers calls of a suspended turn, by their id, and goes on with it, days later and in another process too. It stays
     * suspended while calls are left; an answer to a call that does not wait is left out. A call of a tool that is gone by
     * now gets an error, with the answer in it if one came.
     */
    readonly resume: (answers: {
      readonly [callId: string]: string
    }) => Stream.Stream<TurnEvent, TurnError | NotSuspended>
    readonly state: Effect.Effect<State>
    /**
     * Adds a user message of context, durably. In an idle session it is on the surface at once; while a turn runs it joins at
     * the next step boundary, and while one is suspended once its calls are answered.
     */
    readonly inject: (message: Message) => Effect.Effect<void, LogWriteFailed>
  }
>() {}
