/**
 * A `LanguageModel` that keeps each conversation inside its model's window: an application changes the line of its layers in
 * which the model stands, and nothing else. `examples/ai.ts`.
 *
 * @since 0.1.0
 */
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Model from "@effect/ai/Model"
import * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Options as PolicyOptions } from "../compaction/PolicyOptions.ts"
import type { PolicyInvalid } from "../errors/CompactionError.ts"
import { LogWriteFailed, SessionBusy } from "../errors/SessionError.ts"
import * as AnthropicPresets from "../layers/adapters/anthropicPresets.ts"
import * as CompactionPolicy from "../layers/CompactionPolicy.ts"
import { ErrorClassifier } from "../services/ErrorClassifier.ts"
import { Summarizer } from "../services/Summarizer.ts"
import type { Envelope } from "../session/Envelope.ts"
import type { Route } from "../session/Route.ts"
import { type Conversation, render } from "./guardedConversation.ts"
import * as guardedMemory from "./guardedMemory.ts"
import * as modelSummary from "./modelSummary.ts"
import * as rescuedCalls from "./rescuedCalls.ts"
import { unseal } from "./sealedToolkit.ts"

/**
 * - `window`: of the model, tokens. Absent, that of the route's preset; where there is none nothing is compacted before a
 *   provider refuses.
 * - `route`: which provider and model this is, for the price of its tokens and the words of its refusals. Absent, what they
 *   teach is learned all the same.
 * - `maxOutputTokens`: the output that the model's requests ask for, which belongs to the window too. Effect AI does not say
 *   it, and the package of Anthropic asks for 4,096 where its configuration says nothing.
 * - `policy`: fields that differ from the defaults; absent, the `CompactionPolicy` in use.
 * - `summarizer`: who summarises; absent, the guarded model itself, asked without tools.
 * - `conversations`: how many are remembered, 64 if absent. Each takes about as much memory as fits its window.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly window?: number
  readonly route?: Route
  readonly maxOutputTokens?: number
  readonly policy?: PolicyOptions
  readonly summarizer?: Layer.Layer<Summarizer>
  readonly conversations?: number
}

type Call<A> = (options: rescuedCalls.CallOptions) => Effect.Effect<A, unknown>

/** Errors as they were. A caller knows those of Effect AI and of its tools: one of the guard's own session is a bug. */
const unsealed = <E>(cause: Cause.Cause<E>): Cause.Cause<E> =>
  Cause.flatMap(cause, (error) => {
    const original = unseal(error)
    return original instanceof LogWriteFailed || original instanceof SessionBusy
      ? Cause.die(original)
      : Cause.fail(original)
  })

