/**
 * What is private to one session, built from what all share.
 *
 * @since 0.1.0
 */
import * as Layer from "effect/Layer"
import type { OpenError } from "../errors/SessionError.ts"
import type { Agent } from "../services/Agent.ts"
import type { LogStore } from "../services/LogStore.ts"
import type { ModelAdapter } from "../services/ModelAdapter.ts"
import { SessionId } from "../services/SessionId.ts"
import type { Summarizer } from "../services/Summarizer.ts"
import type { ToolRunner } from "../services/ToolRunner.ts"
import * as AgentLoop from "./AgentLoop.ts"
import * as CompactService from "./CompactService.ts"
import * as Surface from "./Surface.ts"
import { layerAsSent } from "./TokenEstimator.ts"
import * as TokenMeter from "./TokenMeter.ts"

export { SessionId } from "../services/SessionId.ts"

/**
 * What is private to one session.
 *
 * @since 0.1.0
 * @category models
 */
export type Services = Surface.Surface | TokenMeter.TokenMeter | CompactService.CompactService | AgentLoop.AgentLoop

/**
 * What all sessions share.
 *
 * @since 0.1.0
 * @category models
 */
export type App = Agent | LogStore | ModelAdapter | Summarizer | ToolRunner

/**
 * A session for an application with a loop of its own: surface, meter and compaction, without `AgentLoop` and what only it
 * needs.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWithoutLoop: Layer.Layer<
  Exclude<Services, AgentLoop.AgentLoop>,
  OpenError,
  SessionId | LogStore | ModelAdapter | Summarizer
> = CompactService.layer.pipe(
  Layer.provideMerge(TokenMeter.layer),
  Layer.provideMerge(Surface.layer),
  Layer.provide(layerAsSent)
)

/**
 * The services of the session that `SessionId` names. Opened with the layer, released with it.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Services, OpenError, SessionId | App> = AgentLoop.layer.pipe(
  Layer.provideMerge(layerWithoutLoop)
)

/**
 * One session as a layer: command lines, serverless functions, tests.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerOne = (id: string): Layer.Layer<Services, OpenError, App> =>
  Layer.provide(layer, Layer.succeed(SessionId, id))
