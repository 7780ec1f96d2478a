/**
 * Writes the page of a report.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { BadInput, RunFailed } from "./exitCode.ts"
import { refuseOutput, replaceFile, sameFile } from "./output.ts"
import { type Assets, assets } from "./page/assets.ts"

/**
 * How the page is written, once there is a report; or why it cannot be, before there is any work. `path` is what `--html`
 * names, and `file` the session that the page is about, which it never takes the place of.
 *
 * @since 0.1.0
 * @category constructors
 */
export const pageWriter = Effect.fnUntraced(function* (path: string, file: string) {
  if (file !== "-" && (yield* sameFile(path, file))) {
    return yield* new BadInput({ message: `--html ${path} is the session file itself: name another file` })
  }
  const parts = assets
  if (parts === undefined)
    return yield* new RunFailed({ message: "a page is written by the built command only: npm run build" })
  const output = { option: "--html", path, force: true }
  yield* refuseOutput(output)
  return (page: (assets: Assets) => string) => replaceFile(output, page(parts))
})
