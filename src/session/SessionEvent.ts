/**
 * The events of a session's log. The format is permanent: what stands here is read for good.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Envelope } from "./Envelope.ts"
import { exactOptional } from "./exactOptional.ts"
import { Seq, SessionId } from "./Ids.ts"
import { Message, Metadata, ResultBlock } from "./Message.ts"
import { Route } from "./Route.ts"
import { Usage } from "./Usage.ts"

/**
 * The version of the format that this library writes.
 *
 * @since 0.1.0
 * @category constants
 */
export const formatVersion = 1

/**
 * @since 0.1.0
 * @category models
 */
export const Trigger = Schema.Literal("pressure", "context-overflow", "manual")

/**
 * @since 0.1.0
 * @category models
 */
export type Trigger = typeof Trigger.Type

/**
 * How an answer ended.
 *
 * @since 0.1.0
 * @category models
 */
export const FinishReason = Schema.Literal("stop", "tool-calls", "length", "content-filter", "unknown")

/**
 * @since 0.1.0
 * @category models
 */
export type FinishReason = typeof FinishReason.Type

/**
 * The name and text of an error, for a record that outlives it.
 *
 * @since 0.1.0
 * @category models
 */
export const ErrorRecord = Schema.Struct({ tag: Schema.String, message: Schema.String })

/** A figure that JSON can hold: NaN and the infinities would be read back as null, and the log with them refused. */
const Figure = Schema.Finite

/**
 * What the estimator of that time counted, unscaled. Kept so that opening a log prices nothing, and so that another
 * estimator later does not change what was decided.
 *
 * @since 0.1.0
 * @category models
 */
export const Counts = Schema.Struct({ estimator: Schema.NonEmptyString, values: Schema.Array(Figure) })

/**
 * @since 0.1.0
 * @category models
 */
export type Counts = typeof Counts.Type

/**
 * The event takes the place of the nodes from `first` to `last`, in surface order; `sources` names each of them.
 *
 * @since 0.1.0
 * @category models
 */
export const Replaces = Schema.Struct({ first: Seq, last: Seq, sources: Schema.NonEmptyArray(Seq) })

/**
 * @since 0.1.0
 * @category models
 */
export type Replaces = typeof Replaces.Type

/**
 * Prices in tokens at the moment of the decision: what was shadowed, and what stands there now.
 *
 * @since 0.1.0
 * @category models
 */
export const Price = Schema.Struct({ before: Figure, after: Figure })

const surfaceFields = { counts: Counts, replaces: exactOptional(Replaces) }

const body = <Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), data: Schema.Struct(fields) })

/**
 * Where a session branched off: its events up to and with `seq` are those of `session`, at the same places, but for the
 * first one, which says this. A log that is shorter is the beginning of a copy, and no session.
 *
 * @since 0.1.0
 * @category models
 */
export const Parent = Schema.Struct({ session: SessionId, seq: Seq })

/**
 * @since 0.1.0
 * @category models
 */
export type Parent = typeof Parent.Type

const SessionOpened = body("session/opened", {
  formatVersion: Schema.Int,
  session: SessionId,
  writer: Schema.NonEmptyString,
  /** in the first event of a branch, and nowhere else */
  parent: exactOptional(Parent)
})

const TurnStart = body("turn/start", { turn: Schema.NonNegativeInt })

const TurnEnd = body("turn/end", {
  turn: Schema.NonNegativeInt,
  outcome: Schema.Literal("completed", "output-limit", "suspended", "interrupted", "failed"),
  error: exactOptional(ErrorRecord),
  /** written by the next writer for one that died */
  settled: exactOptional(Schema.Boolean)
})

/** `turn` is null where the application runs its own loop. */
const stepFields = { turn: Schema.NullOr(Schema.NonNegativeInt), step: Schema.NonNegativeInt }

const StepStart = body("step/start", { ...stepFields, generation: Schema.NonNegativeInt })

const StepEnd = body("step/end", {
  ...stepFields,
  outcome: Schema.Literal("completed", "refused", "failed", "interrupted"),
  error: exactOptional(ErrorRecord),
  limit: exactOptional(Figure),
  limitCounts: exactOptional(Schema.Literal("input", "input-and-output")),
  requested: exactOptional(Figure),
  /** of a refused request: what it had too much of; absent: tokens */
  unit: exactOptional(Schema.Literal("tokens", "bytes")),
  /** what the provider counted, where no `message/assistant` of ours carries it */
  usage: exactOptional(Usage),
  settled: exactOptional(Schema.Boolean)
})

const RescueEnd = body("rescue/end", {
  ...stepFields,
  outcome: Schema.Literal("retry", "declined"),
  /** why it was declined */
  reason: exactOptional(Schema.String),
  generation: Schema.Struct({ before: Schema.NonNegativeInt, after: Schema.NonNegativeInt }),
  tokens: Price
})

const RequestEnvelope = body("request/envelope", { envelope: Envelope, counts: Counts })

const fromUser = Message.pipe(Schema.filter((message) => message.role === "user"))

/** Context that waits for a place where no call is open. */
const QueuedMessage = body("message/queued", { message: fromUser })

const UserMessage = body("message/user", {
  message: fromUser,
  source: Schema.Literal("prompt", "context", "checkpoint"),
  /** seq of the `message/queued` that this is, joined */
  queued: exactOptional(Seq),
  ...surfaceFields
})

const AssistantMessage = body("message/assistant", {
  message: Message.pipe(Schema.filter((message) => message.role === "assistant")),
  usage: exactOptional(Usage),
  finish: exactOptional(FinishReason),
  interrupted: exactOptional(Schema.Boolean),
  ...surfaceFields
})

