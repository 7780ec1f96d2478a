/**
 * The page of a report, in the browser: reads the data that stands in the page, and shows it.
 *
 * @since 0.1.0
 */
import { type Report, version } from "../inspect/report.ts"
import { whole } from "../say.ts"
import { type Report as Simulation, version as simulationVersion } from "../simulate/report.ts"
import { element } from "./dom.ts"
import { view } from "./session.ts"
import { view as simulationView } from "./simulation.ts"

const data = JSON.parse(document.getElementById("report")?.textContent ?? "null") as Report | Simulation
const main = document.getElementById("page")!

/** A page and its data that were not made together. */
const refuse = (known: number): void => {
  main.textContent = `This page shows reports of version ${known}, and its data is of another one.`
}

const showSessions = (report: Report): void => {
  const body = element("div", { id: "session" })

  const show = (index: number): void => {
    const session = report.sessions[index]
    if (session !== undefined) body.replaceChildren(...view(session).filter((child) => child !== null))
  }

  const choice = (): HTMLElement | null => {
    if (report.sessions.length < 2) return null
    const select = element(
      "select",
      { id: "choose" },
      ...report.sessions.map(({ id, messages, said }, i) =>
        element("option", { value: String(i) }, `${id}: ${whole(messages)} messages, ${whole(said)} tokens`)
      )
    )
    select.addEventListener("change", () => show(Number(select.value)))
    return element("p", { class: "choose" }, element("label", { for: "choose" }, "Session"), " ", select)
  }

  const largest = report.sessions.reduce((best, { said }, i, all) => (said > (all[best]?.said ?? 0) ? i : best), 0)
  const chosen = choice()
  main.replaceChildren(...[chosen, body].filter((child) => child !== null))
  const select = chosen?.querySelector("select")
  if (select !== null && select !== undefined) select.value = String(largest)
  show(largest)
}

if ("variants" in data) {
  if (data.version === simulationVersion)
    main.replaceChildren(...simulationView(data).filter((child) => child !== null))
  else refuse(simulationVersion)
} else if (data.version === version) showSessions(data)
else refuse(version)
