/**
 * The settings of a policy as people write them: everything may be left out.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

const number = (expected: string, holds: (value: number) => boolean) =>
  Schema.Number.pipe(Schema.filter((value) => holds(value) || `Expected ${expected}, actual ${value}`))

const integer = (minimum: number) =>
  number(`an integer of at least ${minimum}`, (value) => Number.isSafeInteger(value) && value >= minimum)

/** The name under which a message speaks of an object, instead of its whole type. */
const named = (title: string) => ({ title })

/** A limit that bounds nothing is not one: zero and infinity are refused. */
const TimeLimit = Schema.transformOrFail(
  Schema.Union(Schema.String, Schema.Number, Schema.DurationFromSelf),
  Schema.DurationFromSelf,
  {
    strict: true,
    decode: (input, _, ast) =>
      Option.match(
        Option.filter(
          Duration.decodeUnknown(input),
          (limit) => Duration.isFinite(limit) && Duration.greaterThan(limit, Duration.zero)
        ),
        {
          onNone: () =>
            ParseResult.fail(
              new ParseResult.Type(
                ast,
                input,
                `Expected a duration above zero such as "2 minutes", or milliseconds, actual ${typeof input === "string" ? JSON.stringify(input) : String(input)}`
              )
            ),
          onSome: ParseResult.succeed
        }
      ),
    encode: (limit) => ParseResult.succeed(Duration.toMillis(limit))
  }
)

/** Two empty names stand for no route, as where settings come from variables that are always set. */
const SummaryRoute = Schema.Struct({ provider: Schema.String, model: Schema.String })
  .annotations(named("an object with provider and model"))
  .pipe(
    Schema.filter(
      (route) =>
        (route.provider === "") === (route.model === "") ||
        `Expected both a provider and a model, actual ${JSON.stringify(route)}`
    )
  )

const fields = {
  auto: Schema.optional(
    Schema.Union(
      Schema.Boolean,
      Schema.Struct({
        pressure: Schema.optional(Schema.Boolean),
        contextOverflow: Schema.optional(Schema.Boolean)
      }).annotations(named("an object with pressure and contextOverflow"))
    )
  ),
  threshold: Schema.optional(number("a share above 0 and at most 1", (value) => value > 0 && value <= 1)),
  outputReserve: Schema.optional(Schema.NullOr(integer(0))),
  retain: Schema.optional(
    number(
      "a share of the window below 1, or a whole number of tokens",
      (value) => value >= 0 && (value < 1 || Number.isSafeInteger(value))
    )
  ),
  maxOverflowRetries: Schema.optional(integer(0)),
  prune: Schema.optional(
    Schema.Union(
      Schema.Literal(false),
      Schema.Struct({
        over: Schema.optional(integer(1)),
        head: Schema.optional(integer(0)),
        tail: Schema.optional(integer(0)),
        exempt: Schema.optional(Schema.Array(Schema.NonEmptyString))
      }).annotations(named("an object with over, head, tail and exempt"))
    )
  ),
  summary: Schema.optional(
    Schema.Struct({
      route: Schema.optional(Schema.NullOr(SummaryRoute)),
      maxTokens: Schema.optional(Schema.NullOr(integer(1))),
      quoteTokens: Schema.optional(integer(0)),
      attempts: Schema.optional(integer(1)),
      timeLimit: Schema.optional(TimeLimit)
    }).annotations(named("an object with route, maxTokens, quoteTokens, attempts and timeLimit"))
  ),
  runTimeLimit: Schema.optional(TimeLimit)
}

const FieldsSchema = Schema.Struct(fields)

/**
 * The fields that the base and an entry of `models` have in common, decoded.
 *
 * @since 0.1.0
 * @category models
 */
export type Fields = typeof FieldsSchema.Type

/**
 * What is different for one exact route. Both names are non-empty.
 *
 * @since 0.1.0
 * @category models
 */
export const Override = Schema.Struct({
  provider: Schema.NonEmptyString,
  model: Schema.NonEmptyString,
  ...fields
}).annotations(named("an object with provider, model and settings"))

/**
 * @since 0.1.0
 * @category models
 */
export type Override = typeof Override.Type

/**
 * The settings of a policy. Durations are written `"2 minutes"`, as milliseconds or as a `Duration`.
 *
 * The schema knows types and ranges of single fields. Unknown keys and fields that contradict each other are refused by
 * `Policy.decode`, which is the way to a policy.
 *
 * @since 0.1.0
 * @category models
 */
export const Options = Schema.Struct({
  ...fields,
  models: Schema.optional(Schema.Array(Override).annotations(named("a list of settings for single models")))
}).annotations(named("an object of settings"))

/**
 * The settings as they are written.
 *
 * @since 0.1.0
 * @category models
 */
export type Options = typeof Options.Encoded
