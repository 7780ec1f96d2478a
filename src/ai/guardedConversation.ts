/**
 * One conversation of a guard: a session in memory, which takes in the application's messages and gives back the prompt to
 * send.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { appending } from "../compaction/drafts.ts"
import type { LogWriteFailed } from "../errors/SessionError.ts"
import * as Redaction from "../layers/Redaction.ts"
import * as Session from "../layers/Session.ts"
import type { CompactService } from "../services/CompactService.ts"
import { LogStore } from "../services/LogStore.ts"
import type { ModelAdapter } from "../services/ModelAdapter.ts"
import { SessionId } from "../services/SessionId.ts"
import type { Summarizer } from "../services/Summarizer.ts"
import { Surface } from "../services/Surface.ts"
import type { TokenMeter } from "../services/TokenMeter.ts"
import type { Message } from "../session/Message.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as PromptMessage from "./PromptMessage.ts"
import * as sourceLog from "./sourceLog.ts"

/**
 * A message that belongs to the session; system messages belong to the envelope.
 *
 * @since 0.1.0
 * @category models
 */
export type Said = Exclude<Prompt.Message, Prompt.SystemMessage>

/**
 * @since 0.1.0
 * @category models
 */
export interface Conversation {
  readonly surface: typeof Surface.Service
  readonly services: Context.Context<Surface | TokenMeter | CompactService>
  readonly sourceOf: sourceLog.SourceLog["sourceOf"]
  /** How many messages it took in. */
  readonly length: () => number
  /** Takes in what it does not have of these: its own are the first of them. */
  readonly takeIn: (messages: ReadonlyArray<Said>) => Effect.Effect<void, LogWriteFailed>
  readonly close: Effect.Effect<void>
}

/**
 * @since 0.1.0
 * @category predicates
 */
export const isSaid = (message: Prompt.Message): message is Said => message.role !== "system"

/**
 * A conversation that took in nothing yet, or begins with a checkpoint that stands for its first messages.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* ({
  begins,
  id,
  scope,
  shared
}: {
  readonly id: string
  readonly begins: { readonly length: number; readonly message: Message } | undefined
  readonly shared: Layer.Layer<ModelAdapter | Summarizer>
  readonly scope: Scope.CloseableScope
}): Effect.fn.Return<Conversation> {
  const log = sourceLog.make()
  const services = yield* Layer.buildWithScope(
    Session.layerWithoutLoop.pipe(
      // nothing is kept here, and what is sent is the application's own: its results are not masked
      Layer.provide([Layer.succeed(SessionId, id), Layer.succeed(LogStore, log.store), Redaction.layerNone, shared]),
      // an empty log is neither locked nor damaged
      Layer.orDie
    ),
    scope
  )
  const surface = Context.get(services, Surface)
  let length = 0
  // what is taken in first behind a checkpoint of another conversation was said behind what that stands for
  let displaced = begins !== undefined
  if (begins !== undefined) {
    const { message } = begins
    const state = yield* Effect.orDie(
      surface.commit(() => [{ type: "message/user", data: { message, source: "checkpoint" } }])
    )
    log.appended(state.revision - 1, state.revision, { from: 0, to: begins.length, untouched: false })
    length = begins.length
  }

  const take = (message: Said) =>
    Effect.gen(function* () {
      const { revision } = yield* surface.state
      let untouched = true
      const after = yield* surface.commit(({ surface: { unanswered } }) =>
        appending(unanswered, PromptMessage.decodeMessage(message), "prompt", () => (untouched = false))
      )
      log.appended(revision, after.revision, { from: length, to: length + 1, untouched, displaced })
      length++
    })

  return {
    surface,
    services,
    sourceOf: log.sourceOf,
    length: () => length,
    takeIn: (messages) =>
      Effect.suspend(() => Effect.forEach(messages.slice(length), take, { discard: true })).pipe(
        Effect.ensuring(Effect.sync(() => (displaced = false)))
      ),
    close: Scope.close(scope, Exit.void)
  }
})

/** Nodes that stand for the same message of the application, next to each other. */
interface Group {
  readonly source: sourceLog.Source | undefined
  readonly messages: Array<Message>
  readonly displaced: boolean
}

const groupsOf = (surface: SurfaceState.SurfaceState, sourceOf: Conversation["sourceOf"]): ReadonlyArray<Group> => {
  const groups: Array<Group> = []
  // a replacement's seq is above those of what stands behind it
  let newest = -1
  for (const { message, seq } of SurfaceState.nodes(surface)) {
    const source = sourceOf(seq)
    const displaced = newest > seq || source?.displaced === true
    newest = Math.max(newest, seq)
    const before = groups.at(-1)
    const isSame = before !== undefined && source !== undefined && before.source?.from === source.from
    if (!isSame) groups.push({ source, messages: [message], displaced })
    else {
      before.messages.push(message)
      if (!source.untouched) groups[groups.length - 1] = { ...before, source }
    }
  }
  return groups
}

/** Undefined: it was nothing else. */
const withoutReasoning = (message: Prompt.Message): Prompt.Message | undefined => {
  if (message.role !== "assistant" || !message.content.some((part) => part.type === "reasoning")) return message
  const content = message.content.filter((part) => part.type !== "reasoning")
  return content.length === 0 ? undefined : Prompt.makeMessage("assistant", { content, options: message.options })
}

/**
 * The prompt to send in place of the one that the application gave. What nobody touched is the very message that came in;
 * the system messages stand before the message that they stood before. If nothing was touched, it is the prompt that came in.
 * `bindsThinking`: the model refuses reasoning behind anything else than what it was made behind, so that is left out.
 *
 * @since 0.1.0
 * @category conversions
 */
export const render = (
  prompt: Prompt.Prompt,
  surface: SurfaceState.SurfaceState,
  { bindsThinking, sourceOf }: { readonly bindsThinking: boolean; readonly sourceOf: Conversation["sourceOf"] }
): Prompt.Prompt => {
  const places = prompt.content.flatMap((message, place) => (isSaid(message) ? [place] : []))
  const groups = groupsOf(surface, sourceOf)
  if (groups.length === places.length && groups.every(({ source }) => source?.untouched === true)) return prompt
  const messages: Array<Prompt.Message> = []
  let next = 0
  const systemBefore = (place: number) => {
    for (; next < place; next++) {
      const message = prompt.content[next]!
      if (message.role === "system") messages.push(message)
    }
  }
  for (const { displaced, messages: ours, source } of groups) {
    const place = source === undefined ? undefined : places[source.from]
    if (place !== undefined) systemBefore(place)
    const given = place === undefined ? undefined : prompt.content[place]
    const sent = source?.untouched === true && given !== undefined ? [given] : PromptMessage.encodeMessages(ours)
    messages.push(...(bindsThinking && displaced ? sent.flatMap((message) => withoutReasoning(message) ?? []) : sent))
  }
  systemBefore(prompt.content.length)
  return Prompt.fromMessages(messages)
}

/**
 * The checkpoint that its surface begins with, and how many messages it stands for.
 *
 * @since 0.1.0
 * @category getters
 */
export const checkpointOf = (
  surface: SurfaceState.SurfaceState,
  sourceOf: Conversation["sourceOf"]
): { readonly length: number; readonly message: Message } | undefined => {
  const node = SurfaceState.nodeAt(surface, 0)
  const source = node === undefined ? undefined : sourceOf(node.seq)
  return node?.source === "checkpoint" && source !== undefined
    ? { length: source.to, message: node.message }
    : undefined
}
