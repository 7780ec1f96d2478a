// Questions about the libraries that the project stands on.
import { around, design, last, read, run, search } from "./ask.mjs"
import { experiments } from "./experiments.mjs"

export const effect = [
  {
    ask: "How do Effect's schedules bound a retry? I need to know whether recurs counts runs or repetitions.",
    steps: [
      [
        "I search the installed sources.",
        search("export const (recurs|intersect|whileInput|whileInputEffect)\\b", "node_modules/effect/src/Schedule.ts")
      ],
      [
        "The documentation at these places.",
        read(around("node_modules/effect/src/Schedule.ts", "^export const recurs", 24, 2)),
        read(around("node_modules/effect/src/Schedule.ts", "^export const whileInputEffect", 24, 14))
      ],
      ["An experiment says it without doubt.", run(experiments.recurs)]
    ],
    answer: (results) => `It counts repetitions: ${last(results).trim().split("\n").join("; ")}.`
  },
  {
    ask: "The notes warn that a guard given to Effect.retry runs once too often. Show me.",
    steps: [
      ["I count the guard's runs both ways: as an option, and outermost on the schedule.", run(experiments.guard)]
    ],
    answer: (results) =>
      `Shown: ${last(results).trim().split("\n").join("; ")}. With the guard outermost it is asked only while an attempt is left.`
  },
  {
    ask: "Let me see the first part of Schedule's source, I want to compare its style with ours.",
    steps: [
      ["The first 620 lines, in one piece.", read({ path: "node_modules/effect/src/Schedule.ts", from: 1, to: 620 })]
    ],
    answer:
      "It has long documentation with examples for each export, @since and @category tags, and signatures written twice for the data-first and data-last form. Ours keeps the tags, is much shorter, and has no dual forms so far as I have read it."
  },
  {
    ask: "Does a tagged error survive a span as the same object?",
    steps: [["I fail inside a span and compare.", run(experiments.span)]],
    answer: (results) => `Measured: ${last(results).trim().split("\n").join("; ")}.`
  },
  {
    ask: "How does RcMap behave when a lookup fails? We rely on sessions not remembering a failed open.",
    steps: [
      [
        "I look at the source and try it.",
        search("invalidate|idleTimeToLive", "node_modules/effect/src/RcMap.ts"),
        run(experiments.rcMap)
      ],
      [
        "The implementation, around the place where an entry is made.",
        read(around("node_modules/effect/src/internal/rcMap.ts", "const getImpl|export const get", 2, 70))
      ]
    ],
    answer: (results) => `What the experiment printed: ${(results[1] ?? "").trim().split("\n").join("; ")}.`
  }
]

