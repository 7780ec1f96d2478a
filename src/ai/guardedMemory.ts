/**
 * The conversations of one guard, and what its model taught: each call is given the one that it goes on with.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as RouteFacts from "../compaction/RouteFacts.ts"
import { routeFacts } from "../compaction/SessionState.ts"
import { presetInfo } from "../layers/adapters/presetInfo.ts"
import * as ModelAdapter from "../layers/ModelAdapter.ts"
import type { Summarizer } from "../services/Summarizer.ts"
import * as Route from "../session/Route.ts"
import * as Conversation from "./guardedConversation.ts"
import * as messageChain from "./messageChain.ts"
import * as prefixMemory from "./prefixMemory.ts"

interface Options {
  readonly route: Route.Route
  readonly window?: number
  readonly conversations?: number
  readonly summarizer: Layer.Layer<Summarizer>
}

/** A conversation that one call has for itself, and the names of its beginnings. */
interface Taken {
  readonly conversation: Conversation.Conversation
  readonly chain: ReadonlyArray<string>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface GuardedMemory {
  /**
   * The conversation of a prompt, its messages taken in, for as long as the scope is open. None: they make no request by
   * themselves, or are nothing that a session takes.
   */
  readonly scoped: (
    prompt: Prompt.Prompt
  ) => Effect.Effect<Option.Option<Conversation.Conversation>, never, Scope.Scope>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { route } = options
  const routeKey = Route.key(route)
  const seed = messageChain.makeSeed()
  const memory = prefixMemory.make<Conversation.Conversation>(options.conversations ?? 64)
  const scope = yield* Effect.scope
  const context = yield* Effect.context<never>()
  const window = options.window ?? presetInfo(route)?.window
  let facts: RouteFacts.RouteFacts = {}
  let opened = 0

  // a conversation knows what it was taught itself; a new one begins with what all others were
  const adapter = ModelAdapter.layerInfo((asked) => {
    const known = Route.equals(asked, route) ? RouteFacts.windowOf(facts, window) : undefined
    return known === undefined ? undefined : { window: known }
  })
  const shared = Layer.merge(adapter, options.summarizer)

  const open = (found: prefixMemory.Found<Conversation.Conversation> | undefined) =>
    found?._tag === "conversation"
      ? Effect.succeed(found.conversation)
      : Effect.flatMap(Scope.fork(scope, ExecutionStrategy.sequential), (own) =>
          Conversation.make({ id: `guarded-${++opened}`, begins: found, shared, scope: own })
        ).pipe(Effect.mapInputContext((inside: Context.Context<never>) => Context.merge(inside, context)))

  const acquire = Effect.fnUntraced(function* (prompt: Prompt.Prompt) {
    const said = prompt.content.filter(Conversation.isSaid)
    const chain = messageChain.make(seed, said)
    const conversation = yield* open(memory.take(chain))
    return yield* Effect.matchCauseEffect(conversation.takeIn(said), {
      onFailure: (cause) =>
        Effect.zipRight(
          Effect.logWarning("a prompt is sent unguarded: its messages cannot be taken in", cause),
          Effect.as(conversation.close, Option.none<Taken>())
        ),
      onSuccess: () => Effect.succeed(Option.some<Taken>({ conversation, chain }))
    })
  })

  const release = ({ chain, conversation }: Taken) =>
    Effect.gen(function* () {
      const state = yield* conversation.surface.state
      const { accepted, limit, limitCounts, truncates } = routeFacts(state, routeKey)
      facts = RouteFacts.stated(facts, { limit, limitCounts })
      if (accepted !== undefined) facts = RouteFacts.accepted(facts, accepted)
      if (truncates === true) facts = RouteFacts.truncated(facts)
      const checkpoint = Conversation.checkpointOf(state.surface, conversation.sourceOf)
      if (checkpoint !== undefined) memory.learn(chain[checkpoint.length]!, checkpoint.message)
      const gone = memory.keep(chain.at(-1)!, conversation)
      // a compaction of one of them may hang, and nobody is to wait for it
      yield* Effect.forkIn(
        Effect.forEach(gone, ({ close }) => close, { discard: true }),
        scope
      )
    })

  const scoped: GuardedMemory["scoped"] = Effect.fnUntraced(function* (prompt) {
    const taken = yield* Effect.acquireRelease(
      acquire(prompt),
      Option.match({ onNone: () => Effect.void, onSome: release })
    )
    if (Option.isNone(taken)) return Option.none()
    const { conversation } = taken.value
    const { surface } = yield* conversation.surface.state
    return surface.unanswered.length > 0 ? Option.none() : Option.some(conversation)
  })

  return { scoped } satisfies GuardedMemory
})
