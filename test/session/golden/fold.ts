import * as Either from "effect/Either"
import { measure } from "../../../src/compaction/measure.ts"
import { applyAll } from "../../../src/compaction/SessionFold.ts"
import * as SessionState from "../../../src/compaction/SessionState.ts"
import type { TokenEstimator } from "../../../src/compaction/TokenEstimator.ts"
import * as LogFrame from "../../../src/session/LogFrame.ts"
import * as LogScan from "../../../src/session/LogScan.ts"
import * as outlinedEvents from "../../../src/session/outlinedEvents.ts"
import * as SurfaceState from "../../../src/session/SurfaceState.ts"
import type { Upcaster } from "../../../src/session/upcasters.ts"

/** A log's bytes as the file store reads them: scanned, decoded as an opening does, folded. */
export const fold = (
  bytes: Uint8Array,
  estimator: TokenEstimator,
  known?: ReadonlyArray<Upcaster>
): SessionState.SessionState => {
  const scan = LogScan.make(known)
  let state = SessionState.empty(estimator)
  for (const { bytes: line, header } of Either.getOrThrowWith(scan.push(bytes), ({ reason }) => new Error(reason))) {
    const json = Either.getOrThrow(LogFrame.eventsOf(line, header, known))
    const events = Either.getOrThrowWith(outlinedEvents.make({ ...header, json }), ({ reason }) => new Error(reason))
    state = Either.getOrThrowWith(applyAll(state, events, estimator), ({ detail }) => new Error(detail))
  }
  Either.getOrThrow(scan.end())
  return state
}

/** What a state is held against: everything that a session goes on from. */
export const figures = (state: SessionState.SessionState, estimator: TokenEstimator): unknown => {
  const { surface, ...measured } = measure(state, estimator)
  return JSON.parse(
    JSON.stringify({
      measured,
      generation: surface.generation,
      nodes: SurfaceState.nodes(surface),
      unanswered: surface.unanswered,
      routes: Object.fromEntries(state.routes),
      opened: state.opened,
      parent: state.parent,
      envelope: state.envelope,
      turn: state.turn,
      step: state.step,
      open: [state.openTurn ?? null, state.openStep?.step ?? null, state.openCompaction?.id ?? null],
      queued: [...state.queued],
      refusals: [state.refusals, state.byteRefusals],
      summaries: state.summaries,
      summaryCall: state.summaryCall,
      resting: Object.fromEntries(state.resting)
    })
  )
}