export const platform = [
  {
    ask: "Read the second half of the design too, I will ask about it later.",
    steps: [["From where I stopped, in one piece.", read({ path: design, from: 216, to: 407 })]],
    answer:
      "Read. The parts I expect questions about: the ladder of rungs judged by generation and measured total, one replacement as one batch, the order of the classification rows, and that swapping any service in a test is one Layer."
  },
  {
    ask: "How does the platform's HTTP client report a status that is not 2xx? Our adapter has to see the body then.",
    steps: [
      [
        "I search the client and its errors.",
        search("filterStatusOk|class ResponseError|class RequestError", "node_modules/@effect/platform/src"),
        search("filterStatusOk", "node_modules/@effect/platform/src/internal/httpClient.ts")
      ],
      [
        "The error's fields and the filter itself.",
        read({ path: "node_modules/@effect/platform/src/HttpClientError.ts", from: 1, to: 130 }),
        read(around("node_modules/@effect/platform/src/internal/httpClientResponse.ts", "filterStatusOk", 4, 40))
      ]
    ],
    answer:
      "The client itself does not fail for a status; a filter does, and its error carries the response, so the body can still be read. As read, not tried."
  },
  {
    ask: "Is there an SSE decoder in what we have installed, or do we write one?",
    steps: [
      [
        "I look in the experimental package.",
        run("ls node_modules/@effect/experimental/src | head -60"),
        search("^export (const|interface|class)", "node_modules/@effect/experimental/src/Sse.ts")
      ],
      ["Its parser.", read({ path: "node_modules/@effect/experimental/src/Sse.ts", from: 1, to: 230 })]
    ],
    answer:
      "There is one, in the experimental package; it parses chunk by chunk and treats retry as an event of its own. It is not a peer dependency of ours, so the core cannot import it."
  },
  {
    ask: "How long are the messages of the tokenizer's own documentation, and does it say how it treats special tokens?",
    steps: [
      [
        "Its README, the parts about special tokens, and its size.",
        search("pecial", "node_modules/gpt-tokenizer/README.md"),
        run("wc node_modules/gpt-tokenizer/README.md"),
        read({ path: "node_modules/gpt-tokenizer/README.md", from: 60, to: 260 })
      ],
      ["A short experiment with a text that holds one.", run(experiments.special)]
    ],
    answer: (results) =>
      `By its README special tokens are refused unless allowed; measured: ${last(results).trim().split("\n").join("; ").slice(0, 300)}.`
  },
  {
    ask: "Look at how Effect implements retry itself. I want the real code, not the documentation.",
    steps: [
      [
        "I find it.",
        search("retry_combined|retryOrElse_|export const retry", "node_modules/effect/src/internal/schedule.ts"),
        search("fromRetryOptions", "node_modules/effect/src/internal/schedule.ts")
      ],
      [
        "Schedules and drivers from the internal module, a long piece.",
        read({ path: "node_modules/effect/src/internal/schedule.ts", from: 1, to: 640 })
      ],
      [
        "And the part at the end, where the options become a schedule.",
        read(around("node_modules/effect/src/internal/schedule.ts", "const fromRetryOptions", 30, 40))
      ]
    ],
    answer:
      "The options are put on the base schedule one after the other: `while` before `times`, so the guard stands inside the bound. That is why it is asked once more than there are repetitions."
  },
  {
    ask: "And the keyed lock: what does a semaphore cost in memory, how is it built?",
    steps: [
      [
        "The implementation in the circular effects.",
        search(
          "class Semaphore|unsafeMakeSemaphore|withPermits",
          "node_modules/effect/src/internal/effect/circular.ts"
        ),
        read(around("node_modules/effect/src/internal/effect/circular.ts", "class Semaphore", 4, 90))
      ],
      ["How many can be made in a megabyte, roughly.", run(experiments.semaphores)]
    ],
    answer: (results) =>
      `It is a small class with a set of waiters and two counters. Measured: ${last(results).trim()}.`
  },
  {
    ask: "What stands in the log's neighbours: is there a file system abstraction with append and sync that we can use?",
    steps: [
      [
        "The interface of the platform's FileSystem and its File.",
        search(
          "readonly (sync|writeAll|write|open|truncate|seek)\\b",
          "node_modules/@effect/platform/src/FileSystem.ts"
        ),
        read(around("node_modules/@effect/platform/src/FileSystem.ts", "export interface File ", 6, 40))
      ],
      [
        "And how the Node layer does sync.",
        search("fsync|sync\\b", "node_modules/@effect/platform-node-shared/src/internal/fileSystem.ts")
      ]
    ],
    answer: "Yes: a File has write, writeAll, sync, seek and truncate, and the Node layer maps sync to the system call."
  },
  {
    ask: "Give me the middle of Effect's Stream documentation about scoped resources, we return streams from sessions.",
    steps: [
      [
        "Where it speaks of scopes.",
        search(
          "^export const (unwrapScoped|acquireRelease|ensuring|scoped|fromPubSub|fromQueue)\\b",
          "node_modules/effect/src/Stream.ts"
        )
      ],
      [
        "The first five hundred lines around acquireRelease, since the options differ.",
        read(around("node_modules/effect/src/Stream.ts", "^export const acquireRelease", 60, 500))
      ]
    ],
    answer:
      "acquireRelease ties the resource to the stream's own scope; unwrapScoped takes an effect that needs a scope and keeps it open as long as the stream runs. A stream handed out of a closed scope has lost its resource."
  }
]
