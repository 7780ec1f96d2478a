import * as Tracer from "effect/Tracer"
import type * as Exit from "effect/Exit"

/** A span as it was when it ended. */
export interface EndedSpan {
  readonly name: string
  readonly attributes: ReadonlyArray<readonly [string, unknown]>
  readonly events: ReadonlyArray<unknown>
  readonly exit: Exit.Exit<unknown, unknown>
}

/** Tells of every span when it ends. */
export const recordingTracer = (ended: (span: EndedSpan) => void): Tracer.Tracer =>
  Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const attributes = new Map<string, unknown>()
      const events: Array<unknown> = []
      let status: Tracer.SpanStatus = { _tag: "Started", startTime }
      return {
        _tag: "Span",
        name,
        spanId: name,
        traceId: "t",
        parent,
        context,
        get status() {
          return status
        },
        attributes,
        links,
        sampled: true,
        kind,
        end: (endTime, exit) => {
          status = { _tag: "Ended", startTime, endTime, exit }
          ended({ name, attributes: [...attributes], events, exit })
        },
        attribute: (name, value) => void attributes.set(name, value),
        event: (name, _time, attributes) => void events.push([name, attributes]),
        addLinks: () => undefined
      }
    },
    context: (run) => run()
  })
