/**
 * Talks to models: the one interface that every provider's adapter has.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { Part } from "../compaction/answer.ts"
import type { Sends } from "../compaction/sends.ts"
import type { ModelError } from "../errors/ModelError.ts"
import type { Envelope } from "../session/Envelope.ts"
import type { Message } from "../session/Message.ts"
import type { Route } from "../session/Route.ts"

/**
 * What is sent: an envelope and the surface's messages, stamped with the generation that they were read at. `toolUse:
 * "none"`: the answer must not call tools, and the provider is told so where it takes that; the tools are sent all the
 * same, so that the request begins as the conversation's do.
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelRequest {
  /** Unique to this attempt: `session/seq of its step`. */
  readonly id: string
  readonly generation: number
  readonly envelope: Envelope
  readonly messages: ReadonlyArray<Message>
  readonly toolUse?: "none"
}

export type { Part } from "../compaction/answer.ts"

export type { Sends } from "../compaction/sends.ts"

/**
 * What an adapter knows of a route. Tokens. `source` says where from: `explicit` from the application, `preset` from a dated
 * row, `discovered` from the server itself, so that an answer to more input than that is taken for an overflow.
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelInfo {
  readonly window: number
  readonly outputLimit?: number
  readonly source: "explicit" | "discovered" | "preset"
}

/**
 * @since 0.1.0
 * @category tags
 */
export class ModelAdapter extends Context.Tag("effect-compaction/services/ModelAdapter")<
  ModelAdapter,
  {
    /**
     * One request, nothing retried on overflow. Fails with the provider's error, normalised, whether it came before
     * the first byte, inside the stream, or as an overflow finish. Stopping the stream closes the connection.
     */
    readonly stream: (request: ModelRequest) => Stream.Stream<Part, ModelError>
    /** None: the window of this route is unknown. */
    readonly modelInfo: (route: Route) => Effect.Effect<Option.Option<ModelInfo>>
    /**
     * What of a message the requests of a route carry, so that only that is priced, and that after a refusal for bytes
     * nothing is dropped in vain. Undefined: all of it.
     */
    readonly sends?: (route: Route) => Sends | undefined
  }
>() {}
