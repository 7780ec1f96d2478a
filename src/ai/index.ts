/**
 * The bridge to Effect AI: `@effect/ai` is a peer that only this entry point needs.
 *
 * @since 0.1.0
 */
export * as CompactingChat from "./CompactingChat.ts"
export * as Guarded from "./Guarded.ts"
export * as HttpEvidence from "./HttpEvidence.ts"
export * as LanguageModelAdapter from "./LanguageModelAdapter.ts"
export * as PromptMessage from "./PromptMessage.ts"
export * as ToolkitRunner from "./ToolkitRunner.ts"
