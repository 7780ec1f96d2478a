import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { absentId } from "../../src/compaction/absentId.ts"
import * as Checkpoint from "../../src/compaction/Checkpoint.ts"
import { countText } from "../../src/compaction/RunEstimator.ts"
import * as Message from "../../src/session/Message.ts"

const prompt = (text: string): Checkpoint.Sourced => ({ message: Message.user(text), source: "prompt" })
const context = (text: string): Checkpoint.Sourced => ({ message: Message.user(text), source: "context" })
const answer = (text: string): Checkpoint.Sourced => ({ message: Message.assistant(text) })
const whole = (text: string) => ({ head: text, omitted: 0, tail: "" })

const textOf = ({ message }: Checkpoint.Sourced): string => Message.text(message)

/** One compaction of these messages. */
const compact = (messages: ReadonlyArray<Checkpoint.Sourced>, budget: number, summary = "S", id = "c1") => ({
  message: Checkpoint.render({ summary, quotes: Checkpoint.quotes(messages, budget, countText), id }),
  source: "checkpoint" as const
})

const mixed = FastCheck.array(FastCheck.constantFrom("word ", "é", "漢字", "😀", "\n", "42", "```", "</user-c1>"), {
  minLength: 1,
  maxLength: 80
}).map((parts) => `x${parts.join("")}`)

describe("absentId", () => {
  it("is the start of the seed where nothing holds it", () => {
    assert.strictEqual(absentId("550e8400-e29b-41d4", ["nothing"]), "550e8400")
    assert.strictEqual(absentId("--", []), "x")
  })

  it("takes the smallest number that is found nowhere, not as the start of another either", () => {
    assert.strictEqual(absentId("ab", ["ab"]), "ab-2")
    assert.strictEqual(absentId("ab", ["ab-2 and ab-37"]), "ab-4")
    assert.strictEqual(absentId("ab", ["ab-23", "ab-34 ab-4"]), "ab-5")
  })

  it.prop(
    "is found in none of the contents, and is the same for the same",
    [
      FastCheck.constantFrom("a", "ab", "aa"),
      FastCheck.array(FastCheck.string({ unit: FastCheck.constantFrom("a", "b", "-", "1", "2", "3", "0") }))
    ],
    ([seed, contents]) => {
      const id = absentId(seed, contents)
      for (const content of contents) assert.notInclude(content, id)
      assert.strictEqual(absentId(seed, contents), id)
    }
  )

  it("is found soon against a text full of candidates", () => {
    const hostile = Array.from({ length: 50_000 }, (_, i) => `c1-${i}`).join(" ")
    assert.strictEqual(absentId("c1", [hostile]), "c1-50000")
  })
})

describe("Checkpoint.render", () => {
  it("says what it is, carries summary and quotes, and travels with its data", () => {
    const quotes = [whole("first"), { head: "start", omitted: 70, tail: "end" }]
    const message = Checkpoint.render({ summary: "## Goal\nShip it.", quotes, id: "k7" })
    const text = Message.text(message)
    assert.strictEqual(message.role, "user")
    assert.isTrue(text.startsWith(Checkpoint.title))
    assert.include(text, "<summary-k7>\n## Goal\nShip it.\n</summary-k7>")
    assert.include(text, "<user-k7>\nfirst\n</user-k7>")
    assert.include(
      text,
      "<user-k7>\nstart\n</user-k7>\n[… 70 characters of this message left out …]\n<user-k7>\nend\n</user-k7>"
    )
    assert.deepStrictEqual(message.metadata, { checkpoint: { summary: "## Goal\nShip it.", quotes } })
    assert.deepStrictEqual(Checkpoint.contentOf({ message, source: "checkpoint" }), {
      summary: "## Goal\nShip it.",
      quotes
    })
  })

  it("says that what is done is done, where it ends, and that later words win [FORGET-2 FORGET-3]", () => {
    const text = Message.text(compact([prompt("hello")], 200, "## State of the work\nDeployed.").message)
    assert.include(text, "asks for nothing by itself: what it calls done is done")
    assert.include(text, "Where later messages disagree, they are right.")
    assert.match(text, /\nEnd of the checkpoint c1\. The conversation goes on after it\.$/)
  })

  it.prop(
    "cannot be closed from inside [P36]",
    [mixed, FastCheck.array(mixed, { maxLength: 4 })],
    ([summary, texts]) => {
      const message = Checkpoint.render({ summary, quotes: texts.map(whole), id: "c1" })
      const text = Message.text(message)
      const id = /^<summary-([\w-]+)>$/m.exec(text)?.[1] ?? assert.fail("no tag")
      assert.strictEqual(text.split(`</summary-${id}>`).length, 2)
      assert.strictEqual(text.split(`</user-${id}>`).length, texts.length + 1)
      assert.strictEqual(text.split(`<summary-${id}>\n`)[1]?.split(`\n</summary-${id}>`)[0], summary)
      assert.deepStrictEqual(
        text
          .split(`<user-${id}>\n`)
          .slice(1)
          .map((part) => part.split(`\n</user-${id}>`)[0]),
        texts
      )
    }
  )
})

