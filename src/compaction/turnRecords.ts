/**
 * The records that open a turn, let queued context join it, and close it.
 *
 * @since 0.1.0
 */
import type * as Message from "../session/Message.ts"
import type * as SessionEvent from "../session/SessionEvent.ts"
import { abortedResult, appending, type Draft } from "./drafts.ts"
import type { SessionState } from "./SessionState.ts"

/**
 * A new turn with its prompt. A turn or step whose end could not be written is closed before it, and context that was
 * queued for one that never began joins first.
 *
 * @since 0.1.0
 * @category constructors
 */
export const openingPrompt = (state: SessionState, prompt: Message.Message): ReadonlyArray<Draft> => {
  const start: Draft = { type: "turn/start", data: { turn: state.turn + 1 } }
  const stale = closing(state, { outcome: "interrupted", settled: true })
  if (state.openTurn !== undefined) return [...stale, start, ...appending([], [prompt], "prompt")]
  const { unanswered } = state.surface
  return [
    ...stale,
    start,
    ...(unanswered.length === 0 ? joining(state) : []),
    ...appending(unanswered, [prompt], "prompt")
  ]
}

/**
 * Context that came while a turn ran or waited, for a place where no call is open.
 *
 * @since 0.1.0
 * @category constructors
 */
export const joining = (state: SessionState): ReadonlyArray<Draft> =>
  Array.from(state.queued).flatMap(([seq, message]) =>
    appending([], [message], "context").map((draft): Draft =>
      draft.type === "message/user" ? { ...draft, data: { ...draft.data, queued: seq } } : draft
    )
  )

/**
 * A suspended turn that goes on: the results that came, and, where no call is left without one, the context that waited.
 *
 * @since 0.1.0
 * @category constructors
 */
export const openingResume = (
  state: SessionState,
  turn: number,
  results: ReadonlyArray<Draft>
): ReadonlyArray<Draft> => [
  { type: "turn/start", data: { turn } },
  ...results,
  ...(results.length === state.surface.unanswered.length ? joining(state) : [])
]

/**
 * Closes a turn, whatever ended it, in one batch: results of the calls that are open, what was queued meanwhile, the step,
 * the turn. The calls of a suspended turn, and of an application's own loop, wait for their results.
 *
 * @since 0.1.0
 * @category constructors
 */
export const closing = (
  state: SessionState,
  end: Omit<SessionEvent.BodyOf<"turn/end">["data"], "turn">,
  results: ReadonlyArray<Draft> = state.surface.unanswered.map(abortedResult)
): ReadonlyArray<Draft> => {
  const { openTurn } = state
  const drafts: Array<Draft> = []
  if (openTurn !== undefined && end.outcome !== "suspended") drafts.push(...results, ...joining(state))
  drafts.push(...closingStep(state, end))
  if (openTurn !== undefined) drafts.push({ type: "turn/end", data: { turn: openTurn, ...end } })
  return drafts
}

/**
 * Closes the step that is open, if one is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const closingStep = (
  { openStep }: SessionState,
  end: Pick<SessionEvent.BodyOf<"turn/end">["data"], "outcome" | "settled">
): ReadonlyArray<Draft> =>
  openStep === undefined
    ? []
    : [
        {
          type: "step/end",
          data: {
            turn: openStep.turn,
            step: openStep.step,
            outcome: end.outcome === "failed" ? "failed" : "interrupted",
            ...(end.settled === true ? { settled: true } : {})
          }
        }
      ]

/**
 * Closes what a dead writer left open, newest first. Closing twice gives nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const settling = (state: SessionState): ReadonlyArray<Draft> => {
  const drafts: Array<Draft> = []
  if (state.openCompaction !== undefined) {
    const { id } = state.openCompaction
    drafts.push({ type: "compaction/end", data: { id, outcome: "interrupted", settled: true } })
  }
  return [...drafts, ...closing(state, { outcome: "interrupted", settled: true })]
}
