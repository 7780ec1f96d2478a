/**
 * @since 0.1.0
 */
export * as Errors from "./errors/index.ts"
