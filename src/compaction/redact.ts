/**
 * Masks what has the well-known shape of a key in a text, so that a secret that a tool printed is neither kept nor sent.
 *
 * @since 0.1.0
 */

interface Shape {
  readonly name: string
  readonly pattern: RegExp
  /** what of a match is the secret, where that is not all; undefined: it is none after all */
  readonly secret?: (match: string, group: string) => string | undefined
}

/** A key holds a long run of letters and digits, which a hyphenated name does not. */
const isRandom = (text: string): boolean =>
  (text.match(/[A-Za-z0-9]{16,}/gu) ?? []).some((run) => /\d/u.test(run) && /[A-Za-z]/u.test(run))

const random = (match: string) => (isRandom(match) ? match : undefined)
const withDigit = (_match: string, group: string) => (/\d/u.test(group) ? group : undefined)

/** A place for a password, as code and manuals have it. */
const placeholder = /^(?:[$%{[*<]|pass(?:word)?$|pwd$|secret$|x+$)/iu
const password = (_match: string, group: string) => (placeholder.test(group) ? undefined : group)

// Each begins where no word goes on, and what repeats is one class or bounded, so that a text is read once whatever it holds.
const shapes: ReadonlyArray<Shape> = [
  { name: "Anthropic key", pattern: /(?<![\w-])sk-ant-[\w-]{20,}/gu, secret: random },
  { name: "OpenRouter key", pattern: /(?<![\w-])sk-or-[\w-]{20,}/gu, secret: random },
  { name: "OpenAI key", pattern: /(?<![\w-])sk-[\w-]{20,}/gu, secret: random },
  { name: "GitHub token", pattern: /(?<![\w-])gh[pousr]_[A-Za-z0-9]{36,}/gu },
  { name: "GitHub token", pattern: /(?<![\w-])github_pat_\w{22,}/gu, secret: random },
  { name: "AWS key id", pattern: /(?<![\w-])A[KS]IA[A-Z0-9]{16}(?![\w-])/gu },
  {
    name: "Slack token",
    pattern: /(?<![\w-])xox[abeoprs]-[A-Za-z0-9-]{10,}/gu,
    secret: (match) => withDigit("", match)
  },
  { name: "Google key", pattern: /(?<![\w-])AIza[\w-]{35}(?![\w-])/gu },
  { name: "JWT", pattern: /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/gu },
  {
    name: "authorization",
    pattern:
      /(?<![\w-])authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s{1,4}([A-Za-z0-9._~+/=-]{16,})/giu,
    secret: withDigit
  },
  {
    name: "password",
    pattern: /(?<![\w+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'<>]{0,64}:([^\s@/"'<>]{1,128})@/giu,
    secret: password
  }
]

/** Most texts have none of these, and are then read only once. */
const hint = /sk-|gh[pousr]_|github_pat_|A[KS]IA|xox|AIza|eyJ|PRIVATE KEY|:\/\/|authorization/iu

const mark = (name: string) => `[redacted: ${name}]`

const dashes = "-----"
const begin = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY-----/gu
const endMark = /^-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY-----/u
const longestEnd = 80
/** Code speaks of the marks too: a key has something between them. */
const body = /[A-Za-z0-9+/]{24}/u

/** A key whose end was cut off goes as far as its letters do. */
const cutKey = /^(?:\\[nr]|[A-Za-z0-9+/=\s])*/u

const privateKeys = (text: string): string => {
  let out = ""
  let at = 0
  for (const found of text.matchAll(begin)) {
    if (found.index < at) continue
    const from = found.index + found[0].length
    const next = text.indexOf(dashes, from)
    const stop = next === -1 ? text.length : next
    const inside = text.slice(from, stop)
    const end = endMark.exec(text.slice(stop, stop + longestEnd))
    const whole = end === null ? (cutKey.exec(inside)?.[0] ?? "") : inside
    if (!body.test(whole)) continue
    out += text.slice(at, found.index) + mark("private key")
    at = end === null ? from + whole.length : stop + end[0].length
  }
  return at === 0 ? text : out + text.slice(at)
}

/**
 * The text with `[redacted: …]` in place of keys of OpenAI, Anthropic, OpenRouter, GitHub, AWS (the id), Slack and Google,
 * of JWTs, PEM private keys, the value of an `Authorization` header and the password of a URL. Takes time linear in the text;
 * of its own result it changes nothing. A secret without such a shape is not known for one.
 *
 * @since 0.1.0
 * @category conversions
 */
export const redact = (text: string): string => {
  if (!hint.test(text)) return text
  let redacted = privateKeys(text)
  for (const { name, pattern, secret } of shapes) {
    redacted = redacted.replace(pattern, (match: string, group: unknown) => {
      const found = secret === undefined ? match : secret(match, typeof group === "string" ? group : "")
      if (found === undefined) return match
      const at = match.lastIndexOf(found)
      return match.slice(0, at) + mark(name) + match.slice(at + found.length)
    })
  }
  return redacted
}
