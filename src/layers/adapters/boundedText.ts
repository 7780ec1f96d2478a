/**
 * Reads a body that should be short.
 *
 * @since 0.1.0
 */
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { longest } from "./decodeAnswer.ts"

/**
 * The text of a body, which may not be longer than an answer's longest event.
 *
 * @since 0.1.0
 * @category getters
 */
export const boundedText = (response: HttpClientResponse.HttpClientResponse) =>
  response.stream.pipe(
    Stream.decodeText(),
    Stream.runFoldWhile(
      "",
      (text) => text.length <= longest,
      (text, more) => text + more
    ),
    Effect.filterOrFail((text) => text.length <= longest)
  )
