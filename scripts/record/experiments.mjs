// The agent's small programs. They run for real, from the root of the repository.
const node = (program) => `node --input-type=module -e '${program.trim()}'`

const missingName = (flags) => `cat > $SCRATCH/scratch.ts <<'END'
import * as Message from "./src/session/Message.ts"
export const result = Message.toolResult({ id: "a", content: "x" })
END
sed -i "s#\\./src#$PWD/src#" $SCRATCH/scratch.ts
tsc --noEmit --strict --skipLibCheck --module nodenext --moduleResolution nodenext --target es2022 --allowImportingTsExtensions ${flags}$SCRATCH/scratch.ts`

const density = (language, words) =>
  node(`
import { readFileSync } from "node:fs"
import { encode } from "gpt-tokenizer/encoding/o200k_base"
const measure = (name, text) => console.log(name, [...text].length, "characters", encode(text).length, "tokens", ([...text].length / encode(text).length).toFixed(2), "characters a token")
const messages = Object.values(JSON.parse(readFileSync("node_modules/typescript/lib/${language}/diagnosticMessages.generated.json", "utf8")))
measure("${words}", messages.filter((text) => /[\\p{Script=Han}\\p{Script=Hiragana}]/u.test(text)).slice(0, 400).join("\\n"))
measure("a TypeScript source", readFileSync("node_modules/effect/src/RcMap.ts", "utf8"))
measure("the design", readFileSync("docs/design.md", "utf8"))
`)

export const experiments = {
  missingName: missingName(""),
  missingNameJapanese: missingName("--locale ja "),
  density: density("zh-cn", "zh-cn"),
  densityJapanese: density("ja", "ja"),
  special: node(`
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
const text = "a <|endoftext|> b"
try { console.log("as it is:", countTokens(text)) } catch (error) { console.log("as it is:", error.message) }
console.log("nothing disallowed:", countTokens(text, { disallowedSpecial: new Set() }))
`),
  semaphores: node(`
import * as Effect from "effect/Effect"
const before = process.memoryUsage().heapUsed
const kept = Array.from({ length: 100000 }, () => Effect.unsafeMakeSemaphore(1))
console.log(Math.round((process.memoryUsage().heapUsed - before) / kept.length), "bytes a semaphore")
`),
  recurs: node(`
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
for (const n of [0, 1, 2]) {
  let calls = 0
  const failing = Effect.suspend(() => (calls++, Effect.fail("no")))
  await Effect.runPromiseExit(Effect.retry(failing, Schedule.recurs(n)))
  console.log("recurs(" + n + ") made", calls, "calls")
}
`),
  guard: node(`
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
const count = async (name, retry) => {
  let calls = 0
  let asked = 0
  const failing = Effect.suspend(() => (calls++, Effect.fail("no")))
  const guard = () => Effect.sync(() => (asked++, true))
  await Effect.runPromiseExit(retry(failing, guard))
  console.log(name, calls, "calls", asked, "guard runs")
}
await count("as an option:", (self, guard) => Effect.retry(self, { times: 2, while: guard }))
await count("outermost:", (self, guard) => Effect.retry(self, Schedule.recurs(2).pipe(Schedule.whileInputEffect(guard))))
`),
  span: node(`
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
const error = { _tag: "Refused", limit: 4000 }
const caught = await Effect.runPromise(Effect.flip(Effect.withSpan(Effect.fail(error), "request")))
console.log("same object inside a span:", caught === error)
const inside = await Effect.runPromise(Effect.fail(error).pipe(Effect.catchAll((seen) => Effect.succeed(seen)), Effect.withSpan("request")))
console.log("same object when caught inside the span:", inside === error)
console.log("after Cause.originalError:", Cause.originalError(inside) === error)
`),
  rcMap: node(`
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
let lookups = 0
const program = Effect.gen(function*() {
  const map = yield* RcMap.make({ lookup: (key) => Effect.suspend(() => (lookups++, Effect.fail("cannot open " + key))), idleTimeToLive: "1 minute" })
  const get = Effect.scoped(RcMap.get(map, "a")).pipe(Effect.flip)
  console.log(yield* get, "after", lookups, "lookups")
  console.log(yield* get, "after", lookups, "lookups")
  yield* RcMap.invalidate(map, "a")
  console.log(yield* get, "after invalidate and", lookups, "lookups")
})
await Effect.runPromise(Effect.scoped(program))
`)
}
