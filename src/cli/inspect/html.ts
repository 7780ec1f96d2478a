/**
 * The page of an inspection.
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
export const render = (report: Report, assets: Assets): string => {
  const { estimator, file, format, history } = report
  const compacted = history === "full" ? ", as if it had never been compacted" : ""
  return Document.render(
    {
      heading: "What fills the window",
      file,
      about: `${file} (${format})${compacted}. Sizes are tokens, estimated with ${estimator} where the provider did not count.`,
      data: report
    },
    assets
  )
}
