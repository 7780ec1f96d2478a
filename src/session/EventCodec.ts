/**
 * Events as plain JSON values, and back.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SessionEvent from "./SessionEvent.ts"

const Head = Schema.Struct({
  seq: Schema.NonNegativeInt,
  time: Schema.Number,
  type: Schema.String,
  optional: Schema.optional(Schema.Boolean)
})

const decodeHead = Schema.decodeUnknownEither(Head)

type Decode = (input: unknown) => Either.Either<SessionEvent.Body, ParseResult.ParseError>

const decoders: ReadonlyMap<string, Decode> = new Map(
  SessionEvent.Body.members.map((member): [string, Decode] => [
    member.fields.type.literals[0],
    Schema.decodeUnknownEither(member as Schema.Schema<SessionEvent.Body>)
  ])
)

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

const describe = (error: ParseResult.ParseError): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error)
    .map((issue) => `${issue.path.join(".")}: ${issue.message}`)
    .slice(0, 3)
    .join("; ")

/**
 * Reads an event. One of an unknown type is skipped if its writer marked it as optional, and refuses the session
 * otherwise: it may have changed what the model sees.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decode = (
  value: unknown
): Either.Either<SessionEvent.SessionEvent | SessionEvent.SkippedEvent, string> => {
  const head = decodeHead(value)
  if (Either.isLeft(head)) return Either.left(`not an event: ${describe(head.left)}`)
  const { optional, seq, time, type } = head.right
  const decodeBody = decoders.get(type)
  if (decodeBody === undefined) {
    return optional === true
      ? Either.right({ type: "skipped", seq, time, value })
      : Either.left(`seq ${seq} has the type "${type}", which this version does not know; a newer version wrote it`)
  }
  const decoded = Either.mapBoth(decodeBody(value), {
    onLeft: (error) => `seq ${seq} (${type}) is not valid: ${describe(error)}`,
    onRight: (body) => SessionEvent.at(body, seq, time)
  })
  return Either.filterOrLeft(
    decoded,
    (event) => event.type !== "session/opened" || event.data.formatVersion <= SessionEvent.formatVersion,
    () =>
      `a writer of a newer format opened the session at seq ${seq}; this version reads up to ${SessionEvent.formatVersion}`
  )
}
