// The thread of the recorded session: questions that somebody who looks after this repository has, and how an agent
// goes about them. Paths are looked up when it runs, since the repository grows.
import { basename } from "node:path"
import { experiments } from "./experiments.mjs"
import { lines } from "./tools.mjs"

const sources = lines("git ls-files 'src/*.ts'")
const find = (name) => sources.find((path) => basename(path) === name) ?? `src/${name}`
const design = "docs/design.md"
const headings = lines(`grep -n '^## ' ${design}`)
const section = (title) => {
  const index = headings.findIndex((line) => line.toLowerCase().includes(title))
  const at = (line) => Number((line ?? "1:").split(":")[0])
  const from = index === -1 ? 1 : at(headings[index])
  return {
    path: design,
    from,
    to: index === -1 || index + 1 >= headings.length ? from + 60 : at(headings[index + 1]) - 1
  }
}
const lineOf = (path, pattern) => Number((lines(`grep -nE '${pattern}' ${path}`)[0] ?? "1:").split(":")[0]) || 1
const around = (path, pattern, before, after) => {
  const line = lineOf(path, pattern)
  return { path, from: Math.max(1, line - before), to: line + after }
}
const count = (text) => text.split("\n").filter((line) => line !== "").length
const last = (results) => results.at(-1) ?? ""
const failed = (text) => /\[exit code/u.test(text)
const run = (command) => ["run", { command }]
const read = (place) => ["read_file", place]
const search = (pattern, path) => ["search", { pattern, path }]
const list = (path) => ["list_files", { path }]

const orientation = [
  {
    ask: "I have been away from this repository for a while. Give me an overview: what is there, and what happened last?",
    steps: [
      [
        "I look at the top level, the sources and the latest commits.",
        list("."),
        run("git ls-files src | sort | head -80"),
        run("git log --format='%h %ad %s' --date=short | head -20")
      ],
      [
        "The package file says what it offers and which commands there are.",
        read({ path: "package.json", from: 1, to: 60 })
      ],
      ["And the sizes, to see where the weight is.", run("git ls-files 'src/*.ts' | xargs wc -l | sort -n | tail -30")]
    ],
    answer: (results) =>
      `There are ${count(results[1])} tracked files under src (the list stops at 80) and ${count(results[2])} commits in the list, the latest first. The package offers several entry points and one command; the last listing has the files by length.`
  },
  {
    ask: "Read the design from the start, as far as you get in one go. I want you to have the promises in mind.",
    steps: [["I read the first half in one piece.", read({ path: design, from: 1, to: 215 })]],
    answer:
      "Read. What I keep in mind: the generation only moves forward and in one place; a replacement has to be smaller; no retry without evidence; the provider's own error survives; pairs stay together; nothing is lost; interruption wins."
  },
  {
    ask: "And the parts on prevention, rescue and errors?",
    steps: [
      [
        "Those are sections of their own; I read them side by side.",
        read(section("prevention")),
        read(section("rescue, step")),
        read(section("errors"))
      ]
    ],
    answer:
      "Prevention measures before a request and never fails the turn. Rescue wraps one request, asks its guard only while an attempt is left, and hands out the provider's own error when it stops. All errors are tagged and carry a code, a status and an excerpt, never the request itself."
  }
]

const checks = [
  {
    ask: "Is the repository in order at the moment? Types, lint, format.",
    steps: [
      [
        "Types and lint do not depend on each other.",
        run("tsc --noEmit -p tsconfig.json && echo 'no type errors'"),
        run("oxlint --deny-warnings")
      ],
      [
        "Then the format, and what the check script runs beside these.",
        run("prettier --check --log-level warn src scripts docs && echo formatted"),
        read({ path: "scripts/check.mjs" })
      ]
    ],
    answer: (results) =>
      results.some(failed)
        ? "Not everything: see the results with an exit code; the others are clean."
        : "Types, lint and format are clean. The check script adds Effect's own diagnostics, which I did not run now."
  },
  {
    ask: "Run the tests of the formats, please.",
    steps: [
      ["I look which tests there are before I run some.", run("git ls-files test | sort | head -60")],
      ["Now those of the formats alone.", run("vitest run test/formats --exclude '**/example.test.ts' 2>&1 | tail -40")]
    ],
    answer: (results) =>
      /failed/u.test(last(results))
        ? "Some fail; the output has the names."
        : "They pass; the output has the numbers for each file."
  },
  {
    ask: "Someone told me `vitest run test/nowhere` succeeds when there are no tests. Does it?",
    steps: [
      [
        "I try it, and with the flag that is meant for this.",
        run("vitest run test/nowhere 2>&1 | tail -15; exit ${PIPESTATUS[0]}"),
        run("vitest run test/nowhere --passWithNoTests 2>&1 | tail -8; exit ${PIPESTATUS[0]}")
      ]
    ],
    answer: (results) =>
      `Without the flag it ${failed(results[0]) ? "fails" : "succeeds"}; with --passWithNoTests it ${failed(results[1]) ? "fails too" : "succeeds"}.`
  },
  {
    ask: "What does the compiler say when a tool result is made without its name? I want to see the words.",
    steps: [
      ["First how the constructor is typed.", read(around(find("Message.ts"), "export const toolResult", 6, 24))],
      ["Now a scratch file that leaves the name out.", run(experiments.missingName)],
      [
        "The same words in Japanese, since the compiler brings its own translations.",
        run(experiments.missingNameJapanese)
      ]
    ],
    answer: (results) =>
      `The constructor asks for id, name and content. Without the name the compiler refuses it: ${(results[1].split("\n")[0] ?? "").slice(0, 200)}`
  }
]

const effect = [
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

const chinese = [
  {
    ask: "我们的会话里经常有中文。请看看编译器自带的中文说明，估计一下中文文本每个 token 大约多少字符。",
    steps: [
      ["先看编译器的中文帮助，这是真实的中文文本。", run("tsc --locale zh-cn --help | head -60")],
      [
        "再看一段更长的诊断信息翻译。",
        run(
          "grep -v '^[{}]' node_modules/typescript/lib/zh-cn/diagnosticMessages.generated.json | cut -d: -f2- | grep -P '\\p{Han}' | head -330"
        )
      ],
      ["现在用 o200k 分词器来测量。", run(experiments.density)]
    ],
    answer: (results) =>
      `测量结果：\n${last(results).trim()}\n英文源码每个 token 的字符数明显多于中文，所以按字符数除以四来估算中文会低估很多。`
  },
  {
    ask: "日文呢？再拿 node_modules 里别的中文文档对比一下。",
    steps: [
      [
        "日文的诊断信息，以及一份中文的 README。",
        run(
          "grep -v '^[{}]' node_modules/typescript/lib/ja/diagnosticMessages.generated.json | cut -d: -f2- | grep -P '[\\x{3040}-\\x{30ff}]' | head -60"
        ),
        run("grep -rlP '\\p{Han}{4,}' node_modules --include=*.md | sort | head"),
        run("grep -nP '\\p{Han}' node_modules/nanoid/README.md node_modules/gpt-tokenizer/src/*.test.ts | head -40")
      ],
      ["同样的测量，换成日文。", run(experiments.densityJapanese)]
    ],
    answer: (results) => `日文和中文接近：\n${last(results).trim()}`
  },
  {
    ask: "估算器是怎么处理这种差别的？",
    steps: [
      [
        "看接口，以及设计文档里关于计量的部分。",
        search("interface TokenEstimator|counts|weights", find("TokenEstimator.ts")),
        read(section("token meter").from === 1 ? section("meter") : section("token meter"))
      ]
    ],
    answer: "接口只存原始计数，token 数是加权和；权重可以由真实用量来校正，所以日志里保存的计数以后换估算器也不会变。"
  }
]

const latest = "$(git log -1 --format=%h -- src test)"

const history = [
  {
    ask: "Walk me through the latest commit that touched the code.",
    steps: [
      [
        "What it touches first.",
        run(`git show --stat --format='%h %ad %s%n%n%b' --date=short ${latest} -- src test scripts`)
      ],
      [
        "Then its largest change.",
        run(
          `git show --format='%h %s' ${latest} -- $(git show --numstat --format= ${latest} -- src test scripts | sort -rn | head -1 | cut -f3) | head -160`
        )
      ]
    ],
    answer: "The statistics above list every file; the patch is the largest of them. I did not read the smaller ones."
  },
  {
    ask: "How did the sources grow, commit by commit?",
    steps: [
      [
        "Lines added and removed for each commit.",
        run("git log --reverse --shortstat --format='%h %s' -- src | grep -v '^$' | cut -c1-140 | tail -60")
      ],
      [
        "And which files changed most often.",
        run("git log --format= --name-only -- src | sort | uniq -c | sort -rn | head -20")
      ]
    ],
    answer: (results) =>
      `The first list has it in order. The files that changed most often: ${last(results)
        .trim()
        .split("\n")
        .slice(0, 3)
        .map((line) => line.trim())
        .join("; ")}.`
  },
  {
    ask: "Show me the whole patch that set up the sources of the session model.",
    steps: [
      [
        "I find the commit that added it.",
        run(`git log --diff-filter=A --format='%h %s' -- ${find("SessionEvent.ts")}`)
      ],
      [
        "And its patch for that folder.",
        run(
          `git show --format='%h %ad %s' --date=short $(git log --diff-filter=A --format=%h -- ${find("SessionEvent.ts")} | tail -1) -- src/session`
        )
      ]
    ],
    answer:
      "That commit added the domain as Schema: messages and their blocks, events, route, envelope and ids. The output is cut at the tool's limit, so the last file may be incomplete."
  },
  {
    ask: "There should be a commit 0badc0de that changed the log. What was in it?",
    steps: [
      ["I ask git for it.", run("git show --stat 0badc0de")],
      ["No such commit; perhaps by its words.", run("git log --format='%h %s' --grep='log' -i | head -10")]
    ],
    answer: (results) =>
      `git does not know that commit. ${last(results).startsWith("[no") ? "No message mentions the log either." : "The commits whose messages mention the log are listed above."}`
  }
]

const questions = [
  {
    ask: "Where is the version of the log's format defined, and who reads it?",
    steps: [
      ["I search for it.", search("formatVersion", "src"), search("format version|newer ones", design)],
      [
        "The definition and the event that carries it.",
        read(around(find("SessionEvent.ts"), "formatVersion = ", 10, 6)),
        read(around(find("SessionEvent.ts"), "const SessionOpened", 2, 8))
      ]
    ],
    answer: (results) =>
      `It is a constant beside the events; ${count(results[0])} lines under src mention it. The opening event carries it, and the design says newer versions are refused.`
  },
  {
    ask: "Do all public exports carry a since tag?",
    steps: [
      [
        "I count exports and tags for each file.",
        run(
          "for f in $(git ls-files 'src/*.ts' | grep -v internal | head -40); do printf '%s exports %s since %s\\n' $f $(grep -cE '^export (const|class|interface|type|function)' $f) $(grep -c '@since' $f); done"
        )
      ],
      [
        "Where there are fewer tags than exports, I look closer.",
        run(
          "for f in $(git ls-files 'src/*.ts' | grep -v internal); do e=$(grep -cE '^export (const|class|interface|type|function)' $f); s=$(grep -c '@since' $f); [ $s -lt $e ] && echo $f; done; true"
        )
      ]
    ],
    answer: (results) =>
      last(results).startsWith("[no output]")
        ? "Yes as far as counting tells: no file outside internal folders has fewer tags than exports."
        : `By counting, these have fewer tags than exports: ${last(results).trim().split("\n").join(", ")}.`
  },
  {
    ask: "What does node_modules weigh, and what of that is ours to ship?",
    steps: [
      [
        "The largest packages, and the dependencies by kind.",
        run("du -sk node_modules/* | sort -rn | head -15 | awk '{print $1 \" KB\", $2}'"),
        run(
          "node -p \"const p=require('./package.json');JSON.stringify({peer:p.peerDependencies,dependencies:p.dependencies??{},files:p.files},null,1)\""
        )
      ]
    ],
    answer: "Nothing of it is shipped: there are only peer dependencies, everything large is for development."
  },
  {
    ask: "Which files does the compiler really read? I suspect it reads too much.",
    steps: [
      ["The list of files, without running anything else.", run("tsc --noEmit -p tsconfig.json --listFilesOnly")],
      [
        "By package, that is easier to judge.",
        run(
          "tsc --noEmit -p tsconfig.json --listFilesOnly | sed -E 's#.*/node_modules/((@[^/]+/)?[^/]+)/.*#\\1#;s#^/.*/(src|test|scripts|examples|bench)/.*#our \\1#' | sort | uniq -c | sort -rn | head -20"
        )
      ]
    ],
    answer: (results) =>
      `By far the most come from: ${last(results)
        .trim()
        .split("\n")
        .slice(0, 3)
        .map((line) => line.trim())
        .join("; ")}.`
  },
  {
    ask: "How do the two families of errors differ, those of the model and those of the session?",
    steps: [
      [
        "Their classes side by side.",
        search("^export class", "src/errors"),
        read({ path: find("ModelError.ts"), from: 1, to: 70 }),
        read({ path: find("SessionError.ts"), from: 1, to: 60 })
      ]
    ],
    answer:
      "A model's error carries route, status, the provider's request id and an excerpt, and most have a stable code; a session's error names the session and what holds it or where it broke."
  },
  {
    ask: "Can I read the configuration of the linter as one list of which folder may not import what?",
    steps: [
      ["There is no file of that name that I would guess; I look.", read({ path: "oxlint.config.json" })],
      [
        "The name was wrong. The hidden files, then.",
        run("ls -1a | grep -v '^\\.git$'"),
        run(
          "node -e \"const c=JSON.parse(require('fs').readFileSync('.oxlintrc.json','utf8'));for(const o of c.overrides)console.log(o.files.join(' '),'|',(o.rules['no-restricted-imports']?.[1]?.patterns??[]).map(p=>p.regex).join('  '))\""
        )
      ]
    ],
    answer:
      "The list above has one line for each folder with the patterns it may not import; the arrows are those of the design."
  }
]

const platform = [
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

/** In the order of a working day: looking around, checking, digging, and questions in between. */
export const investigations = () => {
  const groups = [
    orientation,
    questions.slice(0, 2),
    checks.slice(0, 2),
    platform.slice(0, 2),
    effect.slice(0, 2),
    chinese.slice(0, 1),
    platform.slice(2, 5),
    history.slice(0, 2),
    questions.slice(2, 4),
    checks.slice(2),
    chinese.slice(1),
    platform.slice(5),
    effect.slice(2),
    history.slice(2),
    questions.slice(4)
  ]
  return groups.flat()
}
