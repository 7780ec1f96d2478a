/**
 * This library's own log: one batch a line, as `docs/design.md` section 5 describes it.
 *
 * The checksum of a line is the business of the store that wrote it; here a line counts if it is whole and in order.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { TranscriptInvalid } from "../errors/FormatError.ts"
import type { Envelope } from "../session/Envelope.ts"
import * as Message from "../session/Message.ts"
import * as EventCodec from "../session/EventCodec.ts"
import * as SessionEvent from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import { isReported, type Usage } from "../session/Usage.ts"
import { upcast } from "../session/upcasters.ts"
import { type DecodeOptions, type Format, isRecord, parseJson, type Reader } from "./Format.ts"
import { lineFormat, readText } from "./internal/lineFormat.ts"
import { transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import * as Encoding from "./internal/encoding.ts"
import * as SessionLogEncode from "./internal/sessionLogEncode.ts"
import type { Transcript } from "./Transcript.ts"

const Frame = Schema.Struct({
  v: Schema.Int,
  seq: Schema.NonNegativeInt,
  count: Schema.Int,
  events: Schema.Array(Schema.Unknown)
})

const decodeFrame = Schema.decodeUnknownEither(Frame)

const isFrame = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value["v"] === "number" &&
  typeof value["seq"] === "number" &&
  Array.isArray(value["events"])

const broken = (line: number, detail: string) => new TranscriptInvalid({ reason: "broken-line", line, detail })

const firstIssue = (error: ParseResult.ParseError): string => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  if (issue === undefined) return error.message
  return `${issue.path.length === 0 ? "" : `${issue.path.join(".")}: `}${issue.message.slice(0, 200)}`
}

interface Known {
  session: string | undefined
  parent: SessionEvent.Parent | undefined
  envelope: Envelope | undefined
  envelopes: number
  nextSeq: number
  readonly skipped: Map<string, number>
}

const contextMetadata = (message: Message.Message): Message.Message => ({
  ...message,
  metadata: { source: "context", ...message.metadata }
})

const messageOf = (event: SessionEvent.SurfaceBody): Message.Message => {
  const message = SessionEvent.messageOf(event)
  // a replay must tell what somebody asked from what the application put in
  return event.type === "message/user" && event.data.source === "context" ? contextMetadata(message) : message
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const reader = (options: DecodeOptions = {}): Reader => {
  const recording = Recording.make(options)
  /** where in the recording the message of an event stands */
  const indexes = new Map<number, number>()
  const known: Known = {
    session: undefined,
    parent: undefined,
    envelope: undefined,
    envelopes: 0,
    nextSeq: 0,
    skipped: new Map()
  }
  let nodes = SurfaceState.empty(0)
  let number = 0
  // the first damage; one that may be a write cut off counts only once another line follows it
  let damage: { readonly error: TranscriptInvalid; readonly maybeCutOff: boolean } | undefined

  const countOf = (usage: Usage | undefined, place: string): void => {
    const { model, provider } = known.envelope?.route ?? {}
    if (isReported(usage))
      Recording.request(recording, usage, { at: recording.messages.length, place, provider, model })
  }

  const surface = (event: SessionEvent.SurfaceBody & SessionEvent.SessionEvent): string | undefined => {
    const { replaces } = event.data
    const place = `seq ${event.seq}`
    const message = messageOf(event)
    if (event.type === "message/assistant") countOf(event.data.usage, place)
    // an answer without content is logged for its usage; no model ever saw it
    if (event.type === "message/assistant" && Message.isEmpty(message)) return undefined
    const node = (kept: Message.Message): SurfaceState.Node => ({
      seq: event.seq,
      message: kept,
      counts: [],
      source: "context"
    })
    const append = () => {
      const at = Recording.say(recording, message, place)
      indexes.set(event.seq, at)
      return SurfaceState.append(nodes, node(recording.messages[at]?.message ?? message))
    }
    const next =
      replaces === undefined
        ? append()
        : SurfaceState.replace(nodes, [{ ...replaces, node: node(Recording.kept(recording, message, place)) }])
    if (Either.isLeft(next)) return next.left.detail
    nodes = next.right
    if (replaces === undefined) return undefined
    const seen = SurfaceState.nodes(nodes)
    Recording.seenNow(
      recording,
      seen.map((each) => ({ message: each.message, index: indexes.get(each.seq) }))
    )
    return undefined
  }

  const takeEnvelope = (envelope: Envelope): void => {
    known.envelope = envelope
    known.envelopes++
    const { system, tools } = envelope
    if (system === undefined) delete recording.system
    else recording.system = system
    if (tools === undefined) delete recording.tools
    else if (JSON.stringify(tools) !== JSON.stringify(recording.tools)) recording.tools = tools
  }

  const takeEvent = (value: unknown): string | undefined => {
    const decoded = EventCodec.decode(value)
    if (Either.isLeft(decoded)) return decoded.left
    const event = decoded.right
    if (event.seq !== known.nextSeq) return `seq ${known.nextSeq} is expected and ${event.seq} stands there`
    known.nextSeq++
    if (event.type === "skipped") {
      const type = isRecord(event.value) ? String(event.value["type"]) : "unknown"
      known.skipped.set(type, (known.skipped.get(type) ?? 0) + 1)
      return undefined
    }
    if (event.type === "session/opened") {
      known.session ??= event.data.session
      known.parent ??= event.data.parent
    }
    if (event.type === "request/envelope") takeEnvelope(event.data.envelope)
    // what was counted of a request whose answer is not ours to keep
    if (event.type === "step/end") countOf(event.data.usage, `seq ${event.seq}`)
    return SessionEvent.isSurfaceBody(event)
      ? surface(event as SessionEvent.SurfaceBody & SessionEvent.SessionEvent)
      : undefined
  }

  const takeFrame = (value: unknown): TranscriptInvalid | undefined => {
    const frame = decodeFrame(value)
    if (Either.isLeft(frame)) return broken(number, `the line is no batch of a log (${firstIssue(frame.left)})`)
    const { count, events, seq, v } = frame.right
    if (v > SessionEvent.formatVersion) {
      return new TranscriptInvalid({
        reason: "newer-version",
        line: number,
        detail: `the log is of version ${v}, and this version reads up to ${SessionEvent.formatVersion}`
      })
    }
    if (count !== events.length) return broken(number, `${count} events are announced and ${events.length} are there`)
    if (seq !== known.nextSeq) return broken(number, `seq ${known.nextSeq} is expected and ${seq} stands there`)
    const current = upcast(events, v, SessionEvent.formatVersion)
    if (Either.isLeft(current)) return broken(number, current.left)
    for (const event of current.right) {
      const problem = takeEvent(event)
      if (problem !== undefined) return broken(number, problem)
    }
    return undefined
  }

  const branchNotes = (parent: SessionEvent.Parent): ReadonlyArray<string> => [
    `it is a branch of the session "${parent.session}" at seq ${parent.seq}`,
    ...(known.nextSeq > parent.seq ? [] : [`its copy was not finished: it ends before seq ${known.nextSeq}`])
  ]

  const notes = (torn: boolean): ReadonlyArray<string> => [
    ...(known.parent === undefined ? [] : branchNotes(known.parent)),
    ...(torn ? [`line ${number}: the last write was cut off and was left out`] : []),
    ...(known.envelopes > 1
      ? [`system prompt, tools or settings changed during the session; those of the last request are given`]
      : []),
    ...[...known.skipped].map(([type, count]) => `${count} events of the unknown type "${type}" were skipped`)
  ]

  return {
    line: (text) => {
      if (damage !== undefined) return Either.left(damage.error)
      number++
      if (text.trim() === "") return Either.void
      const json = parseJson(text)
      if (Either.isLeft(json)) {
        damage = { error: broken(number, "the line is not JSON"), maybeCutOff: true }
        return Either.void
      }
      const error = takeFrame(json.right)
      if (error === undefined) return Either.void
      damage = { error, maybeCutOff: false }
      return Either.left(error)
    },
    end: (torn) => {
      const cut = torn && damage?.maybeCutOff === true
      if (damage !== undefined && !cut) return Either.left(damage.error)
      recording.notes.push(...notes(cut))
      return transcript(format.name, [{ recording, id: known.session ?? "session", visible: "full" }], options)
    }
  }
}

/**
 * @since 0.1.0
 * @category conversions
 */
export const decode = (text: string, options?: DecodeOptions): Either.Either<Transcript, TranscriptInvalid> =>
  readText(reader(options), text)

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = lineFormat({
  name: "session-log",
  description: "a log of this library, one batch of events a line",
  // the second way finds a log whose first line is damaged, so that its line is named
  recognises: (input) => isFrame(input.firstLine()) || /^\s*\{"v":\d+,"seq":\d+,/u.test(input.text),
  reader,
  encode: Encoding.ofOne("session-log", SessionLogEncode.encode)
})
