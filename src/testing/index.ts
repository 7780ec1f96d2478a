/**
 * What tests need: models without a provider, a provider without a model, and parts that lie or fail on purpose. See
 * `examples/swapped-layers.test.ts`.
 *
 * @since 0.1.0
 */
export * from "./Disk.ts"

/**
 * @since 0.1.0
 */
export * from "./FaultyLog.ts"

/**
 * @since 0.1.0
 */
export * from "./LyingCompaction.ts"

/**
 * @since 0.1.0
 */
export * from "./LyingSummarizer.ts"

/**
 * @since 0.1.0
 */
export * from "./Script.ts"

/**
 * @since 0.1.0
 */
export * as SimulatedProvider from "./SimulatedProvider.ts"
