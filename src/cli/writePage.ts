/**
 * Writes the page of a report.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { BadInput, RunFailed } from "./exitCode.ts"
import { refuseNowhere } from "./output.ts"
import { type Assets, assets } from "./page/assets.ts"

/**
 * `path` is what `--html` names, and `file` the session that the page is about, which it never takes the place of.
 *
 * @since 0.1.0
 * @category constructors
 */
export const writePage = Effect.fnUntraced(function* (path: string, file: string, page: (assets: Assets) => string) {
  const { resolve } = yield* Path.Path
  if (file !== "-" && resolve(path) === resolve(file)) {
    return yield* new BadInput({ message: `--html ${path} is the session file itself: name another file` })
  }
  if (assets === undefined)
    return yield* new RunFailed({ message: "a page is written by the built command only: npm run build" })
  yield* refuseNowhere("--html", path)
  const fs = yield* FileSystem.FileSystem
  yield* fs
    .writeFileString(path, page(assets))
    .pipe(Effect.mapError((error) => new BadInput({ message: `cannot write the page ${path}: ${error.message}` })))
})
