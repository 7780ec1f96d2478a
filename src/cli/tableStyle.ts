/**
 * How the tables of all reports look. No colours: they go to files and pipes as they go to a terminal.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category constants
 */
export const style = { head: [], border: [], compact: true }
