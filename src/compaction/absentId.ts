/**
 * Tags that fence off text nobody trusts: their id occurs nowhere in that text, so that nothing needs escaping and no end of
 * the fence can be forged.
 *
 * @since 0.1.0
 */

/** As much of an id as tags carry: each of them is paid for in every request. */
const longestBase = 8

/** As many digits as a number holds exactly; no text has room for so many candidates. */
const mostDigits = 15

/** The numbers that follow `base-` somewhere, and those that their first digits are: `a-12` contains `a-1` as well. */
const takenNumbers = (base: string, contents: ReadonlyArray<string>): ReadonlySet<number> => {
  const start = `${base}-`
  const taken = new Set<number>()
  for (const content of contents) {
    for (let at = content.indexOf(start); at >= 0; at = content.indexOf(start, at + 1)) {
      let number = 0
      for (let digit = 0; digit < mostDigits; digit++) {
        const code = content.charCodeAt(at + start.length + digit)
        if (!(code >= 48 && code <= 57)) break
        number = number * 10 + (code - 48)
        taken.add(number)
      }
    }
  }
  return taken
}

/**
 * An id for tags around `contents` that is found in none of them: the start of `seed`, and where that is found, the same
 * with the smallest number that is not. The same arguments give the same id. Takes time linear in the contents.
 *
 * @since 0.1.0
 * @category constructors
 */
export const absentId = (seed: string, contents: ReadonlyArray<string>): string => {
  const base = seed.replace(/[^A-Za-z0-9]/g, "").slice(0, longestBase) || "x"
  if (!contents.some((content) => content.includes(base))) return base
  const taken = takenNumbers(base, contents)
  let number = 2
  while (taken.has(number)) number++
  return `${base}-${number}`
}
