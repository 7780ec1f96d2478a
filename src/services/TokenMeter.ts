/**
 * How large the next request is.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { LogWriteFailed } from "../errors/SessionError.ts"
import type { Measurement } from "../compaction/measure.ts"
import type { Envelope } from "../session/Envelope.ts"
import type { Message } from "../session/Message.ts"
import type { Usage } from "../session/Usage.ts"

export type { Measurement } from "../compaction/measure.ts"

/**
 * @since 0.1.0
 * @category tags
 */
export class TokenMeter extends Context.Tag("effect-compaction/services/TokenMeter")<
  TokenMeter,
  {
    /** One coherent value at the newest revision, for the session's envelope or for the one that is given. O(1). */
    readonly measure: (envelope?: Envelope) => Effect.Effect<Measurement>
    /** Tokens of a message that is not on the surface, at the density learned for the session's route. */
    readonly price: (message: Message) => Effect.Effect<number>
    /**
     * What the provider counted for a request of this generation, for clients that send without `OverflowRescue`. A
     * report of an older generation is not read as the present size.
     */
    readonly report: (generation: number, usage: Usage) => Effect.Effect<void, LogWriteFailed>
  }
>() {}
