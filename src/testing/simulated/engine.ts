/**
 * Decides what the simulated provider does with a request: it counts, enforces the window, and answers from its script.
 * It knows of no protocol. Plain functions over its own state; the server carries out what they decide.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Message from "../../session/Message.ts"
import { gatewayRefusal } from "./byteLimit.ts"
import type { ChatRequest } from "./chatRequest.ts"
import * as Counting from "./counting.ts"
import type { EngineOptions } from "./engineOptions.ts"
import { broken, type Broken } from "./faults.ts"
import { imitations, type Imitation } from "./imitation.ts"
import { outputText } from "./pieces.ts"
import { invalid, type End, type Frame, type Protocol, type Refusal, type ReportedUsage } from "./protocol.ts"
import { say, type Answer, type Fault, type Reply } from "./reply.ts"
import * as Script from "./script.ts"
import * as Seals from "./seals.ts"
import { summarise } from "./summary.ts"
import * as SummaryRequest from "./summaryRequest.ts"
import type { PromptSize, Vocabulary } from "./tokens.ts"
import { truncate } from "./truncation.ts"

/**
 * How a request ended. `refused`: too long. `too-large`: too many bytes. `faulted`: as the script said. `exhausted`:
 * nothing was left to answer. `invalid`: the provider does not take such a request. `abandoned`: the client went away
 * before the end.
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
export interface Asked {
  readonly protocol: Protocol
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
  readonly index: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Engine {
  readonly decide: (asked: Asked) => Decision
  readonly next: (replies: ReadonlyArray<Reply>) => void
  /** Answers and faults that nothing has asked for yet. */
  readonly remaining: () => number
}

const json = { "content-type": "application/json" }
const eventStream = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" }

/** A request that has been read, and what is known of it. */
interface Open {
  readonly request: ChatRequest
  readonly protocol: Protocol
  readonly index: number
  readonly kind: Decision["kind"]
  readonly size: PromptSize
}

