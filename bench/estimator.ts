// The default estimator by itself: how fast it counts text of each kind.
import { runEstimator } from "../src/compaction/RunEstimator.ts"
import * as Message from "../src/session/Message.ts"
import type { Figure } from "./budgets.ts"
import { kinds } from "./kinds.ts"
import { run } from "./timing.ts"

export const estimator = (): ReadonlyArray<Figure> => {
  const texts = Object.entries(kinds)
  const timings = run(
    texts.map(([kind, text]) => ({
      name: kind,
      units: 1,
      prepare: () => () => runEstimator.message(Message.user(text))
    }))
  )
  const figures = timings.map(({ nanoseconds }, i) => {
    const [kind, text] = texts[i]!
    return { kind, milliseconds: nanoseconds / 1e6, speed: Buffer.byteLength(text) / (nanoseconds / 1_000) }
  })
  return [
    ...figures.map(({ kind, speed }) => ({ name: `estimate/${kind}`, value: speed, unit: "MB/s" })),
    {
      name: "longest estimate of 1 Mi units",
      value: Math.max(...figures.map(({ milliseconds }) => milliseconds)),
      unit: "ms"
    }
  ]
}
