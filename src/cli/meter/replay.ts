/**
 * Plays a transcript with usage in it through the session's own fold, and asks the meter before each request.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { measure } from "../../compaction/measure.ts"
import * as Meter from "../../compaction/Meter.ts"
import * as SessionFold from "../../compaction/SessionFold.ts"
import * as SessionState from "../../compaction/SessionState.ts"
import type { TokenEstimator } from "../../compaction/TokenEstimator.ts"
import type { Compaction, Request, Session } from "../../formats/Transcript.ts"
import type { Envelope } from "../../session/Envelope.ts"
import * as Message from "../../session/Message.ts"
import * as Route from "../../session/Route.ts"
import * as SessionEvent from "../../session/SessionEvent.ts"
import * as SurfaceState from "../../session/SurfaceState.ts"

/**
 * Why a row is not held against the meter: the first count of a session whose system prompt or tools are not in the file;
 * another model counted before; the tool compacted since, or the count fell by a tenth and more, so that it dropped text
 * without a word in the file; the count is far below what the file shows was sent, so that it is invented; a relay counted,
 * not the provider; the file does not say which model answered.
 *
 * @since 0.1.0
 * @category models
 */
export type Apart = "first-count" | "other-model" | "compacted" | "fell" | "invented" | "relay" | "no-model"

/**
 * One request: what the meter said before it, and what the provider counted. All sizes are tokens.
 *
 * @since 0.1.0
 * @category models
 */
export interface Row {
  readonly place: string
  /** the route as people write it; absent where the file does not say which model answered */
  readonly route?: string
  /** reports that the meter had seen before */
  readonly reports: number
  readonly predicted: { readonly mean: number; readonly upper: number }
  readonly counted: number
  /** predicted minus counted */
  readonly error: number
  /** the count before, and what the provider said the answer to it was */
  readonly before?: { readonly counted: number; readonly output: number }
  readonly apart?: Apart
}

const unknown = "unknown"

const routeOf = ({ model, provider }: Request): Route.Route => ({
  provider: provider ?? unknown,
  model: model ?? unknown
})

/** The one before, where nothing of it changed. */
const envelopeOf = (session: Session, request: Request, before: Envelope | undefined): Envelope => {
  const system = request.system ?? session.system
  const tools = request.tools ?? session.tools
  const route = routeOf(request)
  if (before !== undefined && before.system === system && before.tools === tools && Route.equals(before.route, route)) {
    return before
  }
  return {
    route,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools })
  }
}

/** A session under way: the state of its fold, and how far the transcript has been told to it. */
interface Played {
  state: SessionState.SessionState
  /** by the place of each message that was told, the seq of its event */
  readonly seqs: Array<number>
  told: number
  steps: number
}

const feed = (played: Played, estimator: TokenEstimator, body: SessionEvent.Body): boolean => {
  const event = SessionEvent.at(body, played.state.revision, 0)
  const next = SessionFold.apply(played.state, event, estimator)
  if (Either.isRight(next)) played.state = next.right
  return Either.isRight(next)
}

const bodyOf = (message: Message.Message, estimator: TokenEstimator): SessionEvent.Body => {
  const counts = { estimator: estimator.id, values: estimator.message(message) }
  const [result] = Message.toolResults(message)
  if (message.role === "tool" && result !== undefined) {
    const { content, id, isError, name } = result
    const data = { callId: id, name, content, counts, ...(isError === undefined ? {} : { isError }) }
    return { type: "message/tool-result", data }
  }
  return message.role === "assistant"
    ? { type: "message/assistant", data: { message, counts } }
    : { type: "message/user", data: { message, source: "prompt", counts } }
}

/** The next message of the session. */
const tell = (played: Played, estimator: TokenEstimator, { messages }: Session): void => {
  const place = played.told++
  played.seqs[place] = played.state.revision
  feed(played, estimator, bodyOf(messages[place]!, estimator))
}

const fresh = (estimator: TokenEstimator): Played => ({
  state: SessionState.empty(estimator),
  seqs: [],
  told: 0,
  steps: 0
})

/** What the tool put in front, as the one message that a checkpoint is. */
const checkpointOf = (head: ReadonlyArray<Message.Message>): Message.Message =>
  Message.user(head.flatMap((message) => message.content))

/** Where on the surface the first message stands that was told at this place of the session or behind it. */
const positionFrom = ({ seqs, state, told }: Played, keptFrom: number): number | undefined => {
  for (let place = keptFrom; place < told; place++) {
    const position = SurfaceState.positionOf(state.surface, seqs[place]!)
    if (position !== undefined) return position
  }
  return undefined
}

