/**
 * Decides what the simulated provider does with a request: it counts, enforces the window, and answers from its script.
 * Plain functions over its own state; the server carries out what they decide.
 *
 * @since 0.1.0
 */
import * as Message from "../../session/Message.ts"
import { refuseBytes } from "./byteLimit.ts"
import * as ChatRequest from "./chatRequest.ts"
import * as Chunks from "./chunks.ts"
import * as Counting from "./counting.ts"
import { fromCache, imitations, type Imitation, type ReportedUsage } from "./imitation.ts"
import { say, type Answer, type Fault, type Reply } from "./reply.ts"
import * as Script from "./script.ts"
import { summarise } from "./summary.ts"
import * as SummaryRequest from "./summaryRequest.ts"
import type { PromptSize, Vocabulary } from "./tokens.ts"
import { truncate } from "./truncation.ts"

/**
 * `window` is tokens, of which the provider counts `countingFactor` for one of its vocabulary; `statedWindow` is what its
 * refusals name instead, null: no figure. `truncates`: it drops the oldest of what does not fit, and says nothing.
 * `byteLimit` is what the gateway before it takes. `cache: false`: it has no prefix cache. `outputReserve` is the output
 * that it assumes where a request names none.
 *
 * `replay` are recorded messages, of which the assistant's are answered in order, as they stand; `answers` answers when
 * the script is used up. `isSummary` tells the requests for a summary from the conversation's (ours, by default); they
 * take nothing from the script but faults, and `summaries` may say what comes of each.
 *
 * @since 0.1.0
 * @category models
 */
export interface EngineOptions {
  readonly window: number
  readonly as: keyof typeof imitations
  readonly countingFactor?: number
  readonly statedWindow?: number | null
  readonly truncates?: boolean
  readonly byteLimit?: number
  readonly cache?: boolean
  readonly outputReserve?: number
  readonly replay?: ReadonlyArray<Message.Message>
  readonly answers?: (request: ChatRequest.ChatRequest) => Answer | undefined
  readonly isSummary?: (request: ChatRequest.ChatRequest) => boolean
  readonly summaries?: (asked: AskedSummary) => Reply | undefined
}

/**
 * A request for a summary: how many came before it, and its size by the provider's count.
 *
 * @since 0.1.0
 * @category models
 */
export interface AskedSummary {
  readonly request: ChatRequest.ChatRequest
  readonly index: number
  readonly inputTokens: number
}

/**
 * How a request ended. `refused`: too long. `too-large`: too many bytes. `faulted`: as the script said. `exhausted`:
 * nothing was left to answer. `abandoned`: the client went away before the end.
 *
 * @since 0.1.0
 * @category models
 */
export type Outcome = "answered" | "refused" | "too-large" | "faulted" | "exhausted" | "invalid" | "abandoned"

/**
 * @since 0.1.0
 * @category models
 */
