/**
 * Shows a turn as it happens.
 *
 * @since 0.1.0
 */
import type { TurnEvent } from "../../services/AgentLoop.ts"
import type { Progress } from "../../services/CompactService.ts"
import type { Terminal } from "./terminal.ts"
import { whole } from "../say.ts"

/**
 * @since 0.1.0
 * @category constructors
 */
export const show = (terminal: Pick<Terminal, "say" | "tell" | "endLine">) => {
  let thinks = false
  return (event: TurnEvent): void => {
    switch (event._tag) {
      case "StepStarted":
        thinks = false
        return terminal.endLine()
      case "ReasoningDelta":
        // what it thinks is long, and not said to anybody: that it does is told once a step
        if (!thinks) terminal.tell("(thinks …)")
        thinks = true
        return undefined
      case "TextDelta":
        return terminal.say(event.delta)
      case "StepDiscarded":
        return terminal.tell("(the request was refused as too long: what was said above is void)", "wrong")
      case "RequestRepeated":
        return terminal.tell(
          `(${event.error}: attempt ${event.attempt} failed, the next one is in ${whole(event.delay / 1_000)} s)`,
          "wrong"
        )
      case "Compacted":
        return terminal.tell(
          `(${event.trigger}: compacted by ${event.rungs.join(" and ")}, ${whole(event.before)} -> ${whole(event.after)} tokens, generation ${event.generation})`
        )
      case "WindowLearned":
        return terminal.tell(
          event.reason === "truncated"
            ? `(the server drops text and says nothing: it counted ${whole(event.counted)} of about ${whole(event.sent)} tokens; the window is taken for ${whole(event.window)} from now on)`
            : `(a request above the window of ${whole(event.believed)} tokens was answered; it is taken for ${whole(event.window)} from now on)`,
          "wrong"
        )
      case "TurnEnd":
        terminal.endLine()
        if (event.outcome === "output-limit") terminal.tell("(the answer was cut at the output limit)", "wrong")
        return undefined
      case "ToolCalled":
      case "ToolAnswered":
        // what a tool does it tells itself
        return terminal.endLine()
    }
  }
}

/**
 * A summary takes its time: says that one is being made.
 *
 * @since 0.1.0
 * @category constructors
 */
export const showProgress =
  (terminal: Terminal) =>
  (progress: Progress): void => {
    if (progress._tag === "RungStarted" && progress.rung === "summarise") {
      terminal.tell(`(${progress.trigger}: summarises ${whole(progress.price)} tokens …)`)
    }
  }
