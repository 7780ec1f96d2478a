/**
 * Talks to OpenAI's chat completions, and to the many servers that speak it.
 *
 * @since 0.1.0
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Channel from "effect/Channel"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import type * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { classify } from "../../errors/classify.ts"
import * as Errors from "../../errors/ModelError.ts"
import { ErrorClassifier } from "../../services/ErrorClassifier.ts"
import { ModelAdapter, type ModelInfo, type ModelRequest, type Part } from "../../services/ModelAdapter.ts"
import * as HttpFailure from "./httpFailure.ts"
import { presetOf, type PresetName } from "./openAiChatPresets.ts"
import { defaultQuirks, encodeBody, type RequestQuirks, sendsOf } from "./openAiChatRequest.ts"
import * as Answer from "./openAiChatStream.ts"
import * as ServerSentEvents from "./serverSentEvents.ts"
import { defaults as retryDefaults, retryTransient, type TransientRetry } from "./transientRetry.ts"

/**
 * @since 0.1.0
 * @category re-exports
 */
export { ModelAdapter } from "../../services/ModelAdapter.ts"

interface CommonOptions {
  readonly apiKey?: Redacted.Redacted
  /** Sent with each request. What is secret in them is `Redacted`. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>>
  /** By model; goes before what the preset knows. */
  readonly windows?: Readonly<Record<string, { readonly window: number; readonly outputLimit?: number }>>
  /** Where the server differs from what the preset says. */
  readonly quirks?: Partial<RequestQuirks>
  /** For rate limits, unavailability and timeouts, before the first part; false: none. Two repetitions by default. */
  readonly retry?: Partial<TransientRetry> | false
  /** How long the connection may be silent; 5 minutes by default. Comments that keep it alive count as a sign. */
  readonly idleTimeout?: Duration.DurationInput
}

/**
 * `provider` is the name that routes use. One with a preset needs no `baseUrl`; others name theirs, without
 * `/chat/completions`.
 *
 * @since 0.1.0
 * @category models
 */
export type Options = CommonOptions &
  (
    | { readonly provider: PresetName; readonly baseUrl?: string }
    | { readonly provider: string; readonly baseUrl: string }
  )

/**
 * The options with the key as a `Config`.
 *
 * @since 0.1.0
 * @category models
 */
export type ConfigOptions = Options extends infer Each
  ? Each extends Options
    ? Omit<Each, "apiKey"> & { readonly apiKey?: Config.Config<Redacted.Redacted> }
    : never
  : never

const requestIdHeaders = ["x-request-id", "x-ds-trace-id", "request-id", "cf-ray"]

const pathOf = (baseUrl: string) => `${baseUrl.replace(/\/+$/, "")}/chat/completions`

const reveal = (value: string | Redacted.Redacted) => (Redacted.isRedacted(value) ? Redacted.value(value) : value)

/** A call that came without an id gets one that no other request of its session can have. */
const callIdOf = (request: ModelRequest) => {
  const step = request.id.slice(request.id.lastIndexOf("/") + 1).replace(/[^\w-]/g, "")
  return (index: number) => `call_${step}_${index}`
}

/** Characters; no event of an answer, and no refusal, is that long. Without a bound a server can fill the memory. */
const longest = 16 * 1024 * 1024

