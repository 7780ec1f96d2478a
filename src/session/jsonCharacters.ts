/**
 * The characters of JSON, as its bytes in UTF-8.
 *
 * @since 0.1.0
 */
export const newline = 10
export const space = 32
export const quote = 34
export const comma = 44
export const minus = 45
export const point = 46
export const zero = 48
export const nine = 57
export const colon = 58
export const openBracket = 91
export const backslash = 92
export const closeBracket = 93
export const openBrace = 123
export const closeBrace = 125
