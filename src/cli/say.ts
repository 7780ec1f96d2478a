/**
 * Figures as people read them.
 *
 * @since 0.1.0
 */

const grouped = new Intl.NumberFormat("en-US")

/**
 * @since 0.1.0
 * @category conversions
 */
export const whole = (value: number): string => grouped.format(Math.round(value))

/**
 * @since 0.1.0
 * @category conversions
 */
export const percent = (share: number): string => {
  const points = 100 * share
  return `${points !== 0 && Math.abs(points) < 10 ? points.toFixed(1) : whole(points)} %`
}
