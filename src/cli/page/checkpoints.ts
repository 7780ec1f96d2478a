/**
 * The compactions of a session, and what each took off.
 *
 * @since 0.1.0
 */
import type { Checkpoint, SessionReport } from "../inspect/report.ts"
import { percent, whole } from "../say.ts"
import { element, section } from "./dom.ts"
import { heavyTable, partTable } from "./tables.ts"

const shadowed = (checkpoint: Checkpoint, generation: number, window: number): ReadonlyArray<Node> => {
  const { after, before, place, shadowed: gone, tokens, words } = checkpoint
  return [
    element("h3", {}, `Generation ${generation}, before ${place}`),
    element(
      "p",
      {},
      `${whole(before)} tokens became ${whole(after)}, ${percent(before === 0 ? 0 : 1 - after / before)} less. ${whole(gone.messages)} messages gave way to ${whole(tokens)} tokens${words === "" ? "." : ", which begin:"}`
    ),
    ...(words === "" ? [] : [element("blockquote", {}, words)]),
    partTable("What was taken off", gone.parts, window),
    ...(gone.heaviest.length === 0
      ? []
      : [heavyTable("The heaviest messages that were taken off", gone.heaviest, window, "of the window")])
  ]
}

/**
 * A button for each compaction; the one that is pressed shows what it shadowed. Null where the file records none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const checkpoints = (session: SessionReport): HTMLElement | null => {
  const { checkpoints: found, window } = session
  if (found.length === 0) return null
  const panel = element("div", { id: "shadowed", "aria-live": "polite" })
  const buttons = found.map((checkpoint, i) =>
    element(
      "button",
      { type: "button", "aria-controls": "shadowed", "aria-pressed": "false", "data-generation": String(i + 1) },
      `${whole(i + 1)}: ${checkpoint.place}, ${whole(checkpoint.before)} to ${whole(checkpoint.after)}`
    )
  )
  const show = (index: number): void => {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === index)))
    panel.replaceChildren(...shadowed(found[index]!, index + 1, window.tokens))
  }
  buttons.forEach((button, i) => button.addEventListener("click", () => show(i)))
  show(0)
  return section(
    "checkpoints",
    "Compactions in the file",
    element("p", {}, "Each shows what it shadowed: the messages that the model no longer saw from there on."),
    element("ol", { class: "choices" }, ...buttons.map((button) => element("li", {}, button))),
    panel
  )
}
