import * as Schema from "effect/Schema"

/** A field that may be absent and is never `undefined`. */
export const exactOptional = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.optionalWith(schema, { exact: true })