/** A wrong figure of the input is a whole one: no more of it comes from the cache or goes there, where nothing else is told. */
const within = (told: Partial<ReportedUsage>, usage: ReportedUsage): ReportedUsage => {
  const cached = told.cached ?? Math.min(usage.cached, usage.input)
  return { ...usage, cached, written: told.written ?? Math.min(usage.written, usage.input - cached) }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: EngineOptions, vocabulary: Vocabulary): Engine => {
  const imitation: Imitation = imitations[options.as]
  const counting = Counting.make(vocabulary, {
    factor: options.countingFactor ?? imitation.countingFactor,
    framing: imitation.framing,
    cache: options.cache === false ? undefined : imitation.cache
  })
  const limitCounts = options.limitCounts ?? imitation.limitCounts
  const isSummary = options.isSummary ?? SummaryRequest.isSummaryRequest
  const seals = Seals.make({ binds: options.bindsThinking === true })
  const script = Script.make(options.replay ?? [])
  let summaries = 0

  const outputOf = ({ maxTokens }: ChatRequest) => maxTokens ?? options.outputReserve ?? 0
  const limitedOutput = (request: ChatRequest) => (limitCounts === "input" ? 0 : outputOf(request))

  const tooLong = ({ protocol, request, size }: Open, window: number): Refusal =>
    imitation.tooLong({
      size,
      output: outputOf(request),
      window,
      stated: options.statedWindow === undefined ? window : (options.statedWindow ?? undefined),
      protocol: protocol.name
    })

  const refused = (
    { index, protocol }: Pick<Asked, "index" | "protocol">,
    refusal: Refusal,
    decision: Pick<Decision, "kind" | "outcome"> & Partial<Decision>
  ): Decision => ({
    after: "end",
    status: refusal.status,
    pieces: [JSON.stringify(protocol.refusal(refusal, `simulated-${index}`))],
    ...decision,
    headers: { ...json, ...decision.headers }
  })

  const frameOf = ({ index, request }: Open, usage: ReportedUsage): Frame => ({
    index,
    request,
    usage,
    seals,
    chat: imitation.chat
  })

  const inputUsage = (read: PromptSize) => ({
    input: Math.min(read.input, options.window),
    cached: read.cached,
    written: read.written
  })

  const roomFor = ({ maxTokens }: ChatRequest, { input }: PromptSize) =>
    Math.max(0, Math.min(maxTokens ?? Infinity, options.window - input))

  /** Where the output limit is beyond the window, it is the window that cuts. */
  const cutBy = ({ maxTokens }: ChatRequest, { input }: PromptSize): End => ({
    reason: maxTokens === undefined || maxTokens > options.window - input ? "window" : "length"
  })

  /** `read` is what was kept of the request; `misreported` goes over what the answer itself says of its usage. */
  const write = (open: Open, answer: Answer, read: PromptSize, misreported: Partial<ReportedUsage>): Decision => {
    const { kind, protocol, request, size } = open
    const { text: count } = counting
    const room = roomFor(request, read)
    const spoken = Message.text(answer.message)
    const head = answer.whole || count(spoken) <= room ? spoken : counting.head(spoken, room)
    const isCut = head !== spoken
    const message = isCut ? Message.assistant(head === "" ? [] : head) : answer.message
    const output = outputText(message)
    const reasoning = count(output.reasoning)
    const told = { ...answer.usage, ...misreported }
    const usage = within(told, {
      ...inputUsage(read),
      output: reasoning + count(output.content) + output.calls.reduce((sum, call) => sum + count(call), 0),
      reasoning,
      ...told
    })
    const end: End = isCut
      ? cutBy(request, read)
      : answer.finish === undefined
        ? { reason: output.calls.length > 0 ? "tool-calls" : "stop" }
        : { word: answer.finish }
    const written = { ...frameOf(open, usage), message, end }
    counting.remember(request)
    return {
      kind,
      outcome: "answered",
      size,
      usage,
      status: 200,
      headers: request.stream ? eventStream : json,
      pieces: request.stream ? protocol.streamed(written) : [JSON.stringify(protocol.whole(written))],
      after: "end"
    }
  }

  /** A stream that got as far as `text`; of an answer that is not streamed, its first half. */
  const begun = (open: Open, text: string, error?: Refusal): Pick<Decision, "headers" | "pieces"> => {
    const frame = frameOf(open, { ...inputUsage(open.size), output: 0, reasoning: 0 })
    if (open.request.stream) return { headers: eventStream, pieces: open.protocol.begun(frame, text, error) }
    const whole = open.protocol.whole({ ...frame, message: Message.assistant(text), end: { reason: "stop" } })
    const body = JSON.stringify(whole)
    return { headers: json, pieces: [body.slice(0, Math.floor(body.length / 2))] }
  }

  const refusalOf = (open: Open, problem: "too-long" | "rate-limited" | "overloaded"): Refusal => {
    if (problem === "overloaded") return imitation.overloaded
    if (problem === "rate-limited") return imitation.rateLimited(open.request.model)
    // a window that this very request does not fit
    return tooLong(open, Math.min(options.window, open.size.input - 1))
  }

  const fail = (open: Open, fault: Exclude<Fault, { readonly type: "misreport" }>): Decision => {
    const { kind, request, size } = open
    if (fault.type === "problem") {
      const refusal = refusalOf(open, fault.problem)
      const outcome = fault.problem === "too-long" ? "refused" : "faulted"
      if (fault.inStream !== undefined && request.stream) {
        return { kind, size, outcome, status: 200, after: "end", ...begun(open, fault.inStream, refusal) }
      }
      const headers = fault.retryAfter === undefined ? {} : { "retry-after": fault.retryAfter }
      return refused(open, refusal, { kind, size, outcome, headers })
    }
    const carried: Broken = broken(fault, (text) => begun(open, text))
    return { kind, size, outcome: "faulted", ...carried }
  }

  const summaryOf = (request: ChatRequest, room: number): Answer =>
    say(summarise({ ...SummaryRequest.partsOf(request), maxTokens: room, count: counting.text }))

  const respond = (open: Open, reply: Answer | undefined, misreported: Partial<ReportedUsage>): Decision => {
    const { kind, request, size } = open
    const room = options.window - limitedOutput(request)
    const truncates = options.truncates === true || request.truncates === true
    if (!truncates && size.input > room)
      return refused(open, tooLong(open, options.window), { kind, outcome: "refused", size })
    const kept = size.input > room ? truncate(request, room, (tried) => counting.request(tried).input) : request
    const read = kept === request ? size : counting.request(kept)
    const answer =
      reply ??
      (kind === "summary" ? summaryOf(kept, roomFor(kept, read)) : (script.takeAnswer() ?? options.answers?.(kept)))
    if (answer === undefined) {
      return refused(open, invalid("The script has no answer left"), { kind, outcome: "exhausted", size })
    }
    const decision = write({ ...open, request: kept }, answer, read, misreported)
    return answer.delay === undefined ? decision : { ...decision, delay: answer.delay }
  }

  const ruled = ({ kind, request, size }: Open): Reply | undefined =>
    kind === "summary" ? options.summaries?.({ request, index: summaries++, inputTokens: size.input }) : undefined

  /** What the script has goes first; wrong figures are reported with whatever comes. */
  const react = (open: Open): Decision => {
    const scripted = script.takeFault(open.kind, open.index)
    const misreported = scripted?.type === "misreport" ? scripted.usage : {}
    const reply = scripted === undefined || scripted.type === "misreport" ? ruled(open) : scripted
    if (reply === undefined || reply.type === "answer") return respond(open, reply, misreported)
    if (reply.type === "misreport") return respond(open, undefined, reply.usage)
    const decision = fail(open, reply)
    return reply.delay === undefined ? decision : { ...decision, delay: reply.delay }
  }

  const decide = ({ body, headers, index, protocol }: Asked): Decision => {
    const read = protocol.read(body, { headers, seals, idLength: imitation.idLength })
    const request = Either.getOrUndefined(read)
    const kind = request !== undefined && isSummary(request) ? "summary" : "conversation"
    const size = request === undefined ? undefined : counting.request(request)
    const known = { kind, ...(size === undefined ? {} : { size }) } as const
    if (options.byteLimit !== undefined && Buffer.byteLength(body) > options.byteLimit) {
      return imitation.tooManyBytes === undefined
        ? { ...known, outcome: "too-large", after: "end", ...gatewayRefusal }
        : refused({ index, protocol }, imitation.tooManyBytes, { ...known, outcome: "too-large" })
    }
    if (Either.isLeft(read)) return refused({ index, protocol }, read.left, { ...known, outcome: "invalid" })
    const most = options.outputLimit
    const wanted = read.right.maxTokens ?? 0
    if (most !== undefined && wanted > most) {
      const refusal = imitation.tooMuchOutput(wanted, most, read.right.model)
      return refused({ index, protocol }, refusal, { ...known, outcome: "invalid" })
    }
    return react({ request: read.right, protocol, index, kind, size: counting.request(read.right) })
  }

  return {
    decide: (asked) => {
      const decision = decide(asked)
      return options.latency === undefined ? decision : { delay: options.latency, ...decision }
    },
    next: script.next,
    remaining: script.remaining
  }
}
