/**
 * Talks to models.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { ModelAdapter, type ModelInfo } from "../services/ModelAdapter.ts"
import { format, type Route } from "../session/Route.ts"

export { ModelAdapter, type ModelInfo, type ModelRequest, type Part, type Sends } from "../services/ModelAdapter.ts"

/**
 * Knows windows and sends nothing: for an application with a client of its own (`OverflowRescue.retry`) and a summariser
 * that does not need this adapter (`Summarizer.layerWith`). Undefined: the window of this route is unknown.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerInfo = (info: (route: Route) => Omit<ModelInfo, "source"> | undefined): Layer.Layer<ModelAdapter> =>
  Layer.succeed(ModelAdapter, {
    modelInfo: (route) =>
      Effect.sync(() =>
        Option.map(Option.fromNullable(info(route)), (known): ModelInfo => ({ ...known, source: "explicit" }))
      ),
    stream: ({ envelope }) =>
      Stream.dieMessage(
        `ModelAdapter.layerInfo only knows windows, and ${format(envelope.route)} was to be asked: give an adapter that sends, or a Summarizer.layerWith`
      )
  })
