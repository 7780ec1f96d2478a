/**
 * Runs the tools that a model calls.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ToolSchema } from "../session/Envelope.ts"
import type { ResultBlock } from "../session/Message.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: unknown
}

/**
 * What a tool answers: text, blocks, an error for the model to read, or `suspend`: the answer comes later, through
 * `AgentLoop.resume`, and the turn ends as suspended.
 *
 * @since 0.1.0
 * @category models
 */
export type ToolAnswer =
  | string
  | { readonly content: string | ReadonlyArray<ResultBlock>; readonly isError?: boolean }
  | { readonly suspend: string }

/**
 * @since 0.1.0
 * @category tags
 */
export class ToolRunner extends Context.Tag("effect-compaction/services/ToolRunner")<
  ToolRunner,
  {
    readonly tools: ReadonlyArray<ToolSchema>
    /** Never fails: what goes wrong in a tool is an answer with `isError`. A defect becomes one too. */
    readonly run: (call: ToolCall) => Effect.Effect<ToolAnswer>
  }
>() {}
