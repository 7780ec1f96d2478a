// Everything that reads the code without running it: types, lint (with the direction of imports), Effect's own
// diagnostics, format. Runs all of them and fails if one failed.
import { spawnSync } from "node:child_process"

const checks = [
  ["types", ["node_modules/typescript/bin/tsc", "--noEmit", "-p", "tsconfig.json"]],
  ["lint", ["node_modules/oxlint/bin/oxlint", "--deny-warnings"]],
  ["effect", ["node_modules/@effect/language-service/cli.js", "diagnostics", "--project", "tsconfig.json", "--strict"]],
  ["format", ["node_modules/prettier/bin/prettier.cjs", "--check", "--log-level", "warn", "."]]
]
const failed = checks.filter(([name, args]) => {
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" })
  console.log(`${name}: ${status === 0 ? "ok" : "FAILED"}`)
  return status !== 0
})
process.exit(failed.length === 0 ? 0 : 1)
