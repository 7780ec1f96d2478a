/**
 * Decides what the simulated provider does with a request: it counts, enforces the window, and answers from its script.
 * Plain functions over its own state; the server carries out what they decide.
 *
 * @since 0.1.0
 */
import * as Message from "../../session/Message.ts"
import * as ChatRequest from "./chatRequest.ts"
import * as Chunks from "./chunks.ts"
import { fromCache, imitations, type Imitation, type ReportedUsage } from "./imitation.ts"
import { message, say, type Answer, type Fault, type Reply } from "./reply.ts"
import { summarise } from "./summary.ts"
import { makeMeter, type PromptSize, type Vocabulary } from "./tokens.ts"

/**
 * `window` is tokens. `outputReserve` is the output that the provider assumes where a request names none. `replay` are
 * recorded messages, of which the assistant's are answered in order, as they stand; `answers` answers when the script
 * is used up. `isSummary` tells the requests for a summary from the conversation's (the last message begins with
 * "Summarise"); they take nothing from the script but faults, and `summarise` may replace how they are answered.
 *
 * @since 0.1.0
 * @category models
 */
export interface EngineOptions {
  readonly window: number
  readonly as: keyof typeof imitations
  readonly outputReserve?: number
  readonly replay?: ReadonlyArray<Message.Message>
  readonly answers?: (request: ChatRequest.ChatRequest) => Answer | undefined
  readonly isSummary?: (request: ChatRequest.ChatRequest) => boolean
  readonly summarise?: (request: ChatRequest.ChatRequest) => string
}

/**
 * How a request ended. `refused`: too long. `faulted`: as the script said. `exhausted`: nothing was left to answer.
 * `abandoned`: the client went away before the end.
 *
 * @since 0.1.0
 * @category models
 */
export type Outcome = "answered" | "refused" | "faulted" | "exhausted" | "invalid" | "abandoned"

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

const startsAsSummary = (request: ChatRequest.ChatRequest) => {
  const last = request.messages.at(-1)
  return last?.role === "user" && /^summari[sz]e/i.test(ChatRequest.contentText(last).trimStart())
}

const isBefore = (at: number, limit: number) => limit === -1 || at < limit

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: EngineOptions, vocabulary: Vocabulary): Engine => {
  const imitation: Imitation = imitations[options.as]
  const meter = makeMeter(vocabulary)
  const count = (text: string) => vocabulary.encode(text).length
  const isSummary = options.isSummary ?? startsAsSummary
  const script: Array<Reply> = []
  const replay = (options.replay ?? [])
    .filter((message) => message.role === "assistant")
    .map((recorded) => message(recorded))

  const problem = (kind: Decision["kind"], outcome: Outcome, status: number, body: unknown): Decision => ({
    kind,
    outcome,
    status,
    headers: json,
    pieces: [typeof body === "string" ? body : JSON.stringify(body)],
    after: "end"
  })

  /** A fault for any request waits for the answers before it; one for this kind of request does not. */
  const takeFault = (kind: Decision["kind"]): Fault | undefined => {
    const firstAnswer = script.findIndex((reply) => reply.type === "answer")
    const at = script.findIndex(
      (reply, i) =>
        reply.type !== "answer" &&
        (reply.on === kind
          ? kind === "summary" || isBefore(i, firstAnswer)
          : reply.on === undefined && isBefore(i, firstAnswer))
    )
    const [found] = at === -1 ? [] : script.splice(at, 1)
    return found?.type === "answer" ? undefined : found
  }

  const takeAnswer = (): Answer | undefined => {
    const at = script.findIndex((reply) => reply.type === "answer")
    const [found] = at === -1 ? [] : script.splice(at, 1)
    return found?.type === "answer" ? found : replay.shift()
  }

  const summaryOf = (request: ChatRequest.ChatRequest, room: number): Answer =>
    say(
      options.summarise?.(request) ??
        summarise({
          messages: request.messages.slice(0, -1),
          instruction: ChatRequest.contentText(request.messages.at(-1) ?? { role: "user" }),
          maxTokens: room,
          count
        })
    )

  const write = (
    request: ChatRequest.ChatRequest,
    answer: Answer,
    size: PromptSize,
    kind: Decision["kind"],
    index: number
  ): Decision => {
    const room = Math.max(0, Math.min(request.maxTokens ?? Infinity, options.window - size.input))
    const spoken = Message.text(answer.message)
    const head = answer.whole || count(spoken) <= room ? spoken : vocabulary.head(spoken, room)
    const isCut = head !== spoken
    const given = isCut ? Message.assistant(head === "" ? [] : head) : answer.message
    const output = Chunks.outputText(given)
    const reasoning = count(output.reasoning)
    const usage: ReportedUsage = {
      input: size.input,
      output: reasoning + count(output.content) + output.calls.reduce((sum, call) => sum + count(call), 0),
      cached: fromCache(imitation, size.cached),
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
    meter.remember(request)
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
      case "refuse-in-stream": {
        // the words of a refusal for a window that this very request does not fit
        const window = Math.min(options.window, size.input - 1)
        const body = imitation.refuse(size, request.maxTokens ?? options.outputReserve ?? 0, window)?.body
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

  return {
    decide: (text, index) => {
      const request = ChatRequest.parse(text)
      if (request === undefined) {
        return problem("conversation", "invalid", 400, {
          error: { message: "Failed to parse the request body", type: "invalid_request_error", param: null, code: null }
        })
      }
      const kind = isSummary(request) ? "summary" : "conversation"
      const size = meter.measure(request)
      const fault = takeFault(kind)
      if (fault !== undefined) return failWith(request, fault, size, kind, index)
      const output = request.maxTokens ?? options.outputReserve ?? 0
      const refusal = imitation.refuse(size, output, options.window)
      if (refusal !== undefined) return { ...problem(kind, "refused", refusal.status, refusal.body), size }
      const room = Math.min(request.maxTokens ?? Infinity, options.window - size.input)
      const answer = kind === "summary" ? summaryOf(request, room) : (takeAnswer() ?? options.answers?.(request))
      return answer === undefined
        ? { ...problem(kind, "exhausted", 400, { error: { message: "The script has no answer left" } }), size }
        : write(request, answer, size, kind, index)
    },
    next: (replies) => {
      script.push(...replies)
    },
    remaining: () => script.length + replay.length
  }
}
