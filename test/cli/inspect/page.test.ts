import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser } from "playwright-core"
import { pageAssets } from "../../../scripts/bundle.mjs"
import { render } from "../../../src/cli/inspect/html.ts"
import { drawn, stretches } from "../../../src/cli/page/thin.ts"
import type { Report } from "../../../src/cli/inspect/report.ts"
import { barriers, faults, launch, missing, opened } from "./browser.ts"
import { inspected, long, reportOf } from "./sessions.ts"

/** Compacted several times, in few steps. */
const compacted = long(40, "", 25_000)

const hostile = `</script><script>window.broken = 1</script><img src=x onerror="window.broken = 2">&lt;$&' `

describe("what is drawn of many steps", () => {
  it("is all of few, and of many the peaks", () => {
    assert.deepStrictEqual(drawn([3, 1, 2], 10), [0, 1, 2])
    const values = Array.from({ length: 10_000 }, (_, i) => (i === 5_003 ? 99 : i === 7_777 ? -5 : i % 7))
    const places = drawn(values, 400)
    assert.isAtMost(places.length, 410)
    assert.includeMembers([...places], [0, 5_003, 7_777, 9_999])
    assert.deepStrictEqual(
      [...places],
      [...places].sort((a, b) => a - b)
    )
  })

  it("covers each step once where several share a row", () => {
    const found = stretches(1_003, 200)
    assert.isAtMost(found.length, 200)
    assert.strictEqual(found[0]?.from, 0)
    assert.strictEqual(found.at(-1)?.to, 1_003)
    assert.isTrue(found.every(({ from }, i) => i === 0 || from === found[i - 1]!.to))
    assert.deepStrictEqual(stretches(0, 10), [])
  })
})

