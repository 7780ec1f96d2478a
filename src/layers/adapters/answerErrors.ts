/**
 * The errors that the end of an answer, or what stands in its place, may be.
 *
 * @since 0.1.0
 */
import { stoppedAtEdge } from "../../compaction/silentOverflow.ts"
import { classify, type Delivery, type Evidence, excerpt, judge } from "../../errors/classify.ts"
import * as Errors from "../../errors/ModelError.ts"
import type { FinishReason } from "../../session/SessionEvent.ts"
import type { Usage } from "../../session/Usage.ts"
import type { AnswerContext } from "./answerDecoder.ts"

/**
 * An answer that came to its end and holds neither text nor a call. `reason` is undefined where the provider's is none
 * that we know.
 *
 * @since 0.1.0
 * @category models
 */
export interface EmptyAnswer {
  readonly reason: FinishReason | undefined
  readonly usage: Usage | undefined
  readonly hasReasoning: boolean
  /** The provider's own words on it. */
  readonly words?: string
}

/** Some servers write an error as a sentence. A torn piece of an answer may hold any sentence, but begins with none of these. */
const inWords = /^\W{0,3}\w*(?:error|exception)\b/i

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (context: AnswerContext) => {
  const { callId: _callId, window, ...known } = context

  const common = (detail: string) => ({
    route: context.route,
    status: context.status,
    ...(context.requestId === undefined ? {} : { requestId: context.requestId }),
    detail: excerpt(detail, context.secrets)
  })

  /** What a server sent in place of an answer, or in the middle of one. */
  const classified = (body: unknown, delivery: Delivery): Errors.ModelError => classify({ ...known, body, delivery })

  const ifKnown = (evidence: Evidence): Errors.ModelError | undefined =>
    judge(evidence).row === null ? undefined : classify(evidence)

  /** The error that an object is that is no piece of an answer, where a row of the classifier knows it. */
  const recognised = (body: unknown, delivery: Delivery) => ifKnown({ ...known, body, delivery })

  /** The error that a reason to stop is by itself, where a row of the classifier knows it. */
  const finishError = (reason: string): Errors.ModelError | undefined => {
    const { status: _status, ...rest } = known
    return ifKnown({ ...rest, body: { finish_reason: reason }, delivery: "finish-reason" })
  }

  const malformed = (detail: string) => new Errors.MalformedResponse(common(detail))

  /** Of what is no JSON: `what` says what it is not. */
  const unreadable = (text: string, delivery: Delivery, what: string): Errors.ModelError =>
    inWords.test(text) ? classified(text, delivery) : malformed(`${what}: ${text}`)

  /** Undefined: an answer that was cut before it said anything, and no error. */
  const emptiness = ({ hasReasoning, reason, usage, words = "" }: EmptyAnswer): Errors.ModelError | undefined => {
    if (reason === "content-filter") {
      return new Errors.ContentFiltered(common(words === "" ? "the answer was filtered" : words))
    }
    if (reason !== "length") {
      return new Errors.EmptyResponse(common(hasReasoning ? "reasoning, and no content" : "no content"))
    }
    const { maxOutputTokens } = context
    const stopped = stoppedAtEdge({ finish: reason, isEmpty: !hasReasoning, usage }, { window, maxOutputTokens })
    return stopped === undefined
      ? undefined
      : new Errors.ContextWindowExceeded({
          ...common("the answer stopped for its length at the window's edge, before any output"),
          ...stopped
        })
  }

  return { classified, emptiness, finishError, malformed, recognised, unreadable }
}
