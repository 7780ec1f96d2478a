// Questions about details of our own code, and about text that is not English.
import { around, count, design, find, last, read, run, search, section } from "./ask.mjs"
import { experiments } from "./experiments.mjs"

export const questions = [
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

export const chinese = [
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
