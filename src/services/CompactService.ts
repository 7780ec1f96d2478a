/**
 * Makes the surface smaller, for one of three reasons.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Declined, Situation } from "../compaction/Situation.ts"
import type { CompactionError } from "../errors/CompactionError.ts"
import type { Seq } from "../session/Ids.ts"
import type { Trigger } from "../session/SessionEvent.ts"
import type { Usage } from "../session/Usage.ts"
import type { ModelAdapter } from "./ModelAdapter.ts"
import type { Summarizer } from "./Summarizer.ts"
import type { Surface, Ticket } from "./Surface.ts"
import type { TokenMeter } from "./TokenMeter.ts"

export type { Declined, DeclinedReason, Situation } from "../compaction/Situation.ts"

/**
 * What one rung did to the surface: the span that it worked on, and the measured total before and after it, in tokens.
 *
 * @since 0.1.0
 * @category models
 */
export interface Landed {
  readonly rung: string
  readonly first: Seq
  readonly last: Seq
  readonly before: number
  readonly after: number
  readonly generation: number
}

/**
 * A run that landed something. All sizes are tokens, by the session's meter; `spent` is what its summary calls used, cached
 * input apart; `duration` is in milliseconds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reduced {
  readonly _tag: "Reduced"
  readonly trigger: Trigger
  /** the rungs that landed something, in order */
  readonly rungs: ReadonlyArray<string>
  /** the same rungs with what each of them did */
  readonly landed: ReadonlyArray<Landed>
  readonly before: number
  readonly after: number
  readonly generation: number
  readonly spent: Usage
  readonly targetMet: boolean
  readonly duration: number
}

/**
 * @since 0.1.0
 * @category models
 */
export type Outcome = Reduced | Declined

/**
 * What a run would do first: which rung, on which span, worth how many tokens, and why.
 *
 * @since 0.1.0
 * @category models
 */
export interface Planned {
  readonly _tag: "Planned"
  readonly trigger: Trigger
  readonly rung: string
  readonly first: Seq
  readonly last: Seq
  /** tokens of what it would work on */
  readonly price: number
  readonly why: string
}

/**
 * @since 0.1.0
 * @category models
 */
export type Plan = Planned | Declined

/**
 * What a run tells while it goes on. Each value alone is enough to draw a row of it.
 *
 * @since 0.1.0
 * @category models
 */
export type Progress =
  | {
      readonly _tag: "RunStarted"
      readonly trigger: Trigger
      /** the measured total, and what it has to get below where that is known */
      readonly before: number
      readonly target?: number
      readonly window?: number
    }
  | {
      readonly _tag: "RungStarted"
      readonly trigger: Trigger
      readonly rung: string
      readonly first: Seq
      readonly last: Seq
      readonly price: number
      readonly why: string
    }
  | {
      readonly _tag: "RungEnded"
      readonly trigger: Trigger
      /** a rung that landed nothing has left both sizes and the generation as they were */
      readonly landed: Landed
      readonly spent: Usage
      readonly duration: number
      readonly failure?: CompactionError
    }
  | {
      readonly _tag: "RunEnded"
      readonly trigger: Trigger
      /** undefined: the run was interrupted */
      readonly outcome: Outcome | CompactionError | undefined
      readonly duration: number
    }
  /** The trigger asked for a run, and there is nothing that one could do. It began nothing, so no `RunEnded` follows. */
  | { readonly _tag: "RunDeclined"; readonly trigger: Trigger; readonly outcome: Declined }

/**
 * What a rung works with: a ticket to replace under, and the situation that it proposed in.
 *
 * @since 0.1.0
 * @category models
 */
export interface Run {
  readonly id: string
  readonly ticket: Ticket
  readonly situation: Situation
}

/**
 * What a rung may use.
 *
 * @since 0.1.0
 * @category models
 */
export type RungServices = Surface | TokenMeter | Summarizer | ModelAdapter

/**
 * What a rung would do in a situation (the span, its tokens, and why), and the effect that does it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Proposal {
  readonly first: Seq
  readonly last: Seq
  readonly price: number
  readonly why: string
  readonly attempt: (run: Run) => Effect.Effect<unknown, unknown, RungServices>
}

/**
 * One way to make the surface smaller. The engine asks for a proposal, attempts it, and judges by the surface alone: what
 * the attempt returns, throws or dies of does not count.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rung {
  readonly name: string
  /** Whether an attempt costs money; such rungs rest after they failed repeatedly. */
  readonly paid: boolean
  /**
   * What it makes less of, tokens if absent. After a refusal for bytes only rungs for bytes are asked, and they at no other
   * time: a summary is no remedy for an image.
   */
  readonly reduces?: "tokens" | "bytes"
  /** Undefined: nothing to do here. Pure. */
  readonly propose: (situation: Situation) => Proposal | undefined
}

/**
 * @since 0.1.0
 * @category tags
 */
export class CompactService extends Context.Tag("effect-compaction/services/CompactService")<
  CompactService,
  {
    /**
     * Runs the ladder if the trigger asks for it. A failure means that nothing landed; whoever wants to know whether it
     * did asks the surface's generation.
     */
    readonly compactIfNeeded: (trigger: Trigger) => Effect.Effect<Outcome, CompactionError>
    /** What a run would do now. No effect on anything. */
    readonly plan: (trigger: Trigger) => Effect.Effect<Plan>
    /** What runs do, from now on. A slow reader misses the oldest and holds nobody up. */
    readonly progress: Stream.Stream<Progress>
    /** Replaces a span by a checkpoint, by hand. */
    readonly compactRegion: (first: Seq, last: Seq) => Effect.Effect<Outcome, CompactionError>
  }
>() {}