/**
 * Lands the tool's compaction as a replacement, so that the meter goes on over it as it would over one of ours: what
 * stays in front stays, and the rest of the head takes the place of what went.
 */
const compact = (played: Played, estimator: TokenEstimator, { head, keptFrom }: Compaction): void => {
  const { surface } = played.state
  let same = 0
  while (same < head.length && SurfaceState.nodeAt(surface, same)?.message === head[same]) same++
  const end = positionFrom(played, keptFrom) ?? surface.length
  const [first, ...rest] = SurfaceState.counted(surface, same, end).map((node) => node.seq)
  if (first === undefined) return
  const message = checkpointOf(head.slice(same))
  const counts = { estimator: estimator.id, values: estimator.message(message) }
  const replaces = { first, last: rest.at(-1) ?? first, sources: [first, ...rest] as const }
  const body: SessionEvent.Body = { type: "message/user", data: { message, source: "checkpoint", counts, replaces } }
  feed(played, estimator, body)
}

/** A prompt only grows between compactions; the little that templates take back is less than this. */
const leastKept = 0.9

/** No tokenizer counts less than this share of an estimate. */
const leastCounted = 0.3

const apartOf = (
  session: Session,
  request: Request,
  before: Request | undefined,
  predicted: number,
  compacted: boolean
): Apart | undefined => {
  if (request.counted === "relay") return "relay"
  if (request.model === undefined) return "no-model"
  if (session.visible === "full" && request.usage.inputTokens < predicted * leastCounted) return "invented"
  if (before === undefined) return session.visible === "full" ? undefined : "first-count"
  if (!Route.equals(routeOf(request), routeOf(before))) return "other-model"
  if (compacted) return "compacted"
  return request.usage.inputTokens < before.usage.inputTokens * leastKept ? "fell" : undefined
}

/**
 * The rows of one session, and what its last route's provider was found to count for one estimated token.
 *
 * @since 0.1.0
 * @category models
 */
export interface Replayed {
  readonly rows: ReadonlyArray<Row>
  readonly density: number
}

/**
 * @since 0.1.0
 * @category conversions
 */
export const replay = (session: Session, estimator: TokenEstimator): Replayed => {
  const played = fresh(estimator)
  const waiting = [...session.compactions]
  const found: Array<Row> = []
  let before: Request | undefined
  let route = ""
  for (const [index, request] of session.requests.entries()) {
    while (played.told < request.at) tell(played, estimator, session)
    let compacted = false
    while (waiting[0] !== undefined && waiting[0].at <= request.at) {
      compact(played, estimator, waiting.shift()!)
      compacted = true
    }
    const envelope = envelopeOf(session, request, played.state.envelope?.envelope)
    if (played.state.envelope?.envelope !== envelope) {
      route = Route.format(envelope.route)
      const counts = { estimator: estimator.id, values: estimator.envelope(envelope) }
      feed(played, estimator, { type: "request/envelope", data: { envelope, counts } })
    }
    const { totalTokens: mean, upperTokens: upper } = measure(played.state, estimator)
    const counted = request.usage.inputTokens
    const apart = apartOf(session, request, before, mean, compacted)
    found.push({
      place: request.place,
      ...(request.model === undefined ? {} : { route }),
      reports: index,
      predicted: { mean, upper },
      counted,
      error: mean - counted,
      ...(before === undefined
        ? {}
        : { before: { counted: before.usage.inputTokens, output: before.usage.outputTokens } }),
      ...(apart === undefined ? {} : { apart })
    })
    answer(played, estimator, session, request, session.requests[index + 1]?.at === request.at)
    before = request
  }
  const { envelope, meter } = played.state
  return { rows: found, density: Meter.density(meter, envelope?.routeKey ?? "") }
}

/**
 * @since 0.1.0
 * @category conversions
 */
export const rows = (session: Session, estimator: TokenEstimator): ReadonlyArray<Row> => replay(session, estimator).rows

/** The request itself, answered with what the provider counted. */
const answer = (
  played: Played,
  estimator: TokenEstimator,
  session: Session,
  request: Request,
  again: boolean
): void => {
  const step = played.steps++
  const { usage } = request
  const { generation } = played.state.surface
  feed(played, estimator, { type: "step/start", data: { turn: null, step, generation } })
  const message = session.messages[request.at]
  if (message?.role === "assistant" && !again) {
    played.seqs[played.told++] = played.state.revision
    const counts = { estimator: estimator.id, values: estimator.message(message) }
    feed(played, estimator, { type: "message/assistant", data: { message, usage, counts } })
    feed(played, estimator, { type: "step/end", data: { turn: null, step, outcome: "completed" } })
  } else feed(played, estimator, { type: "step/end", data: { turn: null, step, outcome: "completed", usage } })
}