/** Events of the answer's bytes to parts; ends at the answer's end, even if the server keeps the connection. */
const decodeWith = <E>(
  events: ServerSentEvents.ServerSentEventDecoder,
  decoder: Answer.AnswerDecoder,
  endless: Errors.ModelError
) => {
  const emit = (
    { done, failure, parts }: Answer.Decoded,
    next: Channel.Channel<Chunk.Chunk<Part>, Chunk.Chunk<string>, E | Errors.ModelError, E, void, unknown>
  ) => {
    const after = failure !== undefined ? Channel.fail(failure) : done ? Channel.void : next
    return parts.length === 0 ? after : Channel.zipRight(Channel.write(Chunk.unsafeFromArray(parts)), after)
  }
  const all = (list: ReadonlyArray<ServerSentEvents.ServerSentEvent>): Answer.Decoded => {
    const parts: Array<Part> = []
    for (const event of list) {
      const decoded = decoder.event(event)
      parts.push(...decoded.parts)
      if (decoded.done) return { ...decoded, parts }
    }
    return events.pending() > longest ? { parts, failure: endless, done: true } : { parts, done: false }
  }
  const read: Channel.Channel<
    Chunk.Chunk<Part>,
    Chunk.Chunk<string>,
    E | Errors.ModelError,
    E,
    void,
    unknown
  > = Channel.readWithCause({
    onInput: (texts: Chunk.Chunk<string>) => emit(all(Chunk.toReadonlyArray(texts).flatMap(events.push)), read),
    onFailure: (cause) => Channel.failCause(cause),
    onDone: () => {
      const rest = all(events.end())
      return emit(rest, rest.done ? Channel.void : Channel.suspend(() => emit(decoder.end(), Channel.void)))
    }
  })
  return read
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const preset = presetOf(options.provider)
  const { rows } = yield* ErrorClassifier
  const url = pathOf(options.baseUrl ?? preset?.baseUrl ?? "")
  const quirks: RequestQuirks = { ...defaultQuirks, ...preset?.quirks, ...options.quirks }
  const sends = sendsOf(quirks)
  const retry = options.retry === false ? undefined : { ...retryDefaults, ...options.retry }
  const idleTimeout = options.idleTimeout ?? "5 minutes"
  const headers = {
    ...Object.fromEntries(Object.entries(options.headers ?? {}).map(([name, value]) => [name, reveal(value)])),
    ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${Redacted.value(options.apiKey)}` })
  }
  const secrets = [options.apiKey, ...Object.values(options.headers ?? {})].flatMap((value) =>
    Redacted.isRedacted(value) ? [String(Redacted.value(value))] : []
  )
  // the client's own span would hold the headers, and the error that ended it the request
  const client = HttpClient.withScope(HttpClient.withTracerDisabledWhen(yield* HttpClient.HttpClient, () => true))

  const infoOf = (model: string): Option.Option<ModelInfo> => {
    const explicit =
      options.windows !== undefined && Object.hasOwn(options.windows, model) ? options.windows[model] : undefined
    if (explicit !== undefined) return Option.some({ ...explicit, source: "explicit" })
    const row = preset !== undefined && Object.hasOwn(preset.windows, model) ? preset.windows[model] : undefined
    return row === undefined
      ? Option.none()
      : Option.some({ window: row.window, outputLimit: row.outputLimit, source: "preset" })
  }

  const silent = (request: ModelRequest) =>
    new Errors.ProviderTimeout({ route: request.envelope.route, detail: "the connection was silent for too long" })

  const broken = (request: ModelRequest, inside: boolean) => (error: HttpClientError.HttpClientError) =>
    HttpFailure.fromClient(error, { route: request.envelope.route, secrets, inside })

  const refused = Effect.fnUntraced(function* (request: ModelRequest, response: HttpClientResponse.HttpClientResponse) {
    // a refusal whose body breaks off, or never ends, is still told by its status
    const body = yield* response.stream.pipe(
      Stream.decodeText(),
      Stream.runFoldWhile(
        "",
        (text) => text.length <= longest,
        (text, more) => text + more
      ),
      Effect.filterOrFail((text) => text.length <= longest),
      Effect.timeout(idleTimeout),
      Effect.orElseSucceed(() => "")
    )
    const retryAfter = HttpFailure.retryAfter(response.headers, yield* Clock.currentTimeMillis)
    return yield* classify({
      ...answerOf(request, response),
      body,
      delivery: "http",
      ...(retryAfter === undefined ? {} : { retryAfter })
    })
  })

  const answerOf = (request: ModelRequest, response: HttpClientResponse.HttpClientResponse) => {
    const { maxOutputTokens, route } = request.envelope
    const requestId = requestIdHeaders.map((name) => response.headers[name]).find((value) => value !== undefined)
    return {
      route,
      status: response.status,
      rows,
      secrets,
      ...(requestId === undefined ? {} : { requestId }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens })
    }
  }

  const bytesToParts = (request: ModelRequest, response: HttpClientResponse.HttpClientResponse) => {
    const info = Option.getOrUndefined(infoOf(request.envelope.route.model))
    const { maxOutputTokens, rows, secrets, ...common } = answerOf(request, response)
    const decoder = Answer.make({
      ...common,
      rows,
      secrets,
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(info === undefined ? {} : { window: info.window }),
      callId: callIdOf(request)
    })
    const text = response.stream.pipe(
      Stream.mapError(broken(request, true)),
      Stream.timeoutFail(() => silent(request), idleTimeout),
      Stream.decodeText()
    )
    // a server that does not stream, or an error under status 200
    const isWhole = response.headers["content-type"]?.includes("json") === true
    const events = isWhole ? ServerSentEvents.makeWhole() : ServerSentEvents.make()
    const endless = new Errors.MalformedResponse({
      ...common,
      detail: `an event of the answer is longer than ${longest} characters`
    })
    return Stream.pipeThroughChannel(text, decodeWith(events, decoder, endless))
  }

  const send = (request: ModelRequest): Stream.Stream<Part, Errors.ModelError> =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        const { route } = request.envelope
        if (route.provider !== options.provider) {
          return yield* new Errors.InvalidRequest({ route, detail: `this adapter serves ${options.provider}` })
        }
        const response = yield* HttpClientRequest.post(url).pipe(
          HttpClientRequest.setHeaders(headers),
          HttpClientRequest.bodyText(JSON.stringify(encodeBody(request, quirks)), "application/json"),
          client.execute,
          Effect.mapError(broken(request, false)),
          Effect.timeoutFail({ duration: idleTimeout, onTimeout: () => silent(request) })
        )
        return response.status >= 200 && response.status < 300
          ? bytesToParts(request, response)
          : yield* refused(request, response)
      })
    )

  return ModelAdapter.of({
    stream: (request) => (retry === undefined ? send(request) : retryTransient(send(request), retry)),
    modelInfo: (route) => Effect.succeed(route.provider === options.provider ? infoOf(route.model) : Option.none()),
    sends: (route) => (route.provider === options.provider ? sends : undefined)
  })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<ModelAdapter, never, HttpClient.HttpClient> =>
  Layer.effect(ModelAdapter, make(options))

/**
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: ConfigOptions
): Layer.Layer<ModelAdapter, ConfigError.ConfigError, HttpClient.HttpClient> => {
  const { apiKey, ...rest } = options
  return Layer.effect(
    ModelAdapter,
    apiKey === undefined
      ? make(rest as Options)
      : Effect.flatMap(apiKey, (key) => make({ ...rest, apiKey: key } as Options))
  )
}
