/**
 * The page of a simulation.
 *
 * @since 0.1.0
 */
import type { Assets } from "../page/assets.ts"
import * as Document from "../page/document.ts"
import type { Report } from "./report.ts"

/**
 * @since 0.1.0
 * @category conversions
 */
export const page = (report: Report, assets: Assets): string =>
  Document.render(
    {
      heading: "What each policy comes to",
      file: report.transcript,
      about: `${report.transcript} (${report.format}), driven through each policy against a simulated provider, which counts with a real tokenizer.`,
      data: report
    },
    assets
  )
