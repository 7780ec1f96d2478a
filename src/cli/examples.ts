/**
 * What the help of each command shows below its options, as data: examples, and what its report's words mean.
 *
 * @since 0.1.0
 */

/**
 * What to do, and the lines that do it.
 *
 * @since 0.1.0
 * @category models
 */
export type Example = readonly [what: string, ...lines: ReadonlyArray<string>]

/**
 * By the command's name. The first of each is shown for the program as a whole.
 *
 * @since 0.1.0
 * @category constants
 */
export const examples: Readonly<Record<string, ReadonlyArray<Example>>> = {
  inspect: [
    [
      "What fills the window of a session, and what a policy would have done about it:",
      "effect-compaction inspect session.jsonl"
    ],
    [
      "In another window, by another policy, as data:",
      "effect-compaction inspect session.jsonl --window 200000 --policy policy.json --json"
    ],
    ["As a page that opens from disk:", "effect-compaction inspect session.jsonl --html report.html"]
  ],
  compact: [
    [
      "A session that fits a window of 32k again, in its own format, without asking a model:",
      "effect-compaction compact session.jsonl --window 32000 --out smaller.jsonl"
    ],
    [
      "What it would take to get below 8,000 tokens, and nothing written:",
      "effect-compaction compact session.jsonl --to 8000 --dry-run"
    ],
    [
      "From standard input to standard output, as messages for another API:",
      "effect-compaction compact - --to 20000 --format anthropic-messages"
    ],
    [
      "A model summarises what is old:",
      "effect-compaction compact session.jsonl --window 64000 --base-url http://localhost:8080/v1 --model qwen3 --out smaller.jsonl"
    ]
  ],
  chat: [
    ["An agent for the files of this folder; without a key it is simulated:", "effect-compaction chat"],
    [
      "A small window, so that it is seen filling up, and the same session again:",
      "effect-compaction chat --window 8000 --session try",
      "effect-compaction chat --window 8000 --session try"
    ],
    [
      "A server of one's own; a question in a script:",
      "effect-compaction chat --base-url http://localhost:8080/v1 --model qwen3",
      "git diff | effect-compaction chat --once --provider deepseek > review.txt"
    ]
  ],
  replay: [
    [
      "What a window of 16k does to a recorded session, and how much is sent with and without compaction:",
      "effect-compaction replay session.json --window 16000"
    ],
    [
      "The adapter believes in 24k and the provider takes 16k: overflows, and their rescue:",
      "effect-compaction replay session.json --window 16000 --told-window 24000"
    ],
    [
      "The figures as data, the logs kept, and the run taken up again after Ctrl-C:",
      "effect-compaction replay session.json --window 8000 --dir logs --json",
      "effect-compaction replay session.json --window 8000 --dir logs --json --resume"
    ],
    [
      "A real model:",
      "effect-compaction replay session.json --window 32000 --provider openai-compatible --base-url http://localhost:8080/v1 --model qwen3 --api-key-env API_KEY"
    ]
  ],
  simulate: [
    [
      "What other thresholds would have cost, at prices for a million tokens:",
      "effect-compaction simulate session.json --window 32000 --threshold 0.6..0.9:0.1 --prices 3,0.3,15"
    ],
    [
      "Two policies side by side, request by request, as a page:",
      "effect-compaction simulate session.json --window 32000 --policy lean.json --policy rich.json --html policies.html"
    ]
  ],
  meter: [
    [
      "How well the token meter would have predicted what the provider counted:",
      "effect-compaction meter session.jsonl"
    ],
    ["All rows of a folder of sessions as data:", "effect-compaction meter sessions/ --json"]
  ],
  classify: [
    ["What a provider's errors are, one a line:", "effect-compaction classify errors.jsonl"],
    ["The same as data, from another program:", "my-logs | effect-compaction classify --json -"],
    ["Whether they are what they are expected to be:", "effect-compaction classify errors.jsonl --expect"]
  ],
  provider: [
    [
      "A simulated provider for any client to talk to, which refuses the third request as too long:",
      "effect-compaction provider --port 4010 --window 8000 --as anthropic --refuse-at 3"
    ]
  ],
  copy: [
    [
      "Sessions from one store into another, compared at both ends before it says done:",
      "effect-compaction copy logs sqlite:sessions.db"
    ],
    [
      "One session, from a database into another:",
      "effect-compaction copy sqlite:sessions.db postgres://app@localhost/app --session t42"
    ],
    ["One that its owner still writes:", "effect-compaction copy logs/t42.jsonl backup/t42.jsonl --while-open"]
  ],
  doctor: [
    [
      "What is in a session's log, what is wrong with it, and a new log with all that can be kept:",
      "effect-compaction doctor logs/session.jsonl",
      "effect-compaction doctor logs/session.jsonl --repair repaired.jsonl"
    ]
  ]
}

/**
 * How to read what a command prints, by the command's name.
 *
 * @since 0.1.0
 * @category constants
 */
export const readings: Readonly<Record<string, readonly [title: string, text: string]>> = {
  replay: [
    "WHAT REPLAY REPORTS",
    "steps: requests of the conversation, refused ones included; requests: those and the summary calls; tokens sent with and without compaction: what the steps carried, and what the same steps would have carried uncompacted, by the provider's count; overflows: refused requests; rescues: overflows after which the request went through; retries: requests sent again by rescue (never without progress, and each one smaller than the refused one); pressure: tokens of the next request; generation: replacements that landed; spend: summary calls. Of several sessions the sums are given, of the pressures the largest."
  ],
  meter: [
    "WHAT METER REPORTS",
    "first table, where 0 is a perfect prediction: growth: tokens by which the input grew from one report of the provider to the next; meter: the errors of the meter's predictions as a share of that growth; same and plus output: the same of two predictors without a meter, \"as much as last time\" and that plus the last answer. Second table: mean and p95: the error as a share of the counted input; worst under: the most that was counted above a prediction; upper missed: how often the count was above the meter's upper bound; slack: how far that bound was above the prediction on average. apart: requests that are left out of the figures, and why."
  ]
}
