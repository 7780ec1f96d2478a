import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import * as Chat from "@effect/ai/Chat"
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import * as Stream from "effect/Stream"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Guarded from "/work/wt/attack/src/ai/Guarded.ts"
import * as cm from "/work/wt/attack/test/ai/countingModel.ts"
const W = cm.words
const user = (text: any) => Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text })] })
const asst = (text: any) => Prompt.makeMessage("assistant", { content: [Prompt.makePart("text", { text })] })
const filler = (n: number) => Array.from({ length: n }, (_, i) => [user(`${i} ${W(15, "q")}`), asst(W(130))]).flat()
// a model with every behaviour
const mk = (behave: (n: number, tokens: number, isSum: boolean) => any) => {
  let n = 0, sums = 0, reqs = 0
  const sizes: number[] = []
  const answer = (o: LanguageModel.ProviderOptions) => Effect.suspend(() => {
    const s = cm.isSummary(o.prompt); s ? sums++ : reqs++
    const tokens = cm.tokensOf(o.prompt); if (!s) sizes.push(tokens)
    const b = behave(n++, tokens, s)
    if (b.fail) return Effect.fail(b.fail)
    if (b.die) return Effect.die(b.die)
    if (b.never) return Effect.never
    const text = s && !b.text ? cm.summaryFor((o.prompt.content.at(-1) as any).content[0].text) : b.text ?? W(130)
    const parts: any[] = text === "" ? [] : [{ type: "text", text }]
    return Effect.as(Effect.yieldNow(), [...parts, { type: "finish", reason: b.reason ?? "stop", usage: b.usage ?? { inputTokens: tokens, outputTokens: 5, totalTokens: tokens + 5 } }] as any)
  })
  const layer = Layer.effect(LanguageModel.LanguageModel, LanguageModel.make({ generateText: answer as any, streamText: (o: any) => Stream.fromIterableEffect(answer(o) as any).pipe(Stream.mapConcat((p: any) => p.type === "text" ? [{ type: "text-start", id: "0" }, { type: "text-delta", id: "0", delta: p.text }, { type: "text-end", id: "0" }] : [p])) as any }))
  return { layer, stats: () => ({ reqs, sums }), sizes }
}
const full = (t: number, w: number) => t > w ? { fail: cm.refusal(t, undefined) } : {}
const cases: Record<string, any> = {
  zeroUsage: (n: number, t: number) => ({ ...full(t, 8000), usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } }),
  negative: (n: number, t: number) => ({ ...full(t, 8000), usage: { inputTokens: -5, outputTokens: -1, totalTokens: -6 } }),
  nan: (n: number, t: number) => ({ ...full(t, 8000), usage: { inputTokens: NaN, outputTokens: NaN, totalTokens: NaN } }),
  inf: (n: number, t: number) => ({ ...full(t, 8000), usage: { inputTokens: Infinity, outputTokens: 1e308, totalTokens: 1 } }),
  huge: (n: number, t: number) => ({ ...full(t, 8000), usage: { inputTokens: 1e15, outputTokens: 5, totalTokens: 1e15 } }),
  tenfold: (n: number, t: number) => ({ ...full(t, 8000), usage: { inputTokens: t * 10, outputTokens: 5, totalTokens: t } }),
  undef: (n: number, t: number) => ({ ...full(t, 8000), usage: { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined } }),
  constant: (n: number, t: number) => ({ ...full(t, 8000), usage: { inputTokens: 4000, outputTokens: 5, totalTokens: 4005 } }),
  cachedOnly: (n: number, t: number) => ({ ...full(t, 8000), usage: { inputTokens: 12, outputTokens: 5, totalTokens: 17, cachedInputTokens: t } }),
  shrinks: (n: number, t: number) => full(t, n < 40 ? 8000 : n < 120 ? 4000 : 2000),
  refusesAll: (n: number, t: number) => ({ fail: cm.refusal(t, undefined) }),
  refusesAllStates: (n: number, t: number) => ({ fail: cm.refusal(t, 100) }),
  refusesConv: (n: number, t: number, s: boolean) => s ? {} : { fail: cm.refusal(t, undefined) },
  refusesConvStates8000: (n: number, t: number, s: boolean) => s ? {} : { fail: cm.refusal(t, 8000) },
  limit0: (n: number, t: number, s: boolean) => s ? {} : { fail: cm.refusal(t, 0) },
  limit1e18: (n: number, t: number, s: boolean) => s ? {} : { fail: cm.refusal(t, 1e18) },
  refusesEveryOther: (n: number, t: number, s: boolean) => n % 2 ? {} : { fail: cm.refusal(t, undefined) },
  sumDies: (n: number, t: number, s: boolean) => s ? { die: new Error("boom") } : full(t, 8000),
  sumEmpty: (n: number, t: number, s: boolean) => s ? { text: "" } : full(t, 8000),
  sumLong: (n: number, t: number, s: boolean) => s ? { text: W(9000) } : full(t, 8000),
  emptyAnswer: (n: number, t: number, s: boolean) => s ? {} : { text: "", usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } },
}
const only = process.argv.slice(2)
for (const [name, b] of Object.entries(cases)) {
  if (only.length && !only.includes(name)) continue
  const model = mk(b); const logs = new Map<string, number>()
  const logger = Logger.replace(Logger.defaultLogger, Logger.make(({ message, cause }) => { const k = String(message).slice(0, 120) + Cause.pretty(cause).slice(0, 100); logs.set(k, (logs.get(k) ?? 0) + 1) }))
  let ok = 0, bad = 0; const errs = new Set<string>(); let worst = 0
  for (const stream of [false, true])
  await Effect.runPromise(Effect.gen(function* () {
    let msgs: any[] = []
    for (let i = 0; i < 120; i++) {
      msgs = [...msgs, user(`${i}: ${W(15, "ask")}`)]
      const b4 = model.stats()
      const prompt = Prompt.fromMessages(msgs)
      const ex: any = yield* Effect.exit(stream ? Stream.runDrain(LanguageModel.streamText({ prompt })) : LanguageModel.generateText({ prompt }))
      const d = model.stats(); worst = Math.max(worst, d.reqs - b4.reqs + d.sums - b4.sums)
      if (Exit.isSuccess(ex)) ok++; else { bad++; errs.add(Cause.pretty(ex.cause).slice(0, 100).replace(/\n/g, " ")) }
      msgs.push(asst(W(130)))
    }
  }).pipe(Effect.provide(Layer.provide(Guarded.layer({ window: 8000 }), model.layer)), Effect.provide(logger)) as any)
  console.log(name, JSON.stringify(model.stats()), "ok", ok, "bad", bad, "worst/call", worst, [...errs].slice(0, 2), "max", Math.max(...model.sizes))
  for (const [k, v] of logs) console.log("    ", v, k.replace(/\n/g, " "))
}
