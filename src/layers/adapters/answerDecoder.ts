/**
 * What reads one answer: events in, parts of an answer or its error out. Each provider's protocol has its own.
 *
 * @since 0.1.0
 */
import type { Row } from "../../errors/classify.ts"
import type * as Errors from "../../errors/ModelError.ts"
import type { Part } from "../../services/ModelAdapter.ts"
import type { Route } from "../../session/Route.ts"
import type { ServerSentEvent } from "./serverSentEvents.ts"

/**
 * What the decoder knows of the request whose answer it reads. `callId` makes an id for a call that came without one.
 *
 * @since 0.1.0
 * @category models
 */
export interface AnswerContext {
  readonly route: Route
  readonly status: number
  readonly requestId?: string
  readonly window?: number
  readonly maxOutputTokens?: number
  readonly secrets?: ReadonlyArray<string>
  /** Rows of the application's own for the classifier. */
  readonly rows?: ReadonlyArray<Row>
  readonly callId: (index: number) => string
}

/**
 * `done`: nothing that comes after this belongs to the answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Decoded {
  readonly parts: ReadonlyArray<Part>
  readonly failure?: Errors.ModelError
  readonly done: boolean
}

/**
 * One decoder reads one answer. A body that is not streamed is one event.
 *
 * @since 0.1.0
 * @category models
 */
export interface AnswerDecoder {
  readonly event: (event: ServerSentEvent) => Decoded
  readonly end: () => Decoded
}
