/**
 * What tests need: providers without a provider.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 */
export * as SimulatedProvider from "./SimulatedProvider.ts"
