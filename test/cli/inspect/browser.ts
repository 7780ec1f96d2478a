// Debian's browser, driven from here. Where there is none, tests that need it skip themselves with a message.
import { existsSync } from "node:fs"
import { type Browser, chromium, type Page } from "playwright-core"
import { analyze } from "./axe.ts"

const executablePath = "/usr/bin/chromium"

export const missing = existsSync(executablePath)
  ? undefined
  : "chromium is not on this machine (apt-get install chromium)"

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync"
    ]
  })

export interface Opened {
  readonly page: Page
  readonly complaints: ReadonlyArray<string>
  readonly asked: ReadonlyArray<string>
}

/** The page at this address once what `drawn` selects is there, what it complained of, and what it asked for. */
export const opened = async (
  browser: Browser,
  address: string,
  look: { readonly width: number; readonly scheme: "light" | "dark"; readonly drawn: string }
): Promise<Opened> => {
  const page = await browser.newPage({ viewport: { width: look.width, height: 900 }, colorScheme: look.scheme })
  const complaints: Array<string> = []
  const asked: Array<string> = []
  page.on("console", (message) => complaints.push(message.text()))
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("request", (request) => asked.push(request.url()))
  await page.goto(address)
  await page.waitForSelector(look.drawn)
  return { page, complaints, asked }
}

/** Texts of the charts, headings, legends and controls that stand over each other; what is cut off at a side. */
export const faults = (page: Page) =>
  page.evaluate(() => {
    const found: Array<string> = []
    const texts = [...document.querySelectorAll("svg text, h1, h2, h3, .legend li, button, summary, dt, dd, caption")]
    const boxes = texts
      // closed details have a place on the page all the same
      .filter((element) => element.checkVisibility())
      .map((element) => {
        const box = element.getBoundingClientRect()
        // what is scrolled out of sight covers nothing
        const frame = element.closest(".scroll, .choices")?.getBoundingClientRect() ?? box
        const top = Math.max(box.top, frame.top)
        const bottom = Math.min(box.bottom, frame.bottom)
        return { words: element.textContent ?? "", box: { left: box.left, right: box.right, top, bottom } }
      })
      .filter(({ box, words }) => words.trim() !== "" && box.right > box.left && box.bottom > box.top)
    boxes.forEach((a, i) => {
      if (a.box.left < -0.5 || a.box.right > innerWidth + 0.5) found.push(`${a.words} is cut off`)
      for (const b of boxes.slice(i + 1)) {
        const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left)
        const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top)
        if (across > 1 && down > 1) found.push(`${a.words} and ${b.words} overlap`)
      }
    })
    const { scrollWidth } = document.documentElement
    if (scrollWidth > innerWidth) found.push(`the page is ${scrollWidth} wide in ${innerWidth}`)
    return found
  })

/** What keeps people with disabilities from using it. */
export const barriers = async (page: Page): Promise<ReadonlyArray<string>> => {
  const { violations } = await analyze(page)
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
}