const ToolResult = body("message/tool-result", {
  callId: Schema.NonEmptyString,
  name: Schema.String,
  content: Schema.Array(ResultBlock),
  isError: exactOptional(Schema.Boolean),
  metadata: exactOptional(Metadata),
  ...surfaceFields
})

const CompactionStart = body("compaction/start", {
  id: Schema.NonEmptyString,
  trigger: Trigger,
  turn: Schema.NullOr(Schema.NonNegativeInt),
  writer: Schema.NonEmptyString,
  rung: exactOptional(Schema.NonEmptyString),
  /** whether it asks a model; absent: it does */
  paid: exactOptional(Schema.Boolean),
  /** a fingerprint of the policy of its route */
  policy: exactOptional(Schema.NonEmptyString)
})

const CompactionCall = body("compaction/call", {
  id: Schema.NonEmptyString,
  rung: Schema.NonEmptyString,
  route: exactOptional(Route),
  usage: exactOptional(Usage),
  output: Schema.String,
  outcome: Schema.String,
  /** what was to be summarised; absent: by a rung that does not say */
  span: exactOptional(Schema.Struct({ first: Seq, last: Seq })),
  /** of the window, as the summariser's provider stated it */
  limit: exactOptional(Figure),
  /** names the route and the instruction; absent: what was asked is not known */
  asked: exactOptional(Schema.NonEmptyString),
  /** tokens of the span, by estimate, that the request did not carry */
  omitted: exactOptional(Figure)
})

const CompactionPrune = body("compaction/prune", {
  id: Schema.NonEmptyString,
  trigger: Trigger,
  rung: Schema.NonEmptyString,
  shadowed: Schema.NonEmptyArray(Seq),
  price: Price,
  /** of the whole request, where bytes are what it had too many of */
  bytes: exactOptional(Schema.Struct({ before: Figure, after: Figure }))
})

const CompactionSummary = body("compaction/summary", {
  id: Schema.NonEmptyString,
  rung: Schema.NonEmptyString,
  summary: Schema.String,
  span: Schema.Struct({ first: Seq, last: Seq }),
  shadowed: Schema.NonEmptyArray(Seq),
  price: Price,
  /** tokens of the span, by estimate, that no request for the summary carried; absent: all of it was in one */
  omitted: exactOptional(Figure),
  /** absent: made without a model */
  route: exactOptional(Route)
})

const CompactionEnd = body("compaction/end", {
  id: Schema.NonEmptyString,
  outcome: Schema.Literal("landed", "failed", "interrupted"),
  /** whether the trigger's target was met then; false counts towards resting */
  targetMet: exactOptional(Schema.Boolean),
  error: exactOptional(ErrorRecord),
  settled: exactOptional(Schema.Boolean)
})

/**
 * What happened, without its place and time.
 *
 * @since 0.1.0
 * @category models
 */
export const Body = Schema.Union(
  SessionOpened,
  TurnStart,
  TurnEnd,
  StepStart,
  StepEnd,
  RescueEnd,
  RequestEnvelope,
  QueuedMessage,
  UserMessage,
  AssistantMessage,
  ToolResult,
  CompactionStart,
  CompactionCall,
  CompactionPrune,
  CompactionSummary,
  CompactionEnd
)

/**
 * @since 0.1.0
 * @category models
 */
export type Body = typeof Body.Type

/**
 * @since 0.1.0
 * @category models
 */
export type BodyOf<Type extends Body["type"]> = Extract<Body, { readonly type: Type }>

/**
 * The bodies that carry a message of the surface.
 *
 * @since 0.1.0
 * @category models
 */
export type SurfaceBody = BodyOf<"message/user" | "message/assistant" | "message/tool-result">

/**
 * An event with its place (`seq`) and time (epoch milliseconds, from Effect's Clock).
 *
 * @since 0.1.0
 * @category models
 */
export type SessionEvent = Body & { readonly seq: Seq; readonly time: number }

/**
 * A body at its place in the log. By name, since an engine takes many times as long for a spread.
 *
 * @since 0.1.0
 * @category constructors
 */
export const at = ({ data, type }: Body, seq: Seq, time: number): SessionEvent =>
  ({ seq, time, type, data }) as SessionEvent

/**
 * An event of a type that this version does not know and that its writer marked as optional: kept in the log, skipped
 * by the fold.
 *
 * @since 0.1.0
 * @category models
 */
export interface SkippedEvent {
  readonly type: "skipped"
  readonly seq: Seq
  readonly time: number
  readonly value: unknown
}

/**
 * What a tool result's event says.
 *
 * @since 0.1.0
 * @category models
 */
export type Result = BodyOf<"message/tool-result">["data"]

/**
 * The message that a surface event carries.
 *
 * @since 0.1.0
 * @category getters
 */
export const messageOf = (event: SurfaceBody): Message =>
  event.type === "message/tool-result" ? resultMessage(event.data) : event.data.message

/**
 * The message of a tool result.
 *
 * @since 0.1.0
 * @category getters
 */
export const resultMessage = ({ callId: id, content, isError, metadata, name }: Omit<Result, "counts">): Message => {
  const results = [
    isError === undefined
      ? ({ type: "tool-result", id, name, content } as const)
      : ({ type: "tool-result", id, name, content, isError } as const)
  ]
  return metadata === undefined ? { role: "tool", content: results } : { role: "tool", content: results, metadata }
}

/**
 * @since 0.1.0
 * @category predicates
 */
export const isSurfaceBody = (event: Body): event is SurfaceBody =>
  event.type === "message/user" || event.type === "message/assistant" || event.type === "message/tool-result"
