/**
 * Makes parts of an answer out of the text of its body.
 *
 * @since 0.1.0
 */
import * as Channel from "effect/Channel"
import * as Chunk from "effect/Chunk"
import * as Stream from "effect/Stream"
import * as Errors from "../../errors/ModelError.ts"
import type { Part } from "../../services/ModelAdapter.ts"
import type { AnswerContext, AnswerDecoder, Decoded } from "./answerDecoder.ts"
import type { ServerSentEvent, ServerSentEventDecoder } from "./serverSentEvents.ts"

/**
 * Characters; no event of an answer, and no refusal, is that long. Without a bound a server can fill the memory.
 *
 * @since 0.1.0
 * @category constants
 */
export const longest = 16 * 1024 * 1024

/**
 * Ends at the answer's end, even if the server keeps the connection.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decodeAnswer = <E>(
  text: Stream.Stream<string, E>,
  events: ServerSentEventDecoder,
  decoder: AnswerDecoder,
  context: AnswerContext
): Stream.Stream<Part, E | Errors.ModelError> => Stream.pipeThroughChannel(text, reading<E>(events, decoder, context))

const reading = <E>(events: ServerSentEventDecoder, decoder: AnswerDecoder, context: AnswerContext) => {
  const emit = (
    { done, failure, parts }: Decoded,
    next: Channel.Channel<Chunk.Chunk<Part>, Chunk.Chunk<string>, E | Errors.ModelError, E, void, unknown>
  ) => {
    const after = failure !== undefined ? Channel.fail(failure) : done ? Channel.void : next
    return parts.length === 0 ? after : Channel.zipRight(Channel.write(Chunk.unsafeFromArray(parts)), after)
  }
  const endless = () =>
    new Errors.MalformedResponse({
      route: context.route,
      status: context.status,
      ...(context.requestId === undefined ? {} : { requestId: context.requestId }),
      detail: `an event of the answer is longer than ${longest} characters`
    })
  const all = (list: ReadonlyArray<ServerSentEvent>): Decoded => {
    const parts: Array<Part> = []
    for (const event of list) {
      const decoded = decoder.event(event)
      parts.push(...decoded.parts)
      if (decoded.done) return { ...decoded, parts }
    }
    return events.pending() > longest ? { parts, failure: endless(), done: true } : { parts, done: false }
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
