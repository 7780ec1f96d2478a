// One short review for each module of the repository, in the order of the folders' arrows. What the agent says about a
// module is counted in it here, in the same moment.
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { lines, root } from "./tools.mjs"

const modules = () => {
  const order = ["errors", "session", "compaction", "services", "formats", "layers", "ai", "testing", "cli"]
  const rank = (path) => order.indexOf(path.split("/")[1])
  return lines("git ls-files 'src/*.ts'")
    .filter((path) => rank(path) !== -1 && basename(path) !== "index.ts")
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

const asks = [
  (path) => `Next, ${path}. What is it for, and who uses it?`,
  (path) => `Have a look at ${path}. I want to know what it exports and whether anything of that is unused.`,
  (path) => `接下来请看 ${path}：它导出了什么，被哪些文件使用？`,
  (path) => `What would break if I changed ${path}?`,
  (path) => `Please go through ${path} the way you would in a review, and tell me how large it is and what hangs on it.`
]

const openings = [
  "I read the module and look for its users at the same time.",
  "First the text itself, then everyone who imports it.",
  "Two things at once: what stands in it, and who refers to it.",
  "I read it from the top and count its users."
]

const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`

const isChinese = (text) => /\p{Script=Han}/u.test(text)

const review = (path, index) => {
  const source = readFileSync(join(root, path), "utf8").split("\n")
  const exported = source.flatMap(
    (line) => /^export (?:abstract )?(?:const|class|interface|type|function) (\w+)/u.exec(line)?.[1] ?? []
  )
  const names = [...new Set(exported)]
  const users = lines(`grep -rl --include=*.ts '/${basename(path)}"' src test examples bench 2>/dev/null | sort`)
  const main = names[0] ?? basename(path, ".ts")
  const ask = asks[index % asks.length](path)
  const summary = isChinese(ask)
    ? `${path} 共 ${source.length - 1} 行，导出 ${names.length} 个名字：${names.slice(0, 8).join("、")}${names.length > 8 ? " 等" : ""}。` +
      (users.length === 0
        ? "目前没有文件导入它。"
        : `有 ${users.length} 个文件导入它：${users.slice(0, 5).join("、")}。`)
    : `${path} has ${source.length - 1} lines and exports ${counted(names.length, "name")}${names.length === 0 ? "" : `: ${names.slice(0, 8).join(", ")}${names.length > 8 ? " and others" : ""}`}. ` +
      (users.length === 0
        ? "Nothing imports it yet, so a change is free as long as the types hold."
        : `Imported by ${counted(users.length, "file")} (${users.slice(0, 5).join(", ")}${users.length > 5 ? ", …" : ""}); those are what a change touches first.`)
  const second = [
    isChinese(ask)
      ? `看看 ${main} 在哪里被提到，以及这个文件的提交历史。`
      : `Where ${main} is mentioned, and how the file came about.`,
    ["run", { command: `grep -rnw --include=*.ts -e '${main}' src test | head -15` }],
    ["run", { command: `git log --format='%h %ad %s' --date=short -- ${path}` }]
  ]
  const to = Math.min(source.length - 1, 190)
  return {
    ask,
    steps: [
      [
        openings[index % openings.length],
        ["read_file", { path, from: 1, to }],
        ["run", { command: `wc ${path} && grep -rl --include=*.ts '/${basename(path)}"' src test | sort` }]
      ],
      ...(index % 2 === 0 ? [second] : [])
    ],
    answer: summary
  }
}

export const reviews = () => modules().map(review)
