/**
 * What the golden log of format version 1 holds: every kind of event, every kind of block, in the batches that a session
 * writes. It is the record of what was written once: nothing here changes while the format is version 1, and with
 * version 2 it becomes the record of an old one.
 */
import type * as SessionEvent from "../../../src/session/SessionEvent.ts"
import type { TokenEstimator } from "../../../src/compaction/TokenEstimator.ts"

/** Counts of its own, so that no better estimator of ours moves the figures: what is stored in the log decides them. */
export const estimator: TokenEstimator = {
  id: "golden",
  dimensions: 2,
  message: () => [1000, 1000],
  envelope: () => [1000, 1000],
  weights: ({ model }) => (model === "golden-large" ? [0.5, 2] : [0.25, 1])
}

const small = { provider: "golden", model: "golden-small", api: "chat" }
const large = { provider: "golden", model: "golden-large" }
const counts = (...values: ReadonlyArray<number>) => ({ estimator: "golden", values })
const text = (words: string) => ({ type: "text" as const, text: words })

const batchBodies: ReadonlyArray<ReadonlyArray<SessionEvent.Body>> = [
  // 0
  [
    {
      type: "session/opened",
      data: { formatVersion: 1, session: "golden/é", writer: "w1", parent: { session: "elder", seq: 1 } }
    }
  ],
  // 1
  [
    { type: "turn/start", data: { turn: 0 } },
    {
      type: "message/user",
      data: {
        counts: counts(40, 4),
        message: {
          role: "user",
          content: [
            text('Grüße, 世界 🌍 "quoted" \\ back\nline\u2028end'),
            { type: "image", source: { type: "base64", base64: "iVBORw0KGgo=" }, mediaType: "image/png" },
            { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
            {
              type: "file",
              source: { type: "blob", blob: "b1" },
              mediaType: "application/pdf",
              name: "a.pdf",
              pages: 3
            }
          ],
          metadata: { from: "golden", nested: { list: [1, 2.5, null, true] } }
        },
        source: "prompt"
      }
    },
    {
      type: "request/envelope",
      data: {
        envelope: {
          route: small,
          system: "Be brief.",
          tools: [{ name: "read", description: "Reads", parameters: { type: "object", properties: {} } }],
          maxOutputTokens: 256,
          settings: { temperature: 0 },
          prefix: [{ role: "user", content: [text("before")] }]
        },
        counts: counts(80, 8)
      }
    }
  ],
  // 4
  [{ type: "step/start", data: { turn: 0, step: 0, generation: 0 } }],
  // 5
  [
    {
      type: "message/assistant",
      data: {
        counts: counts(60, 6),
        message: {
          role: "assistant",
          content: [
            { type: "reasoning", text: "hm", signature: "sig" },
            text("I look."),
            { type: "tool-call", id: "c1", name: "read", arguments: { path: "a" } },
            { type: "tool-call", id: "c2", name: "read", arguments: { path: "b" } },
            { type: "unknown", value: { type: "odd", n: 1 }, provider: "golden" }
          ]
        },
        usage: { inputTokens: 50, outputTokens: 20, cachedTokens: 10, cacheWriteTokens: 5, reasoningTokens: 4 },
        finish: "tool-calls"
      }
    },
    {
      type: "message/tool-result",
      data: { counts: counts(400, 40), callId: "c1", name: "read", content: [text("long ".repeat(20))] }
    },
    {
      type: "message/tool-result",
      data: {
        counts: counts(20, 2),
        callId: "c2",
        name: "read",
        content: [text("no such file"), { type: "image", source: { type: "url", url: "https://example.com/b.png" } }],
        isError: true,
        metadata: { cost: 0.5 }
      }
    },
    {
      type: "message/queued",
      data: { message: { role: "user", content: [text("by the way")] } }
    }
  ],
  // 9
  [{ type: "step/end", data: { turn: 0, step: 0, outcome: "completed" } }],
  // 10
  [
    {
      type: "message/user",
      data: {
        counts: counts(12, 1),
        message: { role: "user", content: [text("by the way")] },
        source: "context",
        queued: 8
      }
    }
  ],
  // 11
  [{ type: "step/start", data: { turn: 0, step: 1, generation: 0 } }],
  // 12
  [
    {
      type: "step/end",
      data: {
        turn: 0,
        step: 1,
        outcome: "refused",
        error: { tag: "ContextWindowExceeded", message: "too long" },
        limit: 120,
        limitCounts: "input",
        requested: 130,
        unit: "tokens"
      }
    }
  ],
  // 13
  [
    {
      type: "compaction/start",
      data: {
        id: "k1",
        trigger: "context-overflow",
        turn: 0,
        writer: "w1",
        rung: "prune",
        paid: false,
        policy: "p1"
      }
    }
  ],
  // 14
  [
    {
      type: "compaction/prune",
      data: {
        id: "k1",
        trigger: "context-overflow",
        rung: "prune",
        shadowed: [6],
        price: { before: 140, after: 14 },
        bytes: { before: 900, after: 400 }
      }
    },
    {
      type: "message/tool-result",
      data: {
        counts: counts(40, 4),
        callId: "c1",
        name: "read",
        content: [text("long … long")],
        replaces: { first: 6, last: 6, sources: [6] }
      }
    },
    { type: "compaction/end", data: { id: "k1", outcome: "landed", targetMet: true } }
  ],
  // 17
  [
    {
      type: "rescue/end",
      data: {
        turn: 0,
        step: 1,
        outcome: "retry",
        generation: { before: 0, after: 1 },
        tokens: { before: 130, after: 90 }
      }
    }
  ],
  // 18
  [{ type: "step/start", data: { turn: 0, step: 2, generation: 1 } }],
  // 19
  [
    {
      type: "message/assistant",
      data: {
        counts: counts(10, 1),
        message: { role: "assistant", content: [text("Cut")] },
        finish: "stop",
        interrupted: true
      }
    },
    {
      type: "step/end",
      data: {
        turn: 0,
        step: 2,
        outcome: "interrupted",
        usage: { inputTokens: 70, outputTokens: 3 },
        settled: true
      }
    },
    {
      type: "turn/end",
      data: { turn: 0, outcome: "failed", error: { tag: "Died", message: "gone" }, settled: true }
    }
  ],
  // 22
  [{ type: "session/opened", data: { formatVersion: 1, session: "golden/é", writer: "w2" } }],
  // 23
  [{ type: "compaction/start", data: { id: "k2", trigger: "manual", turn: null, writer: "w2" } }],
  // 24
  [
    {
      type: "compaction/call",
      data: {
        id: "k2",
        rung: "summarise",
        route: large,
        usage: { inputTokens: 60, outputTokens: 15 },
        output: "They looked.",
        outcome: "accepted",
        span: { first: 2, last: 7 },
        limit: 4096
      }
    }
  ],
  // 25
  [
    {
      type: "compaction/summary",
      data: {
        id: "k2",
        rung: "summarise",
        summary: "They looked.",
        span: { first: 2, last: 7 },
        shadowed: [2, 5, 15, 7],
        price: { before: 90, after: 12 },
        omitted: 7,
        route: large
      }
    },
    {
      type: "message/user",
      data: {
        counts: counts(30, 3),
        message: { role: "user", content: [text("Summary: they looked.")] },
        source: "checkpoint",
        replaces: { first: 2, last: 7, sources: [2, 5, 15, 7] }
      }
    },
    {
      type: "compaction/end",
      data: {
        id: "k2",
        outcome: "failed",
        targetMet: false,
        error: { tag: "X", message: "y" },
        settled: true
      }
    }
  ],
  // 28
  [
    { type: "request/envelope", data: { envelope: { route: large }, counts: counts(4, 0) } },
    { type: "step/start", data: { turn: null, step: 3, generation: 2 } }
  ],
  // 30
  [
    {
      type: "message/assistant",
      data: {
        counts: counts(8, 1),
        message: { role: "assistant", content: [text("Done.")] },
        usage: { inputTokens: 44, outputTokens: 6 },
        finish: "stop"
      }
    },
    { type: "step/end", data: { turn: null, step: 3, outcome: "completed" } }
  ]
]

/** The batches, as a store is given them. */
export const batches: ReadonlyArray<ReadonlyArray<SessionEvent.SessionEvent>> = (() => {
  let seq = 0
  return batchBodies.map((bodies) =>
    bodies.map((body) => ({ seq, time: 1_750_000_000_000 + 250 * seq++, ...body }) as SessionEvent.SessionEvent)
  )
})()