export interface Decision {
  readonly kind: "conversation" | "summary"
  readonly outcome: Outcome
  readonly size?: PromptSize
  readonly usage?: ReportedUsage
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly pieces: ReadonlyArray<string | Uint8Array>
  readonly after: "end" | "cut" | "hold"
  /** Milliseconds before the first byte. */
  readonly delay?: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Engine {
  readonly decide: (text: string, index: number) => Decision
  readonly next: (replies: ReadonlyArray<Reply>) => void
  /** Answers and faults that nothing has asked for yet. */
  readonly remaining: () => number
}

const json = { "content-type": "application/json" }
const eventStream = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" }

const late = ({ delay }: Reply, decision: Decision): Decision =>
  delay === undefined ? decision : { ...decision, delay }

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: EngineOptions, vocabulary: Vocabulary): Engine => {
  const imitation: Imitation = imitations[options.as]
  const counting = Counting.make(vocabulary, options.countingFactor ?? 1)
  const isSummary = options.isSummary ?? SummaryRequest.isSummaryRequest
  let summaries = 0
  const script = Script.make(options.replay ?? [])

  const problem = (kind: Decision["kind"], outcome: Outcome, status: number, body: unknown): Decision => ({
    kind,
    outcome,
    status,
    headers: json,
    pieces: [typeof body === "string" ? body : JSON.stringify(body)],
    after: "end"
  })

  const summaryOf = (request: ChatRequest.ChatRequest, room: number): Answer =>
    say(summarise({ ...SummaryRequest.partsOf(request), maxTokens: room, count: counting.text }))

  const outputOf = ({ maxTokens }: ChatRequest.ChatRequest) => maxTokens ?? options.outputReserve ?? 0

  const refuse = (request: ChatRequest.ChatRequest, size: PromptSize, window: number) =>
    imitation.refuse(
      size,
      outputOf(request),
      window,
      options.statedWindow === undefined ? window : (options.statedWindow ?? undefined)
    )

  const roomFor = ({ maxTokens }: ChatRequest.ChatRequest, { input }: PromptSize) =>
    Math.max(0, Math.min(maxTokens ?? Infinity, options.window - input))

  /** `size` is of what was sent, `read` of what was kept of it. */
  const write = (
    request: ChatRequest.ChatRequest,
    answer: Answer,
    size: PromptSize,
    read: PromptSize,
    kind: Decision["kind"],
    index: number
  ): Decision => {
    const room = roomFor(request, read)
    const spoken = Message.text(answer.message)
    const { text: count } = counting
    const head = answer.whole || count(spoken) <= room ? spoken : counting.head(spoken, room)
    const isCut = head !== spoken
    const given = isCut ? Message.assistant(head === "" ? [] : head) : answer.message
    const output = Chunks.outputText(given)
    const reasoning = count(output.reasoning)
    const usage: ReportedUsage = {
      input: Math.min(read.input, options.window),
      output: reasoning + count(output.content) + output.calls.reduce((sum, call) => sum + count(call), 0),
      cached: options.cache === false ? 0 : fromCache(imitation, read.cached),
      reasoning,
      ...answer.usage
    }
    const written: Chunks.Written = {
      id: `chatcmpl-${index}`,
      request,
      message: given,
      finish: isCut ? "length" : (answer.finish ?? (output.calls.length > 0 ? "tool_calls" : "stop")),
      usage: imitation.usage(usage),
      imitation
    }
    counting.remember(request)
    return {
      kind,
      outcome: "answered",
      size,
      usage,
      status: 200,
      headers: request.stream ? eventStream : json,
      pieces: request.stream ? Chunks.streamed(written) : [JSON.stringify(Chunks.whole(written))],
      after: "end"
    }
  }

  /** For the words of a refusal: a window that this very request does not fit. */
  const windowBelow = ({ input }: PromptSize) => Math.min(options.window, input - 1)

  const failWith = (
    request: ChatRequest.ChatRequest,
    fault: Fault,
    size: PromptSize,
    kind: Decision["kind"],
    index: number
  ): Decision => {
    const base = { kind, size, outcome: "faulted" as const, status: 200, headers: eventStream, after: "end" as const }
    const begun = (text: string) => [
      ": keep-alive\n\n",
      Chunks.chunk({ id: `chatcmpl-${index}`, request }, { role: "assistant", content: "" }),
      ...(text === "" ? [] : [Chunks.chunk({ id: `chatcmpl-${index}`, request }, { content: text })])
    ]
    switch (fault.type) {
      case "status":
        return {
          ...problem(kind, "faulted", fault.status, fault.body),
          size,
          headers: { ...json, ...fault.headers }
        }
      case "rate-limited":
        return {
          ...problem(kind, "faulted", 429, imitation.rateLimited(request)),
          size,
          headers: { ...json, ...(fault.retryAfter === undefined ? {} : { "retry-after": fault.retryAfter }) }
        }
      case "refuse": {
        const refusal = refuse(request, size, windowBelow(size))
        return { ...problem(kind, "refused", refusal?.status ?? 400, refusal?.body), size }
      }
      case "refuse-in-stream": {
        const body = refuse(request, size, windowBelow(size))?.body
        return { ...base, outcome: "refused", pieces: [...begun(fault.text), `data: ${JSON.stringify(body)}\n\n`] }
      }
      case "drop":
        return { ...base, pieces: [], after: "cut" }
      case "cut":
        return { ...base, pieces: begun(fault.text), after: "cut" }
      case "end":
        return { ...base, pieces: begun(fault.text) }
      case "stall":
        return { ...base, pieces: begun(fault.text), after: "hold" }
      case "raw":
        return { ...base, pieces: fault.pieces }
    }
  }

  /** `reply` is what the script or the rule for summaries has for this request; undefined: nothing. */
  const react = (
    request: ChatRequest.ChatRequest,
    reply: Reply | undefined,
    size: PromptSize,
    kind: Decision["kind"],
    index: number
  ): Decision => {
    if (reply !== undefined && reply.type !== "answer") {
      return late(reply, failWith(request, reply, size, kind, index))
    }
    const room = options.window - outputOf(request)
    const kept =
      options.truncates === true && size.input > room
        ? truncate(request, room, (tried) => counting.request(tried).input)
        : request
    const read = kept === request ? size : counting.request(kept)
    const refusal = options.truncates === true ? undefined : refuse(request, size, options.window)
    if (refusal !== undefined) return { ...problem(kind, "refused", refusal.status, refusal.body), size }
    const answer =
      reply ??
      (kind === "summary" ? summaryOf(kept, roomFor(kept, read)) : (script.takeAnswer() ?? options.answers?.(kept)))
    return answer === undefined
      ? { ...problem(kind, "exhausted", 400, { error: { message: "The script has no answer left" } }), size }
      : late(answer, write(kept, answer, size, read, kind, index))
  }

  return {
    decide: (text, index) => {
      const request = ChatRequest.parse(text)
      if (request === undefined) {
        return problem("conversation", "invalid", 400, {
          error: { message: "Failed to parse the request body", type: "invalid_request_error", param: null, code: null }
        })
      }
      const kind = isSummary(request) ? "summary" : "conversation"
      const size = counting.request(request)
      const tooLarge = options.byteLimit === undefined ? undefined : refuseBytes(text, options.byteLimit)
      if (tooLarge !== undefined) {
        const { body, headers, status } = tooLarge
        return { ...problem(kind, "too-large", status, body), headers, size }
      }
      const scripted = script.takeFault(kind)
      const reply =
        scripted ??
        (kind === "summary" ? options.summaries?.({ request, index: summaries++, inputTokens: size.input }) : undefined)
      return react(request, reply, size, kind, index)
    },
    next: script.next,
    remaining: script.remaining
  }
}
