/**
 * Session files and messages of other tools, as this library's own messages and back.
 *
 * @since 0.1.0
 */
export * as Format from "./Format.ts"
export * as Formats from "./Formats.ts"
export * as OpenAiChat from "./OpenAiChat.ts"
export * as Pairs from "./Pairs.ts"
export * as SessionLog from "./SessionLog.ts"
export * as Transcript from "./Transcript.ts"
