/**
 * Keeps a long agent conversation inside the model's context window. One namespace a concept.
 *
 * @since 0.1.0
 */
export * as Errors from "./errors/index.ts"
export * as Agent from "./layers/Agent.ts"
export * as AgentLoop from "./layers/AgentLoop.ts"
export * as Compaction from "./layers/Compaction.ts"
export * as CompactionPolicy from "./layers/CompactionPolicy.ts"
export * as CompactService from "./layers/CompactService.ts"
export * as ErrorClassifier from "./layers/ErrorClassifier.ts"
export * as LogStore from "./layers/LogStore.ts"
export * as ModelAdapter from "./layers/ModelAdapter.ts"
export * as OpenAiChat from "./layers/adapters/OpenAiChat.ts"
export * as OverflowRescue from "./layers/OverflowRescue.ts"
export * as Session from "./layers/Session.ts"
export * as Sessions from "./layers/Sessions.ts"
export * as Summarizer from "./layers/Summarizer.ts"
export * as Surface from "./layers/Surface.ts"
export * as TokenEstimator from "./layers/TokenEstimator.ts"
export * as TokenMeter from "./layers/TokenMeter.ts"
export * as ToolRunner from "./layers/ToolRunner.ts"
export * as Envelope from "./session/Envelope.ts"
export * as Message from "./session/Message.ts"
export * as Route from "./session/Route.ts"
export * as SessionEvent from "./session/SessionEvent.ts"
export * as SurfaceState from "./session/SurfaceState.ts"
export * as Usage from "./session/Usage.ts"
