import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { report } from "../../../src/cli/inspect/run.ts"
import { render } from "../../../src/cli/inspect/table.ts"
import { listShared, missing, transcripts } from "../../shared.ts"

const inspect = (file: string) =>
  report({
    file,
    format: undefined,
    window: "32000",
    policy: undefined,
    session: undefined,
    html: undefined,
    full: false,
    json: false
  }).pipe(Effect.provide(NodeContext.layer), Effect.runPromise)

/** Each is a file, or a folder in a folder, which is one session in several files. */
const entries = (root: URL): ReadonlyArray<string> =>
  readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => listShared(root, name))
    .map((path) => fileURLToPath(new URL(path, root)))

describe("inspect of session files of other tools", () => {
  it("gives figures that agree with themselves", async ({ skip }) => {
    if (transcripts === undefined) return skip(missing)
    for (const file of entries(transcripts)) {
      const found = await inspect(file)
      assert.isAbove(found.sessions.length, 0, file)
      for (const session of found.sessions) {
        const sum = Object.values(session.parts).reduce((all, tokens) => all + tokens, 0)
        assert.isBelow(Math.abs(sum - session.tokens), 10, file)
        const { checkpoints, steps } = session
        assert.isTrue(
          steps.tokens.every((tokens) => Number.isFinite(tokens) && tokens >= 0),
          file
        )
        assert.isTrue(
          checkpoints.every(({ step }) => step >= 0 && step <= steps.place.length),
          file
        )
        assert.isAtMost(session.heaviest.length, 10)
        assert.isAtMost(session.advice.length, 2)
      }
      assert.notMatch(render({ ...found, file: "file" }, { columns: 60, bold: false }), /NaN|Infinity/u, file)
    }
  })
})
