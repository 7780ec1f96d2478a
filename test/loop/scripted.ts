import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Options as PolicyOptions } from "../../src/compaction/PolicyOptions.ts"
import * as CompactionPolicy from "../../src/layers/CompactionPolicy.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as TokenEstimator from "../../src/layers/TokenEstimator.ts"
import * as ToolRunner from "../../src/layers/ToolRunner.ts"
import * as Testing from "../../src/testing/index.ts"
import { characters } from "../compaction/events.ts"

/**
 * What sessions share where no connection is needed: a scripted model, and a summariser that is a function, or the model
 * itself.
 */
export const scripted = (
  options: {
    readonly policy?: PolicyOptions
    readonly window?: number
    readonly system?: string
    readonly maxOutputTokens?: number
    readonly log?: Layer.Layer<LogStore.LogStore>
    readonly summarise?: Parameters<typeof Summarizer.layerWith<never>>[0] | "by the model"
    readonly tools?: { readonly [name: string]: ToolRunner.Tool<never> }
    readonly estimator?: typeof TokenEstimator.TokenEstimator.Service
  } = {}
) => {
  const {
    estimator,
    log = LogStore.layerMemory,
    policy = {},
    summarise,
    tools = {},
    window = 100_000,
    ...agent
  } = options
  return (
    summarise === "by the model"
      ? Summarizer.layer
      : Summarizer.layerWith(summarise ?? (() => Effect.succeed("what was said")))
  ).pipe(
    Layer.provideMerge(Testing.layerScript({ window, ...agent })),
    Layer.merge(log),
    Layer.merge(ToolRunner.layer(tools)),
    Layer.merge(Layer.orDie(CompactionPolicy.layer(policy))),
    Layer.merge(estimator === undefined ? Layer.empty : Layer.succeed(TokenEstimator.TokenEstimator, estimator))
  )
}

/** The same, where one character of text is one token. */
export const exact = (options: Parameters<typeof scripted>[0] = {}) => scripted({ estimator: characters, ...options })

/** Adds to the script. */
export const script = (...lines: ReadonlyArray<Testing.Line>) =>
  Effect.flatMap(Testing.Script, (model) => model.next(...lines))

/** The requests that the scripted model was sent. */
export const requests = Effect.flatMap(Testing.Script, (model) => model.requests)

/** A text of that many characters. */
export const text = (length: number, letter = "x") => letter.repeat(length)
