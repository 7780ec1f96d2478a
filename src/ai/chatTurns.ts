/**
 * The turns of a chat: what a call says, what it is answered, and edits of the history before, between and in them.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as ChatHistory from "./chatHistory.ts"
import type * as ChatLog from "./chatLog.ts"
import { HistoryRef } from "./HistoryRef.ts"

type Messages = ReadonlyArray<Prompt.Message>

const isSame = (a: Messages, b: Messages): boolean => a.length === b.length && ChatHistory.inCommon(a, b) === a.length

/**
 * One turn at a time: whoever holds the lock.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (log: ChatLog.ChatLog, session: string) {
  const lock = yield* Effect.makeSemaphore(1)
  let written = Prompt.fromMessages(log.messages())

  /** What the log holds now, for a history that nobody has changed since it was `before`. */
  const settle = (before: Prompt.Prompt) => {
    written = Prompt.fromMessages(log.messages())
    if (history.current === before) history.current = written
  }

  /** Writes what the application changed. */
  const write: Effect.Effect<void, ChatLog.WriteError> = Effect.suspend(() => {
    const { current } = history
    if (current === written) return Effect.void
    const have = log.messages()
    const common = ChatHistory.inCommon(have, current.content)
    const isLonger = common === have.length && log.unanswered().length === 0
    return Effect.map(
      isLonger ? log.append(current.content.slice(common)) : log.rewrite(common, current.content, []),
      () => settle(current)
    )
  })

  /** The call has its answer, or its failure: that an edit waits for the next call takes nothing away from it. */
  const writeOrWait = Effect.catchAllCause(write, (cause) =>
    Effect.logWarning(
      `session "${session}": a change of a chat's history is not written yet; the next call tries again`,
      cause
    )
  )

  const history = new HistoryRef(Effect.asVoid(lock.withPermitsIfAvailable(1)(writeOrWait)))
  history.current = written

  /** The log has got longer: what the application changed meanwhile goes on. */
  const rebase = () => {
    const before = written.content
    const { current } = history
    written = Prompt.fromMessages(log.messages())
    if (current.content === before) {
      history.current = written
      return
    }
    const added = written.content.slice(before.length)
    const common = ChatHistory.inCommon(before, current.content)
    history.current = Prompt.fromMessages(
      common === before.length ? [...written.content, ...current.content.slice(common)] : [...current.content, ...added]
    )
  }

  return {
    lock,
    history,
    /** Opens a turn. What an earlier one asked in vain is asked again if it is the same, and else taken back. */
    begin: (asked: Messages): Effect.Effect<void, ChatLog.WriteError> =>
      Effect.gen(function* () {
        if (yield* log.refresh) rebase()
        yield* write
        const waiting = log.unanswered()
        if (waiting.length === 0) yield* log.ask(asked)
        else if (!isSame(waiting, asked)) {
          const have = log.messages()
          yield* log.rewrite(have.length, have, asked)
        }
        yield* log.closeCalls
      }),
    /** The system messages of the turn's requests. */
    system: (): ReadonlyArray<Prompt.SystemMessage> =>
      [...log.messages(), ...log.unanswered()].filter((message) => message.role === "system"),
    /** The turn has its answer; `interrupted`: what came of it. */
    answered: (answer: Messages, interrupted: boolean): Effect.Effect<void, ChatLog.WriteError> =>
      Effect.zipRight(
        log.answer(answer, interrupted),
        Effect.suspend(() => {
          rebase()
          return writeOrWait
        })
      ),
    /** The turn has none: the history stays as it was. */
    failed: writeOrWait
  }
})

/**
 * @since 0.1.0
 * @category models
 */
export type ChatTurns = Effect.Effect.Success<ReturnType<typeof make>>
