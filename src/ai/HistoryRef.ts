/**
 * The history of a chat as the `Ref` that Effect AI's `Chat` has: whoever changes it changes the log too.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Readable from "effect/Readable"
import * as Ref from "effect/Ref"

const same = <A>(value: A): A => value

/**
 * @since 0.1.0
 * @category models
 */
export class HistoryRef extends Effectable.Class<Prompt.Prompt> implements Ref.Ref<Prompt.Prompt> {
  readonly [Ref.RefTypeId]: Ref.Ref.Variance<Prompt.Prompt>[Ref.RefTypeId] = { _A: same }
  readonly [Readable.TypeId]: Readable.TypeId = Readable.TypeId
  /** What it holds now. The chat sets it without writing: it has written it. */
  current: Prompt.Prompt = Prompt.empty
  readonly #changed: Effect.Effect<void>

  /** `changed` is run after each change from outside. */
  constructor(changed: Effect.Effect<void>) {
    super()
    this.#changed = changed
  }

  get: Effect.Effect<Prompt.Prompt> = Effect.sync(() => this.current)

  modify<B>(f: (history: Prompt.Prompt) => readonly [B, Prompt.Prompt]): Effect.Effect<B> {
    return Effect.suspend(() => {
      const [answer, next] = f(this.current)
      if (next === this.current) return Effect.succeed(answer)
      this.current = next
      return Effect.as(this.#changed, answer)
    })
  }

  commit(): Effect.Effect<Prompt.Prompt> {
    return this.get
  }
}
