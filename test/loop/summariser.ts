// A session without a loop, with a model for the conversation, a smaller one, and a scripted summariser.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SummaryFailed } from "../../src/errors/CompactionError.ts"
import * as CompactionPolicy from "../../src/layers/CompactionPolicy.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as ModelAdapter from "../../src/layers/ModelAdapter.ts"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Session from "../../src/layers/Session.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import { SessionId } from "../../src/services/SessionId.ts"
import type { Route } from "../../src/session/Route.ts"
import * as Message from "../../src/session/Message.ts"
import { history, words } from "./world.ts"

export const large: Route = { provider: "p", model: "large" }
export const small: Route = { provider: "p", model: "small" }
const windows: { readonly [model: string]: number } = { large: 100_000, small: 12_000 }

type Answer = Effect.Effect<string | Summarizer.Summary, SummaryFailed>

/** A session without a loop, its summariser scripted; what that was asked is kept. */
export const world = (
  answers: ReadonlyArray<(request: Summarizer.SummaryRequest) => Answer>,
  options: { readonly headings?: boolean; readonly policy?: Parameters<typeof CompactionPolicy.layer>[0] } = {}
) => {
  const requests: Array<Summarizer.SummaryRequest> = []
  const layer = Session.layerWithoutLoop.pipe(
    Layer.provide([
      LogStore.layerMemory,
      Layer.succeed(SessionId, "s"),
      ModelAdapter.layerInfo(({ model }) => (windows[model] === undefined ? undefined : { window: windows[model] })),
      Summarizer.layerWith(
        (request) => {
          const answer = answers[Math.min(requests.length, answers.length - 1)]!
          requests.push(request)
          return answer(request)
        },
        { bounded: true, headings: options.headings ?? false }
      ),
      Layer.orDie(CompactionPolicy.layer(options.policy ?? {}))
    ])
  )
  return { requests, layer }
}

export const say = (text: string) => () => Effect.succeed<string | Summarizer.Summary>(text)
export const fails = (reason: SummaryFailed["reason"], limit?: number) => () =>
  Effect.fail(new SummaryFailed({ reason, detail: "", ...(limit === undefined ? {} : { limit }) }))

/** Sends one request of the surface, which the provider takes. */
export const sent = (route: Route) =>
  OverflowRescue.retry({ envelope: { route }, send: () => Effect.succeed("ok"), usage: () => undefined })

export const conversation = Array.from({ length: 10 }, (_, i) => Message.user(`Part ${i}. ${words(2_000, "ancient")}`))

export const outcomes = Effect.map(history, (events) =>
  events.flatMap((event) => (event.type === "compaction/call" ? [event.data.outcome] : []))
)

export const textOf = (messages: ReadonlyArray<Message.Message>) => messages.map(Message.text).join("\n")
