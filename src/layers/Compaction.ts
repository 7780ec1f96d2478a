/**
 * Compaction for people without a session: one call makes one array smaller. `examples/once.ts`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { appending, type Repair } from "../compaction/drafts.ts"
import type { Options as PolicyOptions } from "../compaction/PolicyOptions.ts"
import { type CompactionError, InputInvalid, type PolicyInvalid } from "../errors/CompactionError.ts"
import { errorText } from "../errors/errorRecord.ts"
import type { Outcome, Rung } from "../services/CompactService.ts"
import { SessionId } from "../services/SessionId.ts"
import type { Summarizer } from "../services/Summarizer.ts"
import { Envelope } from "../session/Envelope.ts"
import { Message } from "../session/Message.ts"
import * as Route from "../session/Route.ts"
import type { Trigger } from "../session/SessionEvent.ts"
import * as CompactionPolicy from "./CompactionPolicy.ts"
import * as CompactService from "./CompactService.ts"
import * as LogStore from "./LogStore.ts"
import * as ModelAdapter from "./ModelAdapter.ts"
import * as Redaction from "./Redaction.ts"
import { declareEnvelope } from "./rescuedRequest.ts"
import * as Surface from "./Surface.ts"
import * as TokenMeter from "./TokenMeter.ts"

export type { Repair } from "../compaction/drafts.ts"
export type { Declined, Outcome, Reduced } from "../services/CompactService.ts"

/**
 * What is to be made smaller, and when.
 *
 * - `messages` are in the order in which they are sent, `envelope` is what goes with them, and `window` is that of its route,
 *   in tokens.
 * - `policy`: fields that differ from the defaults; absent, the `CompactionPolicy` in use.
 * - `trigger`: `pressure`, the default, does something only at or above the policy's threshold. `manual` does it now, and
 *   keeps the newest unit. `context-overflow` is for an array that the provider refused: the newest unit's results may be
 *   cut too.
 * - `rungs` orders, leaves out and adds rungs, as `CompactService.layerWith` does.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly messages: ReadonlyArray<Message>
  readonly envelope: Envelope
  readonly window: number
  readonly policy?: PolicyOptions
  readonly trigger?: Trigger
  readonly rungs?: (defaults: ReadonlyArray<Rung>) => ReadonlyArray<Rung>
}

/**
 * The messages to go on with, what was done or why nothing was, with the numbers, and what had to be repaired so that calls
 * and results pair. The very array that was given where there was nothing to do and to repair.
 *
 * @since 0.1.0
 * @category models
 */
export interface Compacted {
  readonly messages: ReadonlyArray<Message>
  readonly outcome: Outcome
  readonly repairs: ReadonlyArray<Repair>
}

const Given = Schema.Struct({
  window: Schema.Int.pipe(Schema.positive()),
  envelope: Envelope,
  messages: Schema.Array(Message)
})

const read = Schema.decodeUnknownEither(Given)

/** The first message that has no JSON, and why: a cycle or a BigInt in the arguments of a call. */
const withoutJson = (messages: ReadonlyArray<Message>): InputInvalid | undefined => {
  for (const [index, message] of messages.entries()) {
    try {
      JSON.stringify(message)
    } catch (error) {
      return new InputInvalid({ path: ["messages", String(index)], detail: `it has no JSON: ${errorText(error)}` })
    }
  }
  return undefined
}

/** The same, known to be what its type says: what comes from outside may be anything. */
const checked = (given: Options): Either.Either<typeof Given.Type, InputInvalid> => {
  const sound = read(given)
  if (Either.isLeft(sound)) {
    const [issue] = ParseResult.ArrayFormatter.formatErrorSync(sound.left)
    return Either.left(
      new InputInvalid({ path: issue?.path.map(String) ?? [], detail: issue?.message ?? "it cannot be read" })
    )
  }
  const wrong = withoutJson(sound.right.messages)
  return wrong === undefined ? Either.right(sound.right) : Either.left(wrong)
}

/** A checkpoint of an earlier call carries its content as metadata, which only the application can have put there. */
const sourceOf = (message: Message) =>
  message.metadata?.["checkpoint"] === undefined ? ("prompt" as const) : ("checkpoint" as const)

const reduce = ({ envelope, messages }: typeof Given.Type, given: Options) =>
  Effect.gen(function* () {
    const surface = yield* Surface.Surface
    const repairs: Array<Repair> = []
    yield* surface.commit(declareEnvelope(envelope))
    yield* surface.commit(({ surface: { unanswered } }) =>
      appending(unanswered, messages, sourceOf, (repair) => repairs.push(repair))
    )
    const outcome = yield* CompactService.compactIfNeeded(given.trigger ?? "pressure")
    const untouched = outcome._tag === "Declined" && repairs.length === 0
    return { messages: untouched ? given.messages : yield* surface.messages, outcome, repairs } satisfies Compacted
  })

/**
 * Makes an array of messages smaller, with the engine, the policy and the checks of a session, and nothing kept. It needs a
 * `Summarizer`; without a model, `Summarizer.layerNone` and only the rungs that are not paid.
 *
 * Calls and results are paired as `Surface.append` does: `repairs` tells what that took. Calls at the end stay open, since
 * their results may still come. A checkpoint that an earlier call put there is merged and not nested, as long as its
 * `metadata` came along. A failure means that nothing got smaller; the array that was given is never changed.
 *
 * @since 0.1.0
 * @category combinators
 */
export const once = (
  options: Options
): Effect.Effect<Compacted, CompactionError | PolicyInvalid | InputInvalid, Summarizer> =>
  Effect.gen(function* () {
    const given = yield* checked(options)
    const { route } = given.envelope
    const engine = CompactService.layerWith({ rungs: options.rungs ?? ((defaults) => defaults) }).pipe(
      Layer.provideMerge(TokenMeter.layer),
      Layer.provideMerge(Surface.layer),
      Layer.provide([
        Layer.succeed(SessionId, "once"),
        LogStore.layerMemory,
        // nothing is kept here, and what comes back is the application's own
        Redaction.layerNone,
        // a summary may be another route's, whose window nobody told
        ModelAdapter.layerInfo((asked) => (Route.equals(asked, route) ? { window: given.window } : undefined))
      ]),
      // a new log in memory is neither locked nor damaged
      Layer.orDie
    )
    const policy = options.policy === undefined ? Layer.empty : CompactionPolicy.layer(options.policy)
    return yield* reduce(given, options).pipe(Effect.provide(engine), Effect.provide(policy))
  })
