import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Options as PolicyOptions } from "../../src/compaction/PolicyOptions.ts"
import * as CompactionPolicy from "../../src/layers/CompactionPolicy.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as ToolRunner from "../../src/layers/ToolRunner.ts"
import * as Testing from "../../src/testing/index.ts"

/** What sessions share where no connection is needed: a scripted model, and a summariser that is a function. */
export const scripted = (
  options: {
    readonly policy?: PolicyOptions
    readonly window?: number
    readonly log?: Layer.Layer<LogStore.LogStore>
    readonly summarise?: Parameters<typeof Summarizer.layerWith<never>>[0]
    readonly tools?: { readonly [name: string]: ToolRunner.Tool<never> }
  } = {}
) =>
  Layer.mergeAll(
    Testing.layerScript({ window: options.window ?? 100_000 }),
    options.log ?? LogStore.layerMemory,
    ToolRunner.layer(options.tools ?? {}),
    Summarizer.layerWith(options.summarise ?? (() => Effect.succeed("what was said"))),
    Layer.orDie(CompactionPolicy.layer(options.policy ?? {}))
  )
