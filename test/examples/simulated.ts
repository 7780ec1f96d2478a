import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"

// the examples take a real provider where there is a key for one: tests do not
delete process.env["DEEPSEEK_API_KEY"]

/** The lines that an effect logs. */
export const logged = <E, R>(effect: Effect.Effect<unknown, E, R>): Effect.Effect<ReadonlyArray<string>, E, R> =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => {
      lines.push(Array.isArray(message) ? message.join(" ") : String(message))
    })
    return Effect.as(Effect.provide(effect, Logger.replace(Logger.defaultLogger, logger)), lines)
  })