describe("the page as text", () => {
  const report = { ...reportOf(inspected(long(6, hostile))), file: `${hostile}.jsonl` }

  it("holds what a transcript says as data alone", async () => {
    const page = render(report, { script: "void 0", style: "" })
    assert.strictEqual(page.match(/<script/gu)?.length, 2)
    assert.strictEqual(page.match(/<\/script/gu)?.length, 2)
    assert.notInclude(page, "<img")
    const data = /<script type="application\/json" id="report">(.*?)<\/script>/su.exec(page)?.[1]
    assert.deepStrictEqual(JSON.parse(data!), JSON.parse(JSON.stringify(report)))
  })

  it("lets no address in, and is one file", async () => {
    const assets = await pageAssets()
    const page = render(report, assets)
    assert.include(page, "default-src 'none'")
    assert.notMatch(page, /<(?:link|img|iframe|object)\b/u)
    assert.notMatch(assets.style, /url\(|@import/u)
  })
})

describe.skipIf(missing !== undefined)(`the page in a browser${missing === undefined ? "" : `: ${missing}`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "effect-compaction-page-"))
  let browser: Browser
  let write: (name: string, report: Report) => string

  beforeAll(async () => {
    const assets = await pageAssets()
    write = (name, report) => {
      const path = join(folder, name)
      writeFileSync(path, render(report, assets))
      return pathToFileURL(path).href
    }
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const open = (address: string, width: number, scheme: "light" | "dark") =>
    opened(browser, address, { width, scheme, drawn: "#composition-chart svg" })

  it.each(
    (["light", "dark"] as const).flatMap((scheme) => [400, 1_000, 1_600].map((width) => [scheme, width] as const))
  )("is whole and can be used by everyone: %s, %i pixels", async (scheme, width) => {
    const address = write("whole.html", reportOf(inspected(compacted), { ...inspected(long(4)), id: "agent" }))
    const { asked, complaints, page } = await open(address, width, scheme)
    assert.deepStrictEqual(await faults(page), [])
    for (const details of await page.$$("details"))
      await details.evaluate((element) => element.setAttribute("open", ""))
    assert.deepStrictEqual(await faults(page), [])
    // it looks for long, and these two have both colours and both layouts
    const isLookedAt = (width === 400 && scheme === "dark") || (width === 1_000 && scheme === "light")
    assert.deepStrictEqual(isLookedAt ? await barriers(page) : [], [])
    assert.deepStrictEqual(complaints, [])
    assert.deepStrictEqual(asked, [address])
    await page.close()
  })

  it("shows what a compaction shadowed, by keyboard alone, and marks where the focus is", async () => {
    const report = reportOf(inspected(compacted))
    const { page } = await open(write("keys.html", report), 1_000, "light")
    const before = await page.textContent("#shadowed h3")
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab")
      const generation = await page.evaluate(() => document.activeElement?.getAttribute("data-generation"))
      if (generation === "2") break
    }
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)
    assert.strictEqual(outline, "solid")
    await page.keyboard.press("Enter")
    const after = await page.textContent("#shadowed h3")
    assert.notStrictEqual(after, before)
    assert.match(after!, /^Generation 2/u)
    assert.include(await page.textContent("#shadowed"), String(report.sessions[0]!.checkpoints[1]!.shadowed.messages))
    assert.deepStrictEqual(
      await page.$$eval("[data-generation]", (buttons) => buttons.slice(0, 3).map((button) => button.ariaPressed)),
      ["false", "true", "false"]
    )
    await page.close()
  })

  it("shows it where the compaction is clicked in the chart too", async () => {
    const report = reportOf(inspected(compacted))
    const { page } = await open(write("click.html", report), 1_000, "light")
    const line = page.locator('#pressure-chart g[aria-label="rule"][stroke="var(--checkpoint)"] line').nth(2)
    const box = (await line.boundingBox())!
    await page.mouse.click(box.x + 4, box.y + box.height / 2)
    assert.match((await page.textContent("#shadowed h3"))!, /^Generation 3/u)
    await page.close()
  })

  it("chooses between the sessions of a file", async () => {
    const { page } = await open(
      write("several.html", reportOf(inspected(long(6)), { ...inspected(long(40)), id: "larger" })),
      1_000,
      "light"
    )
    assert.strictEqual(await page.inputValue("#choose"), "1")
    await page.selectOption("#choose", "0")
    assert.include(await page.textContent("section dl"), "6 requests")
    await page.close()
  })

  it("shows markup in a transcript as what it is", async () => {
    const report = { ...reportOf(inspected(long(60, hostile))), file: `${hostile}.jsonl` }
    const { complaints, page } = await open(write("hostile.html", report), 1_000, "light")
    assert.isUndefined(await page.evaluate(() => (globalThis as { readonly broken?: unknown }).broken))
    assert.strictEqual(await page.locator("img").count(), 0)
    assert.include(await page.textContent("main"), "</script><script>window.broken = 1</script>")
    assert.include(await page.textContent("header"), "<img src=x")
    assert.deepStrictEqual(complaints, [])
    await page.close()
  })

  it("draws a session of 10,000 messages without an element for each", async () => {
    const { complaints, page } = await open(write("large.html", reportOf(inspected(long(4_700)))), 1_000, "light")
    assert.deepStrictEqual(complaints, [])
    assert.isBelow(await page.locator("*").count(), 12_000)
    assert.deepStrictEqual(await faults(page), [])
    await page.close()
  })

  it("prints with everything in it, dark on light", async () => {
    const { page } = await open(write("print.html", reportOf(inspected(compacted))), 1_000, "dark")
    await page.emulateMedia({ media: "print", colorScheme: "dark" })
    const surface = await page.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue("--surface").trim()
    )
    assert.match(surface, /^#fff/u)
    const cut = await page.$$eval(".scroll, .choices", (all) =>
      all.filter((element) => element.scrollHeight > element.clientHeight + 1).map((element) => element.className)
    )
    assert.deepStrictEqual(cut, [])
    await page.close()
  })
})
