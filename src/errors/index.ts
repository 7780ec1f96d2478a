/**
 * Every error that the library fails with.
 *
 * @since 0.1.0
 */
export * from "./CompactionError.ts"
export * from "./FormatError.ts"
export * from "./ModelError.ts"
export * from "./SessionError.ts"
