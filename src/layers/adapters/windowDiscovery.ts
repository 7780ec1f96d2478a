/**
 * Asks a server for the window of a model: once, for a few seconds at most, and never at the cost of a request.
 *
 * @since 0.1.0
 */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cache from "effect/Cache"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { ModelInfo } from "../../services/ModelAdapter.ts"
import { boundedText } from "./boundedText.ts"
import type { HttpConnection } from "./httpConnection.ts"
import { fieldsOf, parse } from "./looseJson.ts"
import type { FoundWindow, WindowLookup } from "./windowLookups.ts"

/** What a request waits for the answer, the first time. */
const patience: Duration.DurationInput = "3 seconds"

/** When a server is asked again that did not answer, or not yet for good. */
const again: Duration.DurationInput = "1 minute"

/** As long as the adapter lives. */
const forGood: Duration.DurationInput = "1000 days"

/** Models of one server that are remembered; more than anybody talks to. */
const capacity = 256

const urlOf = (baseUrl: string, path: string): string => {
  const base = baseUrl.replace(/\/+$/, "")
  return path.startsWith("/") ? `${base.replace(/\/v1$/, "")}${path}` : `${base}/${path}`
}

/**
 * How a window is asked for. A model is asked about when it is first needed; callers of the same moment wait for the same
 * answer. A failure is told in the debug log, is none where the window is not known, and is forgotten after a minute.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (
  { client, headers }: HttpConnection,
  baseUrl: string,
  lookups: ReadonlyArray<WindowLookup>
) {
  const ask = ({ body, path: place, read }: WindowLookup, model: string) =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = typeof place === "string" ? place : place(model)
        const url = urlOf(baseUrl, path)
        const request =
          body === undefined
            ? HttpClientRequest.get(url)
            : HttpClientRequest.bodyText(HttpClientRequest.post(url), JSON.stringify(body(model)), "application/json")
        // an error of the client holds the request, and the key in it
        const response = yield* Effect.mapError(
          client.execute(HttpClientRequest.setHeaders(request, headers)),
          ({ reason }) => `${path}: ${reason}`
        )
        if (response.status !== 200) return yield* Effect.fail(`${path}: status ${response.status}`)
        const text = yield* Effect.mapError(boundedText(response), () => `${path}: an answer that cannot be read`)
        const answer = fieldsOf(parse(text)?.value)
        const window = answer === undefined ? undefined : read(answer, model)
        return window ?? (yield* Effect.fail(`${path}: no window of this model`))
      })
    )

  const lookup = (model: string) =>
    Effect.validateFirst(lookups, (one) => ask(one, model)).pipe(
      Effect.mapError((reasons) => reasons.join("; ")),
      Effect.timeoutFail({ duration: patience, onTimeout: () => "no answer in time" }),
      Effect.tapError((reason) => Effect.logDebug(`the window of ${model} was not discovered: ${reason}`)),
      Effect.option
    )

  const cache = yield* Cache.makeWith({
    capacity,
    lookup,
    timeToLive: Exit.match({
      onFailure: () => again,
      onSuccess: (found: Option.Option<FoundWindow>) =>
        Option.isSome(found) && found.value.provisional !== true ? forGood : again
    })
  })

  // in a fiber of its own: a caller that is interrupted while it waits interrupts nobody else who does
  const waited = (model: string) => Effect.flatMap(Effect.forkDaemon(cache.get(model)), Fiber.join)

  return (model: string): Effect.Effect<Option.Option<ModelInfo>> =>
    Effect.map(
      Effect.flatMap(
        cache.getOptionComplete(model),
        Option.match({ onNone: () => waited(model), onSome: Effect.succeed })
      ),
      Option.map(({ outputLimit, window }) => ({
        window,
        ...(outputLimit === undefined ? {} : { outputLimit }),
        source: "discovered"
      }))
    )
})
