/**
 * The page's script and style, which the build puts in their place here (`scripts/bundle.mjs`): the command is one file,
 * and the page that it writes needs no other.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export interface Assets {
  readonly script: string
  readonly style: string
}

declare const REPORT_PAGE: Assets | undefined

/**
 * Undefined where the command runs from its source.
 *
 * @since 0.1.0
 * @category constants
 */
export const assets: Assets | undefined = typeof REPORT_PAGE === "undefined" ? undefined : REPORT_PAGE
