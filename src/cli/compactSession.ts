/**
 * One session made smaller: first as pressure would, then, where that is not enough, as after an overflow.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import * as Policy from "../compaction/Policy.ts"
import type { Session } from "../formats/Transcript.ts"
import * as Compaction from "../layers/Compaction.ts"
import * as CompactionPolicy from "../layers/CompactionPolicy.ts"
import * as CompactService from "../layers/CompactService.ts"
import type { Envelope } from "../session/Envelope.ts"
import type { Message } from "../session/Message.ts"
import { RunFailed } from "./exitCode.ts"

/**
 * `window` and `policy` are those of the ladder; the session has to get below `limit`. All sizes are tokens.
 *
 * @since 0.1.0
 * @category models
 */
export interface Target {
  readonly window: number
  readonly policy: Policy.Policy
  readonly limit: (envelope: Envelope) => number
}

/** What was asked for by hand happens, whatever the policy's switches say. */
const auto = { pressure: true, contextOverflow: true }

/**
 * The policy of who names a size and no policy: as much stays as leaves room for what stands for the rest. A window is
 * another thing: there a small tail is kept, so that it is long before the next compaction.
 *
 * @since 0.1.0
 * @category constants
 */
export const toSize: Policy.Policy = { ...Policy.defaults, retain: 0.6 }

/**
 * Below this many tokens, whatever the policy calls pressure.
 *
 * @since 0.1.0
 * @category constructors
 */
export const below = (tokens: number, policy: Policy.Policy): Target => ({
  window: tokens,
  policy: {
    ...policy,
    auto,
    threshold: 1,
    outputReserve: 0,
    // a tail of as many tokens as there may be at all would leave no room for what stands for the rest
    retain: Math.min(
      policy.retain,
      policy.retain < 1 ? toSize.retain : Math.max(1, Math.floor(tokens * toSize.retain))
    ),
    models: policy.models.map(Struct.omit("auto", "outputReserve", "threshold"))
  },
  limit: () => tokens
})

/**
 * Below where the policy sees pressure in this window.
 *
 * @since 0.1.0
 * @category constructors
 */
export const inWindow = (window: number, policy: Policy.Policy): Target => ({
  window,
  policy: { ...policy, auto, models: policy.models.map(Struct.omit("auto")) },
  limit: ({ route }) => Policy.budgets(Policy.forRoute(policy, route), { window }).threshold
})

/**
 * The session that came of it. `protected` says what stayed, where that is too large.
 *
 * @since 0.1.0
 * @category models
 */
export interface Compacted {
  readonly session: Session
  readonly messages: ReadonlyArray<Message>
  readonly limit: number
  readonly before: number
  readonly after: number
  readonly landed: ReadonlyArray<CompactService.Landed>
  readonly protected?: { readonly envelope: number; readonly unit: number }
  /** a model would have been asked, so that nobody knows what is left */
  readonly unasked?: true
}

/** Its tokenizer is that of the model that the session was of. */
const envelopeOf = ({ requests, system, tools }: Session): Envelope => {
  const { model = "unknown", provider = "unknown" } = requests.at(-1) ?? {}
  return {
    route: { provider, model },
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined || tools.length === 0 ? {} : { tools })
  }
}

type Rungs = NonNullable<Compaction.Options["rungs"]>

const free: Rungs = (rungs) => rungs.filter(({ paid }) => !paid)

/** An extract has the place of the summary. */
const withoutModel: Rungs = (rungs) => rungs.map((rung) => (rung.paid ? CompactService.extractBeforeTail : rung))

const sizes = (outcome: Compaction.Outcome) =>
  outcome._tag === "Reduced"
    ? { before: outcome.before, after: outcome.after, landed: outcome.landed }
    : { before: outcome.envelope + outcome.surface, after: outcome.envelope + outcome.surface, landed: [] }

/** What came of one or more runs, one after the other. */
interface Reached {
  readonly messages: ReadonlyArray<Message>
  readonly before: number
  readonly after: number
  readonly landed: ReadonlyArray<CompactService.Landed>
}

const then = (reached: Reached, { messages, outcome }: Compaction.Compacted): Reached => {
  const { after, landed } = sizes(outcome)
  return { ...reached, messages, after, landed: [...reached.landed, ...landed] }
}

/**
 * `model`: whether a summariser may be asked; `plan`: it only hears what it would be asked, and nothing is done in its
 * place. A session that is small enough comes back as it is; of one that cannot get
 * small enough the smallest that there is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const compactSession = Effect.fnUntraced(
  function* (session: Session, { limit: limitOf, window }: Target, model: boolean | "plan") {
    const envelope = envelopeOf(session)
    const limit = limitOf(envelope)
    const found = (reached: Reached): Compacted => ({ session, limit, ...reached })
    const run = (messages: ReadonlyArray<Message>, options: Omit<Compaction.Options, "messages" | "envelope">) =>
      Compaction.once({ ...options, messages, envelope })

    const first = yield* run(session.messages, { window, rungs: model === false ? withoutModel : (rungs) => rungs })
    let reached: Reached = { messages: first.messages, ...sizes(first.outcome) }
    if (reached.after < limit) return found(reached)
    if (model === "plan") return { ...found(reached), unasked: true as const }

    reached = then(reached, yield* run(reached.messages, { window: limit, trigger: "context-overflow", rungs: free }))
    if (reached.after < limit) return found(reached)

    // where no ladder sees a way to the target, what can be taken away is taken away all the same
    reached = then(reached, yield* run(reached.messages, { window, trigger: "manual", rungs: withoutModel }))
    if (reached.after < limit) return found(reached)

    // a ladder without rungs says only what stands there
    const { outcome } = yield* run(reached.messages, { window, trigger: "manual", rungs: () => [] })
    const stays = outcome._tag === "Declined" ? { protected: { envelope: outcome.envelope, unit: outcome.unit } } : {}
    return { ...found(reached), ...stays }
  },
  (compacting, session, { policy }) =>
    compacting.pipe(
      Effect.provideService(CompactionPolicy.CompactionPolicy, policy),
      Effect.mapError((error) => new RunFailed({ message: `session "${session.id}": ${error.message}` }))
    )
)
