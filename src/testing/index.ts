/**
 * What tests need: models without a provider, and a provider without a model. `examples/swapped-layers.test.ts`.
 *
 * @since 0.1.0
 */
export * from "./Script.ts"

/**
 * @since 0.1.0
 */
export * as SimulatedProvider from "./SimulatedProvider.ts"
