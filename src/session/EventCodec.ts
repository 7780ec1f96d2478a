/**
 * Events as plain JSON values, and back.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as conforms from "./conforms.ts"
import * as SessionEvent from "./SessionEvent.ts"

const Head = Schema.Struct({
  seq: Schema.NonNegativeInt,
  time: Schema.Number,
  type: Schema.String,
  optional: Schema.optional(Schema.Boolean)
})

const decodeHead = Schema.decodeUnknownEither(Head)

const describe = (error: ParseResult.ParseError): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error)
    .map((issue) => `${issue.path.join(".")}: ${issue.message}`)
    .slice(0, 3)
    .join("; ")

type Decode = (input: unknown) => Either.Either<SessionEvent.Body, string>

/** A schema throws at a value that has no form as a string (`{"toString": 1}`), and at one too deep to be told of. */
const guarded =
  (decode: (input: unknown) => Either.Either<SessionEvent.Body, ParseResult.ParseError>): Decode =>
  (input) =>
    Either.flatMap(
      Either.try({
        try: () => Either.mapLeft(decode(input), describe),
        catch: (error) => (error instanceof Error ? error.message : String(error))
      }),
      (decoded) => decoded
    )

const decoders: ReadonlyMap<string, Decode> = new Map(
  SessionEvent.Body.members.map((member): [string, Decode] => [
    member.fields.type.literals[0],
    guarded(Schema.decodeUnknownEither(member as Schema.Schema<SessionEvent.Body>))
  ])
)

const plain: ReadonlyMap<string, (data: unknown) => boolean> = new Map(
  SessionEvent.Body.members.map((member) => [
    member.fields.type.literals[0],
    conforms.make(member.fields.data as Schema.Schema<unknown>)
  ])
)

/**
 * Whether an event is what its schema would make of it, decoding as well as encoding: no schema of a body transforms.
 * `false` says nothing.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isPlain = ({ data, type }: { readonly data: unknown; readonly type: string }): boolean =>
  plain.get(type)?.(data) === true

const hasPlainHead = conforms.make(
  Schema.Struct({ seq: Head.fields.seq, time: Head.fields.time, type: Head.fields.type, data: Schema.Unknown })
)

const isPlainEvent = (value: unknown): value is SessionEvent.SessionEvent =>
  hasPlainHead(value) && isPlain(value as SessionEvent.SessionEvent)

const encodeBody = Schema.encodeUnknownEither(SessionEvent.Body)

/**
 * The JSON value of an event, or why it has none.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encode = (event: SessionEvent.SessionEvent): Either.Either<unknown, string> =>
  Either.mapBoth(encodeBody(event), {
    onLeft: (error) => `the event of type ${event.type} at seq ${event.seq} is not valid: ${describe(error)}`,
    onRight: (body) => ({ seq: event.seq, time: event.time, ...body })
  })

/**
 * Reads an event. One of an unknown type is skipped if its writer marked it as optional, and refuses the session
 * otherwise: it may have changed what the model sees. What is an event as it stands is given back as it is; the schema
 * decides on the others, and says what is wrong with them.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decode = (
  value: unknown
): Either.Either<SessionEvent.SessionEvent | SessionEvent.SkippedEvent, string> => {
  if (isPlainEvent(value)) return ofKnownFormat(value)
  const head = decodeHead(value)
  if (Either.isLeft(head)) return Either.left(`not an event: ${describe(head.left)}`)
  const { optional, seq, time, type } = head.right
  const decodeBody = decoders.get(type)
  if (decodeBody === undefined) {
    return optional === true
      ? Either.right({ type: "skipped", seq, time, value })
      : Either.left(`seq ${seq} has the type "${type}", which this version does not know; a newer version wrote it`)
  }
  const body = decodeBody(value)
  return Either.isLeft(body)
    ? Either.left(`seq ${seq} (${type}) is not valid: ${body.left}`)
    : ofKnownFormat(SessionEvent.at(body.right, seq, time))
}

const ofKnownFormat = (event: SessionEvent.SessionEvent): Either.Either<SessionEvent.SessionEvent, string> =>
  event.type === "session/opened" && event.data.formatVersion > SessionEvent.formatVersion
    ? Either.left(
        `a writer of a newer format opened the session at seq ${event.seq}; this version reads up to ${SessionEvent.formatVersion}`
      )
    : Either.right(event)
