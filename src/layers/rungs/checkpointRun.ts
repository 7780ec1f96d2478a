import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { fingerprint } from "../../compaction/Policy.ts"
import { errorRecord } from "../../errors/errorRecord.ts"
import type { Run, Rung } from "../../services/CompactService.ts"
import { type Replace, Surface } from "../../services/Surface.ts"
import type { Message } from "../../session/Message.ts"
import type { Route } from "../../session/Route.ts"
import type { BodyOf } from "../../session/SessionEvent.ts"
import type { Node } from "../../session/SurfaceState.ts"

/** What is to stand in place of the nodes. Without a route it was made without a model; `omitted` tokens of them no request held. */
export interface Made {
  readonly nodes: ReadonlyArray<Node>
  readonly summary: string
  readonly message: Message
  readonly route?: Route
  readonly omitted?: number
}

const replacement = (
  { id, situation }: Run,
  rung: string,
  { message, nodes, omitted = 0, route, summary }: Made
): Replace => {
  const first = nodes[0]?.seq ?? -1
  const last = nodes.at(-1)?.seq ?? -1
  return {
    expected: situation.trigger === "manual" ? { nodes } : { surface: situation.state.surface },
    spans: [{ first, last, by: { type: "message/user", data: { message, source: "checkpoint" } } }],
    records: (price, shadowed) => {
      const after = situation.measurement.totalTokens - price.before + price.after
      const targetMet = situation.target === undefined || after < situation.target
      return {
        before: [
          {
            type: "compaction/summary",
            data: {
              id,
              rung,
              summary,
              span: { first, last },
              shadowed,
              price,
              ...(omitted > 0 ? { omitted } : {}),
              ...(route === undefined ? {} : { route })
            }
          }
        ],
        after: [{ type: "compaction/end", data: { id, outcome: "landed", targetMet } }]
      }
    }
  }
}

const ending = (cause: Cause.Cause<unknown>): Omit<BodyOf<"compaction/end">["data"], "id"> => {
  if (Cause.isInterrupted(cause)) return { outcome: "interrupted" }
  return { outcome: "failed", error: errorRecord(Cause.squash(cause)) }
}

/**
 * Opens the durable record, makes the checkpoint, and commits summary, checkpoint and end as one batch; any other exit
 * writes exactly one end, interruption included (design section 12).
 */
export const checkpointRun = <E, R>(
  run: Run,
  { name, paid }: Pick<Rung, "name" | "paid">,
  make: Effect.Effect<Made, E, R>
) =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const surface = yield* Surface
      const { id, situation, ticket } = run
      yield* surface.commit((state) => [
        {
          type: "compaction/start",
          data: {
            id,
            trigger: situation.trigger,
            turn: state.openTurn ?? null,
            writer: state.opened?.writer ?? id,
            rung: name,
            paid,
            policy: fingerprint(situation.policy)
          }
        }
      ])
      const exit = yield* make.pipe(
        // an interrupt that came while the answer was checked is delivered here, and nothing lands after it
        Effect.zipLeft(Effect.interruptible(Effect.void)),
        Effect.flatMap((made) => surface.replace(ticket, replacement(run, name, made))),
        Effect.exit
      )
      if (Exit.isFailure(exit)) {
        yield* surface.commit((state) =>
          state.openCompaction?.id === id ? [{ type: "compaction/end", data: { id, ...ending(exit.cause) } }] : []
        )
      }
      return yield* exit
    })
  )
