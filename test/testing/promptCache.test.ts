import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as PromptCache from "../../src/testing/simulated/promptCache.ts"

/** A part of one-digit tokens; its size is their number, so that a prefix can be told by hand. */
const part = (text: string): PromptCache.CountedPart => ({
  key: text,
  tokens: [...text].map(Number),
  size: text.length
})
const prompt = (...texts: ReadonlyArray<string>) => texts.map(part)

const commonByHand = (a: string, b: string) => {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

describe("promptCache", () => {
  it("keeps every beginning, not only the newest", () => {
    const cache = PromptCache.make()
    cache.remember("m", prompt("11", "2222", "3"))
    cache.remember("m", prompt("11", "9"))
    assert.strictEqual(cache.common("m", prompt("11", "2222", "3", "4")), 7)
    assert.strictEqual(cache.common("m", prompt("11", "2229")), 5)
    assert.strictEqual(cache.common("m", prompt("11", "9", "8")), 3)
    assert.strictEqual(cache.common("m", prompt("8", "11")), 0)
  })

  it("belongs to one model", () => {
    const cache = PromptCache.make()
    cache.remember("m", prompt("11"))
    assert.strictEqual(cache.common("another", prompt("11")), 0)
  })

  const texts = FastCheck.array(FastCheck.stringMatching(/^[12]{1,3}$/), { minLength: 1, maxLength: 4 })

  it.effect.prop(
    "is the longest common prefix with any prompt of the same parts",
    [FastCheck.array(texts, { maxLength: 6 }), texts],
    ([earlier, now]) =>
      Effect.sync(() => {
        const cache = PromptCache.make()
        for (const one of earlier) cache.remember("m", prompt(...one))
        // parts are compared one by one: a prompt that breaks elsewhere is another one from there on
        const common = (one: ReadonlyArray<string>) => {
          const same = now.findIndex((text, i) => one[i] !== text)
          const whole = now.slice(0, same === -1 ? now.length : same).join("").length
          return same === -1 ? whole : whole + commonByHand(now[same] ?? "", one[same] ?? "")
        }
        assert.strictEqual(cache.common("m", prompt(...now)), Math.max(0, ...earlier.map(common)))
      })
  )
})
