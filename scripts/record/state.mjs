// Questions about the state of the repository: what is there, whether it is in order, how it came about.
import { around, count, design, failed, find, last, list, read, run, section } from "./ask.mjs"
import { experiments } from "./experiments.mjs"

export const orientation = [
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

export const checks = [
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

const latest = "$(git log -1 --format=%h -- src)"

export const history = [
  {
    ask: "Walk me through the latest commit that touched the code.",
    steps: [
      ["What it touches first.", run(`git show --stat --format='%h %ad %s%n%n%b' --date=short ${latest} -- src`)],
      [
        "Then its largest change.",
        run(
          `git show --format='%h %s' ${latest} -- $(git show --numstat --format= ${latest} -- src | sort -rn | head -1 | cut -f3) | head -160`
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
