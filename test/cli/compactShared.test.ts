import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { existsSync } from "node:fs"
import { compactSession, inWindow } from "../../src/cli/compactSession.ts"
import { ofSession } from "../../src/cli/compactReport.ts"
import { defaults } from "../../src/compaction/Policy.ts"
import { Formats } from "../../src/formats/index.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import { transcriptFiles } from "../formats/transcriptFiles.ts"
import { broken } from "../formats/wholePairs.ts"

// Files that other tools wrote lie beside the checkout on some machines; they are not ours to ship.
const folder = ["../shared", "../../shared"]
  .map((place) => new URL(`../../${place}/transcripts/`, import.meta.url))
  .find((url) => existsSync(url))

const window = 32_000
const target = inWindow(window, defaults)

describe("compact --no-model --window 32000", () => {
  it.effect(
    "gives of every file a session that its own decoder reads with whole pairs, under the threshold or with the reason",
    ({ skip }) =>
      Effect.gen(function* () {
        if (folder === undefined) return skip("shared/transcripts is not on this machine")
        let smaller = 0
        for (const { name, source } of transcriptFiles(folder)) {
          const { format, sessions } = Either.getOrThrow(Formats.decode(source, { history: "last-seen" }))
          const outFormat = Formats.written.includes(format) ? format : "openai-chat"
          // of a file of many small ones a few say as much
          for (const session of sessions.filter(({ messages }) => messages.length > 0).slice(0, 5)) {
            const compacted = yield* compactSession(session, target, false)
            const report = ofSession(compacted)
            const written = { ...session, messages: compacted.messages }
            const { text } = Either.getOrThrow(Formats.encode({ format, sessions: [written] }, { format: outFormat }))
            const again = Either.getOrThrow(Formats.decode(text, { format: outFormat, history: "last-seen" }))
              .sessions[0]
            assert.deepStrictEqual(broken(again.messages), [], name)
            assert.strictEqual(again.messages.length, report.after.messages, name)
            // what is read again is measured anew, as it stands there
            const measured = ofSession(yield* compactSession({ ...again, requests: session.requests }, target, false))
            if (report.reason === null) assert.isBelow(measured.before.tokens, window, name)
            else assert.include(report.reason, "the newest exchange")
            if (report.rungs.length > 0) smaller++
          }
        }
        assert.isAbove(smaller, 15)
      }).pipe(Effect.provide(Summarizer.layerNone)),
    { timeout: 120_000 }
  )
})
