/**
 * The bridge to Effect AI: `@effect/ai` is a peer that only this entry point needs.
 *
 * @since 0.1.0
 */
export * as PromptMessage from "./PromptMessage.ts"
export * as Guarded from "./Guarded.ts"
export * as HttpEvidence from "./HttpEvidence.ts"
