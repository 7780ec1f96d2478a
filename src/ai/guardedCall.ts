/**
 * How one call of a `LanguageModel` is sent as an attempt of the rescue, and how its answer is read.
 *
 * @since 0.1.0
 */
import type * as AiError from "@effect/ai/AiError"
import type * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Response from "@effect/ai/Response"
import type * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import type { OverflowSign } from "../compaction/rescue.ts"
import type { Evidence } from "../errors/judge.ts"
import * as aiFailure from "./aiFailure.ts"
import { CurrentNotes, type Notes } from "./HttpEvidence.ts"

type By = Pick<Evidence, "route" | "rows">
type Answer = LanguageModel.GenerateTextResponse<Record<string, never>>

/** An answer that ended because the window was full: a success for the package, and the app's if it cannot be mended. */
export class EndedByWindow<A> {
  readonly _tag = "EndedByWindow"
  readonly answer: A
  readonly sign: OverflowSign
  constructor(answer: A, sign: OverflowSign) {
    this.answer = answer
    this.sign = sign
  }
}

/**
 * The context of the caller, in which the model and its tools run: a session of the caller's own is not to be hidden by the
 * guard's. The span is that of the request.
 */
export const contextOf = <R>(caller: Context.Context<R>, notes: Notes) => {
  const merged = (inside: Context.Context<never>): Context.Context<R> => {
    const own = Context.add(caller, CurrentNotes, notes)
    return Option.match(Context.getOption(inside, Tracer.ParentSpan), {
      onNone: () => own,
      onSome: (span) => Context.add(own, Tracer.ParentSpan, span)
    })
  }
  return merged
}

/** @internal */
export const finishOf = (parts: ReadonlyArray<Response.AnyPart>): Response.FinishPart | undefined =>
  parts.find((part) => part.type === "finish")

/** @internal */
export const hasCalls = (parts: ReadonlyArray<Response.AnyPart>): boolean =>
  parts.some((part) => part.type === "tool-call")

/**
 * A whole answer, held against the ways in which a package shows a failure as one. Where a tool ran nothing is sent again,
 * so its answer stays one.
 */
export const checked =
  (method: string, notes: Notes, by: By) =>
  <A extends Answer>(answer: A): Effect.Effect<A, AiError.AiError | EndedByWindow<A>> => {
    const parts = answer.content as ReadonlyArray<Response.AnyPart>
    const finish = finishOf(parts)
    if (finish === undefined || hasCalls(parts)) return Effect.succeed(answer)
    if (aiFailure.isEmptyAnswer(finish) && !parts.some(aiFailure.isContent)) {
      return Effect.fail(aiFailure.endedSilently(method, "empty", notes))
    }
    return Option.match(aiFailure.overflowIn(finish, notes.newest, by), {
      onNone: () => Effect.succeed(answer),
      onSome: (sign) => Effect.fail(new EndedByWindow(answer, sign))
    })
  }

/**
 * The same for a stream: one that ends without a finish part, or with one that nothing came before and nothing was counted
 * for, failed. An error part says so by itself.
 */
export const checkedStream = <A extends Response.AnyPart, E, R>(
  stream: Stream.Stream<A, E, R>,
  notes: Notes
): Stream.Stream<A, E | AiError.AiError, R> =>
  Stream.suspend(() => {
    const method = "streamText"
    let content = false
    let over = false
    const ended = (how: "no-finish" | "empty") => Effect.fail(aiFailure.endedSilently(method, how, notes))
    return Stream.mapChunksEffect(stream, (chunk): Effect.Effect<Chunk.Chunk<A>, AiError.AiError> => {
      for (const part of chunk) {
        content = content || aiFailure.isContent(part)
        over = over || part.type === "finish" || part.type === "error"
        if (part.type === "finish" && !content && aiFailure.isEmptyAnswer(part)) return ended("empty")
      }
      return Effect.succeed(chunk)
    }).pipe(Stream.concat(Stream.suspend(() => (over ? Stream.empty : Stream.fromEffect(ended("no-finish"))))))
  })