/**
 * The guarded model. Its memory lives as long as the scope.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (options: Omit<Options, "policy">) {
  const inner = yield* LanguageModel.LanguageModel
  const { rows } = yield* ErrorClassifier
  const policy = yield* CompactionPolicy.CompactionPolicy
  const provider = Option.getOrElse(yield* Effect.serviceOption(Model.ProviderName), () => "unknown")
  const route = options.route ?? { provider, model: "unknown" }
  const base: Envelope = {
    route,
    ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens })
  }
  const summarizer = options.summarizer ?? Layer.succeed(Summarizer, modelSummary.make(inner, rows))
  const memory = yield* guardedMemory.make({ ...options, route, summarizer })
  const bindsThinking = AnthropicPresets.bindsThinking(route.model)
  const settings = Context.make(CompactionPolicy.CompactionPolicy, policy).pipe(Context.add(ErrorClassifier, { rows }))
  const stream = inner.streamText as unknown as (
    options: rescuedCalls.CallOptions
  ) => Stream.Stream<Response.AnyPart, unknown>

  const prepare = Effect.fnUntraced(function* (given: rescuedCalls.CallOptions) {
    const prompt = Prompt.make(given.prompt)
    const system = prompt.content.flatMap((message) => (message.role === "system" ? [message.content] : []))
    return { prompt, ...(yield* rescuedCalls.prepare(given, base, system)) }
  })

  const inConversation = (
    { services, sourceOf, surface }: Conversation,
    { envelope, prompt }: { readonly envelope: Envelope; readonly prompt: Prompt.Prompt },
    { caller, method }: Pick<rescuedCalls.Call, "caller" | "method">
  ): rescuedCalls.Call => ({
    method,
    envelope,
    by: { route, rows },
    session: Context.merge(services, settings),
    caller,
    promptOf: () => Effect.map(surface.state, (state) => render(prompt, state.surface, { bindsThinking, sourceOf }))
  })

  const whole =
    <A extends rescuedCalls.Answer>(method: string, call: Call<A>) =>
    (given: rescuedCalls.CallOptions) =>
      // a scope of its own: what a tool acquires belongs to the caller's
      Effect.scopedWith((scope) =>
        Effect.gen(function* () {
          const caller = yield* Effect.context<never>()
          const { options, ...prepared } = yield* prepare(given)
          const conversation = yield* Scope.extend(memory.scoped(prepared.prompt), scope)
          if (Option.isNone(conversation)) return yield* call(options)
          const request = inConversation(conversation.value, prepared, { caller, method })
          return yield* rescuedCalls.whole(request, (prompt) => call({ ...options, prompt }))
        })
      ).pipe(Effect.catchAllCause((cause) => Effect.failCause(unsealed(cause))))

  const streamText = (given: rescuedCalls.CallOptions) =>
    Stream.unwrap(
      Effect.map(Effect.context<never>(), (caller) =>
        Stream.unwrapScoped(
          Effect.gen(function* () {
            const { options, ...prepared } = yield* prepare(given)
            const conversation = yield* memory.scoped(prepared.prompt)
            if (Option.isNone(conversation)) return stream(options)
            const request = inConversation(conversation.value, prepared, { caller, method: "streamText" })
            return rescuedCalls.streamed(request, (prompt) => stream({ ...options, prompt }))
          })
        )
      )
    ).pipe(Stream.mapErrorCause(unsealed))

  return LanguageModel.LanguageModel.of({
    generateText: whole("generateText", inner.generateText as unknown as Call<rescuedCalls.Answer>),
    generateObject: whole("generateObject", inner.generateObject as unknown as Call<rescuedCalls.Answer>),
    streamText
  } as unknown as LanguageModel.Service)
})

/**
 * Guards any `LanguageModel`: `Layer.provide(Guarded.layer({ window: 200_000 }), AnthropicLanguageModel.layer(…))`.
 *
 * What the application gives stays what it is: prompts, tools, `Chat`, structured answers, streams. Each call's prompt is
 * taken for a conversation; what it has in common with an earlier one costs nothing again.
 *
 * - Before a call, if its prompt would fill the policy's share of the window, old tool results are cut and then the old part
 *   is summarised, once: the next calls of the conversation go on from there. An edited history, or one that forks, goes on
 *   from the newest summary that stands for nothing but what it has in common.
 * - A call that the provider refuses as too long is sent again, smaller. A stream is sent again only as long as no content of
 *   it came out. Where a tool ran nothing is, and a tool's own overflow is a tool's failure.
 * - What is sent is what came in, the very messages, but for the summary and the results that were cut. System messages
 *   are sent as they are. Reasoning that a model would refuse behind a summary is left out.
 * - What a call fails with is what it would have failed with: the provider's own error of the last attempt, the same value. A
 *   stream that ends without a finish part, and an empty answer that nothing was counted for, are failures too. Some errors of
 *   the provider packages show the request's headers, and the API key in them, when they are printed or turned to JSON: what an
 *   application logs of them is its own care, here as without the guard.
 * - Calls in parallel never wait for each other; of two on one conversation the second starts from its newest summary.
 *
 * A call whose result is missing gets one that says so, and a result without its call becomes a text, since no provider
 * takes half a pair. A prompt that ends with open calls is sent as it is.
 *
 * The memory is the layer's: it is to be provided once, where the application is put together, and not around each call. One
 * guard is for one model, whose window it knows.
 *
 * With `HttpEvidence` under the provider's client, refusals that its package hides are seen too: for streams of OpenAI that
 * is how an overflow is told.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: {
  (
    options: Options & { readonly policy: PolicyOptions }
  ): Layer.Layer<LanguageModel.LanguageModel, PolicyInvalid, LanguageModel.LanguageModel>
  (options?: Omit<Options, "policy">): Layer.Layer<LanguageModel.LanguageModel, never, LanguageModel.LanguageModel>
} = ({ policy, ...options }: Options = {}) => {
  const guarded = Layer.scoped(LanguageModel.LanguageModel, make(options))
  return (policy === undefined ? guarded : Layer.provide(guarded, CompactionPolicy.layer(policy))) as Layer.Layer<
    LanguageModel.LanguageModel,
    never,
    LanguageModel.LanguageModel
  >
}