describe("Checkpoint.contentOf", () => {
  it("goes by the log's word alone [P36]", () => {
    const real = compact([prompt("hello")], 200, "the truth")
    assert.strictEqual(Checkpoint.contentOf(real)?.summary, "the truth")
    assert.strictEqual(Checkpoint.contentOf({ message: real.message, source: "prompt" }), undefined)
    assert.strictEqual(Checkpoint.contentOf({ message: real.message }), undefined)
  })

  it("takes the text of a checkpoint without data, or with other data, as its summary [RESUME-6]", () => {
    for (const metadata of [undefined, {}, { checkpoint: 3 }, { checkpoint: { summary: 1 } }]) {
      const message = { ...Message.user("old"), ...(metadata === undefined ? {} : { metadata }) }
      assert.deepStrictEqual(Checkpoint.contentOf({ message, source: "checkpoint" }), { summary: "old", quotes: [] })
    }
  })
})

describe("Checkpoint.quotes", () => {
  it("takes prompts, oldest first, and nobody else's words", () => {
    const messages = [prompt("one"), answer("two"), context("three"), prompt("  "), prompt("four")]
    assert.deepStrictEqual(Checkpoint.quotes(messages, 2000, countText), [whole("one"), whole("four")])
    assert.deepStrictEqual(Checkpoint.quotes(messages, 0, countText), [])
  })

  it("lets the newest win, and cuts the first that does not fit", () => {
    const long = `START ${"filler ".repeat(2000)}END`
    const [first, second] = Checkpoint.quotes([prompt("oldest"), prompt(long), prompt("newest")], 400, countText)
    assert.deepStrictEqual(second, whole("newest"))
    assert.isTrue(first?.head.startsWith("START filler"))
    assert.isTrue(first?.tail.endsWith("filler END"))
    assert.strictEqual((first?.head.length ?? 0) + (first?.tail.length ?? 0) + (first?.omitted ?? 0), long.length)
  })

  it("cuts at code points", () => {
    for (let shift = 0; shift < 3; shift++) {
      const [quote] = Checkpoint.quotes([prompt("a".repeat(shift) + "😀".repeat(5000))], 200, countText)
      assert.isFalse(/\p{Surrogate}/u.test((quote?.head ?? "") + " " + (quote?.tail ?? "")))
      assert.isAbove(quote?.omitted ?? 0, 4000)
    }
  })

  it.prop(
    "keeps to the budget, and every quote to what was said",
    [
      FastCheck.array(
        mixed.map((text) => text.repeat(3)),
        { maxLength: 12 }
      ),
      FastCheck.nat(900)
    ],
    ([texts, budget]) => {
      const quotes = Checkpoint.quotes(texts.map(prompt), budget, countText)
      const spent = quotes.map((quote) => countText(quote.head) + countText(quote.tail) + Checkpoint.quoteFraming)
      assert.isAtMost(
        spent.reduce((sum, tokens) => sum + tokens, 0),
        budget
      )
      // a prompt of nothing but space is nobody's words
      const spoken = texts.filter((text) => text.trim() !== "")
      const said = spoken.slice(spoken.length - quotes.length)
      for (const [i, quote] of quotes.entries()) {
        if (quote.omitted === 0) assert.strictEqual(quote.head, said[i])
        else {
          assert.strictEqual(i, 0)
          assert.isTrue(said[i]?.startsWith(quote.head) === true && said[i].endsWith(quote.tail))
          assert.strictEqual([...quote.head, ...quote.tail].length + quote.omitted, [...(said[i] ?? "")].length)
        }
      }
    }
  )

  for (const rounds of [1, 2, 5, 20]) {
    it(`keeps words byte for byte through ${rounds} compactions [P39]`, () => {
      const words = [
        "Fix the\ttest; keep `a\r\nb` — 漢字 😀 </summary-c1> as it is.",
        `cut me: ${"long 漢字 😀 ".repeat(900)}`
      ]
      let surface: ReadonlyArray<Checkpoint.Sourced> = [...words.map(prompt).toReversed(), answer("on it")]
      const first = compact(surface, 300)
      for (let round = 0; round < rounds; round++) {
        const checkpoint = compact(surface, 300, `summary of round ${round}`, `c${round}`)
        assert.deepStrictEqual(checkpoint.message.metadata?.["checkpoint"], {
          summary: `summary of round ${round}`,
          quotes: Checkpoint.contentOf(first)?.quotes
        })
        assert.include(textOf(checkpoint), `\n${words[0]}\n`)
        surface = [checkpoint, answer(`step ${round}`)]
      }
    })
  }

  it.prop(
    "stays bounded and never nests, whatever is said in twenty rounds [P35]",
    [FastCheck.array(FastCheck.array(mixed, { maxLength: 3 }), { minLength: 20, maxLength: 20 })],
    ([rounds]) => {
      const budget = 400
      let surface: ReadonlyArray<Checkpoint.Sourced> = []
      for (const [round, texts] of rounds.entries()) {
        const span = [...surface, ...texts.map(prompt), answer("done")]
        const checkpoint = compact(span, budget, "## Goal\nShip.", `r${round}`)
        const text = textOf(checkpoint)
        assert.strictEqual(text.split(Checkpoint.title).length, 2)
        assert.isAtMost(countText(text), budget + 220)
        const newest = texts.at(-1)
        if (newest !== undefined && countText(newest) <= budget - Checkpoint.quoteFraming) {
          assert.include(text, `\n${newest}\n`)
        }
        surface = [checkpoint]
      }
    }
  )

  it("does not price a pasted file of megabytes to learn that it is too long", () => {
    let priced = 0
    Checkpoint.quotes([prompt("line of a log\n".repeat(500_000))], 2000, (text) => {
      priced += text.length
      return countText(text)
    })
    assert.isBelow(priced, 2_000_000)
  })
})

describe("Checkpoint.instruction", () => {
  const text = Checkpoint.instruction({ maxTokens: 1000 })

  it("starts with the line it is known by and asks for the sections in order", () => {
    assert.isTrue(text.startsWith(`${Checkpoint.firstLine}\n`))
    const places = Checkpoint.headings.map((heading) => text.indexOf(`\n## ${heading}\n`))
    assert.isAbove(Math.min(...places), 0)
    assert.deepStrictEqual(
      places,
      places.toSorted((a, b) => a - b)
    )
  })

  it("asks for less than the cap, for the user's language, for no tools, and for merging [A85 OPPOSITES-10b]", () => {
    assert.include(text, "at most 600 words")
    for (const words of ["language that the user writes in", "do not call tools", "merge it"])
      assert.include(text, words)
  })

  it("passes an earlier summary as data that cannot close its own fence [P35]", () => {
    const previous = "## Goal\nx </summary-earlier> y"
    const asked = Checkpoint.instruction({ maxTokens: 1000, previous })
    assert.isTrue(asked.startsWith(text))
    assert.isTrue(asked.endsWith(`\n<summary-earlier-2>\n${previous}\n</summary-earlier-2>`))
  })
})
