/**
 * An adapter of a provider that answers over HTTP, whatever protocol it speaks: sends requests, reads refusals, and has
 * the answer decoded while it comes.
 *
 * @since 0.1.0
 */
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Sends } from "../../compaction/sends.ts"
import { classify } from "../../errors/classify.ts"
import * as Errors from "../../errors/ModelError.ts"
import { ErrorClassifier } from "../../services/ErrorClassifier.ts"
import { ModelAdapter, type ModelInfo, type ModelRequest, type Part } from "../../services/ModelAdapter.ts"
import type { AnswerContext, AnswerDecoder } from "./answerDecoder.ts"
import { boundedText } from "./boundedText.ts"
import { decodeAnswer } from "./decodeAnswer.ts"
import type { HttpConnection } from "./httpConnection.ts"
import * as HttpFailure from "./httpFailure.ts"
import * as JsonBody from "./jsonBody.ts"
import type { Fields } from "./looseJson.ts"
import * as ServerSentEvents from "./serverSentEvents.ts"
import { defaults as retryDefaults, retryTransient, type TransientRetry } from "./transientRetry.ts"

/**
 * What makes one provider's adapter of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Protocol {
  /** The name that routes use; a request of another one is refused here. */
  readonly provider: string
  readonly url: string
  /** The fields of the body's JSON; `info` is what is known of the request's model. */
  readonly encodeBody: (request: ModelRequest, info: ModelInfo | undefined) => Fields
  /** What a body needs beside the connection's own headers. */
  readonly headersOf?: (body: Fields) => Readonly<Record<string, string>>
  readonly decoder: (context: AnswerContext) => AnswerDecoder
  readonly sends: Sends
  /** Of a model of this provider. */
  readonly modelInfo: (model: string) => Effect.Effect<Option.Option<ModelInfo>>
  readonly retry: Partial<TransientRetry> | false | undefined
}

const requestIdHeaders = ["x-request-id", "x-ds-trace-id", "request-id", "cf-ray"]

/** A call that came without an id gets one that no other request of its session can have. */
const callIdOf = (request: ModelRequest) => {
  const step = request.id.slice(request.id.lastIndexOf("/") + 1).replace(/[^\w-]/g, "")
  return (index: number) => `call_${step}_${index}`
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (connection: HttpConnection, protocol: Protocol) {
  const { rows } = yield* ErrorClassifier
  const { client, headers, idleTimeout, secrets } = connection
  const retry = protocol.retry === false ? undefined : { ...retryDefaults, ...protocol.retry }

  const silent = (request: ModelRequest) =>
    new Errors.ProviderTimeout({ route: request.envelope.route, detail: "the connection was silent for too long" })

  const broken = (request: ModelRequest, inside: boolean) => (error: HttpClientError.HttpClientError) =>
    HttpFailure.fromClient(error, { route: request.envelope.route, secrets, inside })

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

  const refused = Effect.fnUntraced(function* (request: ModelRequest, response: HttpClientResponse.HttpClientResponse) {
    // a refusal whose body breaks off, or never ends, is still told by its status
    const body = yield* boundedText(response).pipe(
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

  const bytesToParts = (
    request: ModelRequest,
    info: ModelInfo | undefined,
    response: HttpClientResponse.HttpClientResponse
  ) => {
    const text = response.stream.pipe(
      Stream.mapError(broken(request, true)),
      Stream.timeoutFail(() => silent(request), idleTimeout),
      Stream.decodeText()
    )
    const context: AnswerContext = {
      ...answerOf(request, response),
      ...(info === undefined ? {} : { window: info.window }),
      callId: callIdOf(request)
    }
    return decodeAnswer(text, ServerSentEvents.makeEither(), protocol.decoder(context), context)
  }

  const send = (request: ModelRequest): Stream.Stream<Part, Errors.ModelError> =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        const { route } = request.envelope
        if (route.provider !== protocol.provider) {
          return yield* new Errors.InvalidRequest({ route, detail: `this adapter serves ${protocol.provider}` })
        }
        const info = Option.getOrUndefined(yield* protocol.modelInfo(route.model))
        const body = protocol.encodeBody(request, info)
        const response = yield* HttpClientRequest.post(protocol.url).pipe(
          HttpClientRequest.setHeaders({ ...headers, ...protocol.headersOf?.(body) }),
          HttpClientRequest.bodyText(JsonBody.encode(body), "application/json"),
          client.execute,
          Effect.mapError(broken(request, false)),
          Effect.timeoutFail({ duration: idleTimeout, onTimeout: () => silent(request) })
        )
        return response.status >= 200 && response.status < 300
          ? bytesToParts(request, info, response)
          : yield* refused(request, response)
      })
    )

  return ModelAdapter.of({
    stream: (request) => (retry === undefined ? send(request) : retryTransient(send(request), retry)),
    modelInfo: (route) => (route.provider === protocol.provider ? protocol.modelInfo(route.model) : Effect.succeedNone),
    sends: (route) => (route.provider === protocol.provider ? protocol.sends : undefined)
  })
})
