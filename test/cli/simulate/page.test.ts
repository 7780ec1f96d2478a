import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser } from "playwright-core"
import { pageAssets } from "../../../scripts/bundle.mjs"
import { figuresOf } from "../../../src/cli/replay/figures.ts"
import { page as render } from "../../../src/cli/simulate/page.ts"
import { type Report, type VariantReport, version } from "../../../src/cli/simulate/report.ts"
import { runEstimator } from "../../../src/compaction/RunEstimator.ts"
import { barriers, faults, launch, missing, opened } from "../inspect/browser.ts"

const hostile = `</script><script>window.broken = 1</script><img src=x onerror="window.broken = 2">`

/** A saw that a policy of this name would make. */
const variant = (name: string, drop: number): VariantReport => {
  const series = Array.from({ length: 300 }, (_, i) => ({
    tokens: 2_000 + (i % drop) * 500,
    generation: Math.floor(i / drop),
    outcome: i % drop === drop - 1 ? ("refused" as const) : ("answered" as const)
  }))
  return {
    ...figuresOf([], { envelope: () => 0, message: () => 0 }, runEstimator),
    name,
    settings: { threshold: drop / 100 },
    recorded: 290,
    answered: 290,
    skipped: 0,
    tokensSent: 900_000,
    tokensSentWithout: 4_000_000,
    billed: { inputTokens: 900_000, cachedTokens: 700_000, outputTokens: 40_000 },
    spend: { calls: 4, inputTokens: 60_000, cachedTokens: 0, outputTokens: 4_000 },
    money: 1.5 + drop,
    unfit: [],
    failures: [],
    sessions: [
      { session: "one", series },
      { session: "two", series: series.slice(0, 20) }
    ]
  }
}

const report: Report = {
  version,
  transcript: `sessions/${hostile}.jsonl`,
  format: "openai-chat",
  window: 24_000,
  toldWindow: 32_000,
  prices: { input: 3, cached: 0.3, output: 15 },
  notes: ["2 turns begin without words of a user"],
  variants: [
    variant("lean", 30),
    variant("threshold 0.75, retain 0.1, of a file whose name is as long as people make them", 44),
    variant(hostile, 60)
  ]
}

describe.skipIf(missing !== undefined)(
  `the page of a simulation in a browser${missing === undefined ? "" : `: ${missing}`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "effect-compaction-page-"))
    const path = join(folder, "policies.html")
    const address = pathToFileURL(path).href
    let browser: Browser

    beforeAll(async () => {
      writeFileSync(path, render(report, await pageAssets()))
      browser = await launch()
    })
    afterAll(async () => {
      await browser?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    it.each([
      ["dark", 400],
      ["light", 1_000],
      ["light", 1_600]
    ] as const)("is whole and can be used by everyone: %s, %i pixels", async (scheme, width) => {
      const { asked, complaints, page } = await opened(browser, address, {
        width,
        scheme,
        drawn: "#requests-chart svg"
      })
      assert.deepStrictEqual(await faults(page), [])
      for (const details of await page.$$("details"))
        await details.evaluate((element) => element.setAttribute("open", ""))
      assert.deepStrictEqual(await faults(page), [])
      assert.deepStrictEqual(width === 1_600 ? [] : await barriers(page), [])
      assert.deepStrictEqual(complaints, [])
      assert.deepStrictEqual(asked, [address])
      assert.isUndefined(await page.evaluate(() => (globalThis as { readonly broken?: unknown }).broken))
      await page.close()
    })

    it("tells the figures of each policy, and the requests of the session that is chosen", async () => {
      const { page } = await opened(browser, address, { width: 1_000, scheme: "light", drawn: "#requests-chart svg" })
      const rows = await page.$$eval("section table >> nth=0 >> tbody tr", (all) => all.map((row) => row.textContent))
      assert.strictEqual(rows.length, 3)
      assert.match(rows[0]!, /^lean290\/290900,00023 %78 %/u)
      assert.include(await page.textContent(".advice"), '"lean" costs least, at these prices')
      assert.include(await page.getAttribute("#requests-chart", "aria-label"), "lean: 300 requests")
      await page.selectOption("#choose", "1")
      assert.include(await page.getAttribute("#requests-chart", "aria-label"), "lean: 20 requests")
      await page.close()
    })
  }
)
