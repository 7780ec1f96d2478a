/**
 * What the provider said over HTTP, noted for the call at hand: a provider package may hide the status or the body of a
 * refusal, or skip an event that says why an answer failed.
 *
 * It stands between the provider's client and the HTTP client, changes nothing that the client reads, and keeps what was
 * noted no longer than the call: a status and an excerpt of the body, no header and no key.
 *
 * @since 0.1.0
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Delivery } from "../errors/classifierRow.ts"
import * as ServerSentEvents from "../layers/adapters/serverSentEvents.ts"
import { failureIn } from "./providerWords.ts"

/**
 * What one response said of a failure. `body` is at most 16,384 characters.
 *
 * @since 0.1.0
 * @category models
 */
export interface Noted {
  readonly status: number
  readonly body: string
  readonly delivery: Delivery
}

/**
 * Of one call: its newest response, if that told of a failure. A client that tries again by itself overwrites it. `watched`:
 * somebody noted, so that what is not here was not said.
 *
 * @since 0.1.0
 * @category models
 */
export interface Notes {
  newest: Noted | undefined
  watched: boolean
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const makeNotes = (): Notes => ({ newest: undefined, watched: false })

/**
 * Where the call at hand is noted: set by the guard around each attempt, so that parallel calls do not mix. Undefined:
 * nobody reads it, and nothing is noted.
 *
 * @since 0.1.0
 * @category references
 */
export class CurrentNotes extends Context.Reference<CurrentNotes>()("effect-compaction/ai/CurrentNotes", {
  defaultValue: (): Notes | undefined => undefined
}) {}

const bodyLength = 16_384

/** An event that is longer than this is an answer's and no refusal's, and is not worth its memory. */
const pendingLength = 1_048_576

const note = (notes: Notes, status: number, value: unknown, otherwise: Delivery): void => {
  const failure = failureIn(value)
  if (failure === undefined) return
  const body = JSON.stringify(failure.body).slice(0, bodyLength)
  notes.newest = { status, body, delivery: failure.finish ? "finish-reason" : otherwise }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Most events are a piece of text each: only those that may tell of a failure are parsed. */
const mayTell = /"error"|"response\.failed"|"stop_reason"/

/** Looks at each event that passes, as it passes. */
const watchedEvents = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>, notes: Notes, status: number) =>
  Stream.suspend(() => {
    const text = new TextDecoder()
    const events = ServerSentEvents.make()
    let watching = true
    const look = (found: ReadonlyArray<ServerSentEvents.ServerSentEvent>) => {
      for (const { data } of found) if (mayTell.test(data)) note(notes, status, parsed(data), "sse-error")
    }
    return Stream.mapChunks(bytes, (chunk) => {
      for (const piece of watching ? Chunk.toReadonlyArray(chunk) : []) {
        look(events.push(text.decode(piece, { stream: true })))
      }
      watching = watching && events.pending() < pendingLength
      return chunk
    }).pipe(Stream.ensuring(Effect.sync(() => look(events.end()))))
  })

const isEventStream = ({ headers }: HttpClientResponse.HttpClientResponse) =>
  (headers["content-type"] ?? "").includes("text/event-stream")

/** The very response, but for a look at what the client reads of it. */
const watched = (
  response: HttpClientResponse.HttpClientResponse,
  notes: Notes
): HttpClientResponse.HttpClientResponse => {
  const { status } = response
  return Object.create(
    response,
    isEventStream(response)
      ? { stream: { get: () => watchedEvents(response.stream, notes, status) } }
      : {
          json: {
            get: () =>
              Effect.tap(response.json, (value) => Effect.sync(() => note(notes, status, value, "exit-200-body")))
          },
          text: {
            get: () =>
              Effect.tap(response.text, (text) => Effect.sync(() => note(notes, status, parsed(text), "exit-200-body")))
          }
        }
  ) as HttpClientResponse.HttpClientResponse
}

const noted = (response: HttpClientResponse.HttpClientResponse, notes: Notes) =>
  response.status < 400
    ? Effect.succeed(watched(response, notes))
    : // read once and kept by the response: the client reads the same text again
      Effect.match(response.text, { onFailure: () => "", onSuccess: (text) => text.slice(0, bodyLength) }).pipe(
        Effect.map((body) => {
          notes.newest = { status: response.status, body, delivery: "http" }
          return response
        })
      )

/**
 * For a provider client's option `transformClient`.
 *
 * @since 0.1.0
 * @category combinators
 */
export const transform = <E, R>(client: HttpClient.HttpClient.With<E, R>): HttpClient.HttpClient.With<E, R> =>
  HttpClient.transformResponse(client, (response) =>
    Effect.flatMap(CurrentNotes, (notes) => {
      if (notes === undefined) return response
      notes.newest = undefined
      notes.watched = true
      return Effect.flatMap(response, (response) => noted(response, notes))
    })
  )

/**
 * The HTTP client, noting. Provided to the provider's client in place of the HTTP client alone:
 * `OpenAiClient.layer(…).pipe(Layer.provide(HttpEvidence.layer), Layer.provide(FetchHttpClient.layer))`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<HttpClient.HttpClient, never, HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, transform)
)
