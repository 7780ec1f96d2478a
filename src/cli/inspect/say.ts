/**
 * Figures as people read them.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category conversions
 */
export const whole = (value: number): string => Math.round(value).toLocaleString("en-US")

/**
 * @since 0.1.0
 * @category conversions
 */
export const percent = (share: number): string => {
  const points = 100 * share
  return `${points !== 0 && Math.abs(points) < 10 ? points.toFixed(1) : Math.round(points).toLocaleString("en-US")} %`
}
