// What the guard's types say, and what must not compile. Checked by `npm run check`, never run.
import type { LanguageModel } from "@effect/ai"
import type { Layer } from "effect"
import type { Errors } from "effect-compaction"
import { Guarded } from "effect-compaction/ai"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** The two types are the same. */
declare const same: <A, B>(equal: Equal<A, B>) => void

// a layer in place of another one: what it gives is what it takes
const plain = Guarded.layer({ window: 8_000, conversations: 4 })
same<typeof plain, Layer.Layer<LanguageModel.LanguageModel, never, LanguageModel.LanguageModel>>(true)
const unknownWindow = Guarded.layer()
same<typeof unknownWindow, typeof plain>(true)

// settings of one's own may be wrong, and only they
const withPolicy = Guarded.layer({ window: 8_000, policy: { threshold: 0.7 } })
same<typeof withPolicy, Layer.Layer<LanguageModel.LanguageModel, Errors.PolicyInvalid, LanguageModel.LanguageModel>>(
  true
)

// @ts-expect-error a window is a number of tokens
Guarded.layer({ window: "8k" })
// @ts-expect-error a policy's field that nobody knows
Guarded.layer({ window: 8_000, policy: { treshold: 0.7 } })
