/**
 * Session files and messages of other tools, as this library's own messages and back.
 *
 * @since 0.1.0
 */
export * as AiSdkModel from "./AiSdkModel.ts"
export * as AnthropicMessages from "./AnthropicMessages.ts"
export * as ClaudeCode from "./ClaudeCode.ts"
export * as CodexRollout from "./CodexRollout.ts"
export * as DshSession from "./DshSession.ts"
export * as Format from "./Format.ts"
export * as Formats from "./Formats.ts"
export * as History from "./History.ts"
export * as Lines from "./Lines.ts"
export * as MiniSweAgent from "./MiniSweAgent.ts"
export * as OpenAiChat from "./OpenAiChat.ts"
export * as OpenHandsLlmLog from "./OpenHandsLlmLog.ts"
export * as Pairs from "./Pairs.ts"
export * as PiSession from "./PiSession.ts"
export * as RooTask from "./RooTask.ts"
export * as SessionLog from "./SessionLog.ts"
export * as SweAgentLlmLog from "./SweAgentLlmLog.ts"
export * as Transcript from "./Transcript.ts"
