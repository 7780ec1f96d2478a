// The thread of the recorded session: questions that somebody who looks after this repository has, and how an agent
// goes about them.
import { chinese, questions } from "./details.mjs"
import { effect, platform } from "./libraries.mjs"
import { checks, history, orientation } from "./state.mjs"

/** In the order of a working day: looking around, checking, digging, and questions in between. */
export const investigations = () => {
  const groups = [
    orientation,
    questions.slice(0, 2),
    checks.slice(0, 2),
    platform.slice(0, 2),
    effect.slice(0, 2),
    chinese.slice(0, 1),
    platform.slice(2, 5),
    history.slice(0, 2),
    questions.slice(2, 4),
    checks.slice(2),
    chinese.slice(1),
    platform.slice(5),
    effect.slice(2),
    history.slice(2),
    questions.slice(4)
  ]
  return groups.flat()
}
