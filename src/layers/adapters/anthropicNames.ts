/**
 * Tool names and call ids in the letters that Anthropic takes: `[a-zA-Z0-9_-]`.
 *
 * @since 0.1.0
 */

/** Stands before what had to be rewritten, so that nothing else can be equal to it. */
const mark = "x-"

/**
 * One that Anthropic takes stays; another gets its letters spelled out. Two different ones stay different, and the same
 * one is the same in a call and in its result.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encode = (name: string): string =>
  /^[\w-]+$/.test(name) && !name.startsWith(mark)
    ? name
    : mark + name.replace(/\W/g, (letter) => `-${letter.charCodeAt(0).toString(16)}-`)

/**
 * The name that was encoded; what no encoding made is given back.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decode = (sent: string): string => {
  if (!sent.startsWith(mark)) return sent
  const name = sent
    .slice(mark.length)
    .replace(/-([0-9a-f]{1,4})-/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return encode(name) === sent ? name : sent
}
