// axe-core in a page: the library's source is put in, past the page's own policy for scripts.
import axe, { type AxeResults } from "axe-core"
import type { Page } from "playwright-core"

export const analyze = async (page: Page): Promise<AxeResults> => {
  await page.evaluate(axe.source)
  return page.evaluate(() => (globalThis as unknown as { readonly axe: typeof axe }).axe.run())
}
