/**
 * A toolkit whose failures cannot be taken for the request's own.
 *
 * @since 0.1.0
 */
import type * as Tool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { CurrentNotes } from "./HttpEvidence.ts"

/** What a tool failed with: an overflow of a model that it asked is none of the request that called it. */
class ToolFailed {
  readonly _tag = "ToolFailed"
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

/**
 * The same toolkit, its failures sealed and its own requests not noted.
 *
 * @since 0.1.0
 * @category constructors
 */
export const seal = <Tools extends Record<string, Tool.Any>>(
  toolkit: Toolkit.WithHandler<Tools>
): Toolkit.WithHandler<Tools> => {
  const handle: Toolkit.WithHandler<Tools>["handle"] = (name, params) =>
    toolkit.handle(name, params).pipe(
      Effect.mapError((error) => new ToolFailed(error) as never),
      Effect.provideService(CurrentNotes, undefined)
    )
  return { ...toolkit, handle }
}

/**
 * An error as it was: a tool's own out of its seal, and any out of the proxy that a span makes of it.
 *
 * @since 0.1.0
 * @category getters
 */
export const unseal = <E>(error: E): E => {
  const original = Cause.originalError(error) as E | ToolFailed
  return original instanceof ToolFailed ? Cause.originalError(original.error as E) : original
}
