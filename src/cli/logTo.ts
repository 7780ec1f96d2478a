/**
 * What the library logs goes to where the progress is: stdout is the report's.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

/**
 * @since 0.1.0
 * @category layers
 */
export const logTo = (line: (text: string) => void): Layer.Layer<never> =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ cause, logLevel, message }) => {
      const words = (Array.isArray(message) ? message : [message]).map(String).join(" ")
      const why = Cause.isEmpty(cause) ? "" : `: ${Cause.pretty(cause).split("\n", 1)[0]}`
      line(`${logLevel.label.toLowerCase()}: ${words}${why}`)
    })
  )
