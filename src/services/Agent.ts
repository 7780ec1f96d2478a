/**
 * Who speaks.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Envelope } from "../session/Envelope.ts"

/**
 * Asked for the envelope before every step, so that a system prompt, a mode or a model may change within a session. The
 * tool schemas come from `ToolRunner`.
 *
 * @since 0.1.0
 * @category tags
 */
export class Agent extends Context.Tag("effect-compaction/services/Agent")<
  Agent,
  { readonly envelope: Effect.Effect<Omit<Envelope, "tools">> }
>() {}
