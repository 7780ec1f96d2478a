/**
 * A chat's side of its session's log: what it says is written there, and so are edits of what was said.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { abortedResult, appending, type Draft } from "../compaction/drafts.ts"
import type { SessionState } from "../compaction/SessionState.ts"
import type { CompactionBusy, InvalidReplacement, SpanChanged } from "../errors/CompactionError.ts"
import type { LogWriteFailed, OpenError } from "../errors/SessionError.ts"
import type { Surface, Ticket } from "../services/Surface.ts"
import * as Message from "../session/Message.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as ChatHistory from "./chatHistory.ts"

/**
 * What writing a chat's log may fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type WriteError = LogWriteFailed | OpenError | CompactionBusy | InvalidReplacement | SpanChanged

type Messages = ReadonlyArray<Prompt.Message>

const draftsOf = (
  unanswered: SessionState["surface"]["unanswered"],
  messages: Messages,
  asked: boolean
): ReadonlyArray<Draft> =>
  appending(
    unanswered,
    messages.flatMap((message) => ChatHistory.logged(message, asked)),
    "prompt"
  )

const markDraft = (keep: number, gone: number) =>
  ({ type: "message/user", data: { message: ChatHistory.editMark(keep, gone), source: "context" } }) as const

/** It belongs to what the call says, and waits for its answer. */
const abortedDraft = (call: Message.OpenCall): Draft => {
  const draft = abortedResult(call)
  return { ...draft, data: { ...draft.data, metadata: ChatHistory.askedMetadata } } as Draft
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (surface: typeof Surface.Service) {
  const read = (history: ChatHistory.ChatHistory) =>
    Effect.as(
      Stream.runForEach(surface.history(0), (event) => Effect.sync(() => history.take(event))),
      history
    )

  let history = yield* read(ChatHistory.make())
  let newest = (yield* surface.state).newest

  /** Takes in what was written at these places. */
  const taken = (drafts: ReadonlyArray<Draft>, state: SessionState) => {
    const first = state.revision - drafts.length
    for (const [i, draft] of drafts.entries()) history.take({ ...draft, seq: first + i })
    newest = state.newest
  }

  const commit = (drafts: (state: SessionState) => ReadonlyArray<Draft>) =>
    Effect.suspend(() => {
      let written: ReadonlyArray<Draft> = []
      return Effect.map(
        surface.commit((state) => (written = drafts(state))),
        (state) => taken(written, state)
      )
    })

  const append = (messages: Messages, asked: boolean) =>
    messages.length === 0
      ? Effect.void
      : Effect.zipRight(
          surface.whenNoRun,
          commit((state) => draftsOf(state.surface.unanswered, messages, asked))
        )

  /** The first place on the surface, between units, of what does not belong to the first `keep` messages. */
  const cutAt = (state: SurfaceState.SurfaceState, keep: number, known: ChatHistory.ChatHistory): number => {
    let at = 0
    for (const { seq } of SurfaceState.counted(state)) {
      const place = known.placeOf(seq)
      if (place === undefined || place.to > keep) break
      at++
    }
    while (at > 0 && !SurfaceState.isBetweenUnits(state, at)) at--
    return at
  }

  const rewriteAt = (
    ticket: Ticket,
    at: number,
    known: ChatHistory.ChatHistory,
    messages: Messages,
    asked: Messages
  ): Effect.Effect<void, WriteError> =>
    Effect.gen(function* () {
      const state = yield* surface.state
      const nodes = SurfaceState.nodes(state.surface, at)
      const before = SurfaceState.nodeAt(state.surface, at - 1)
      const keep = before === undefined ? 0 : (known.placeOf(before.seq)?.to ?? 0)
      const after = [...draftsOf([], messages.slice(keep), false), ...draftsOf([], asked, true)]
      // what holds nothing has no price, so that nothing is smaller than it
      if (nodes.every(({ message }) => Message.isEmpty(message))) {
        return yield* commit(() => [markDraft(keep, nodes.length), ...after])
      }
      const mark = markDraft(keep, 0)
      yield* surface.replace(ticket, {
        spans: [{ first: nodes[0]!.seq, last: nodes.at(-1)!.seq, by: mark }],
        expected: { surface: state.surface },
        records: (price, shadowed) => ({
          before: [
            {
              type: "compaction/prune",
              data: { id: ticket.id, trigger: ticket.trigger, rung: "edit", shadowed, price }
            }
          ],
          after
        })
      })
      taken([mark, ...after], yield* surface.state)
    }).pipe(
      // a last word that weighs no more than the mark in its place: the words before it are said again too
      Effect.catchTag("InvalidReplacement", (error) =>
        error.reason === "not-smaller" && at > 0
          ? Effect.flatMap(surface.state, ({ surface: nodes }) =>
              rewriteAt(ticket, SurfaceState.unitStart(nodes, at - 1), known, messages, asked)
            )
          : error
      )
    )

  return {
    /** What was said, by the log. */
    messages: (): Messages => history.messages(),
    /** What the newest call said that has no answer. */
    unanswered: (): Messages => history.unanswered(),
    isNew: () => history.isNew(),
    /** Reads again what somebody else has written; whether anybody has. */
    refresh: Effect.gen(function* () {
      const state = yield* surface.state
      if (state.newest === newest) return false
      history = yield* read(ChatHistory.make())
      newest = state.newest
      return true
    }),
    /** Adds to what was said. */
    append: (messages: Messages): Effect.Effect<void, LogWriteFailed> => append(messages, false),
    /** Adds what a call says. */
    ask: (messages: Messages): Effect.Effect<void, LogWriteFailed> => append(messages, true),
    /** A call whose results nobody brought would keep its request from being sent. */
    closeCalls: Effect.flatMap(surface.state, ({ surface: { unanswered } }) =>
      unanswered.length === 0 ? Effect.void : commit((state) => state.surface.unanswered.map(abortedDraft))
    ),
    /** Adds the answer of a call; `interrupted`: what came of it. */
    answer: (messages: Messages, interrupted: boolean): Effect.Effect<void, LogWriteFailed> =>
      commit((state) => {
        const drafts = draftsOf(state.surface.unanswered, messages, false)
        // an answer that says nothing ends its call too
        if (drafts.length === 0) return [{ type: "message/assistant", data: { message: Message.assistant([]) } }]
        return drafts.map((draft) =>
          interrupted && draft.type === "message/assistant" ? { ...draft, data: { ...draft.data, interrupted } } : draft
        )
      }),
    /**
     * Says `messages`, and `asked` in a call, in place of all but the first `keep` messages and of what has no answer. One
     * batch of the log: an edit lands whole or not at all.
     */
    rewrite: (keep: number, messages: Messages, asked: Messages): Effect.Effect<void, WriteError> =>
      surface.withTicket("manual", "wait", (ticket) =>
        Effect.gen(function* () {
          const known = yield* read(ChatHistory.make())
          const state = yield* surface.state
          yield* rewriteAt(ticket, cutAt(state.surface, keep, known), known, messages, asked)
        })
      )
  }
})

/**
 * @since 0.1.0
 * @category models
 */
export type ChatLog = Effect.Effect.Success<ReturnType<typeof make>>
