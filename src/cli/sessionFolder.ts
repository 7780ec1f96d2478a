/**
 * The session files of a folder.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import type { File } from "../formats/Format.ts"
import { isReason } from "../layers/logFault.ts"
import { BadInput } from "./exitCode.ts"
import { unreadable } from "./unreadable.ts"

const isSession = (name: string): boolean => /^[^.].*\.(?:jsonl?|traj)$/u.test(name)

/**
 * Files that may be sessions, or parts of one, by their endings. Some tools keep the events of a session one a file, in a
 * folder `events` of its own.
 *
 * @since 0.1.0
 * @category constructors
 */
export const filesIn: (
  folder: string
) => Effect.Effect<ReadonlyArray<File>, BadInput, FileSystem.FileSystem | Path.Path> = Effect.fnUntraced(
  function* (folder) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const names = yield* Effect.mapError(fs.readDirectory(folder), unreadable(folder, "folder"))
    const events = names.includes("events")
      ? yield* fs.readDirectory(path.join(folder, "events")).pipe(
          // a file of that name
          Effect.catchIf(
            (error) => isReason(error, "BadResource"),
            () => Effect.succeed([])
          ),
          Effect.mapError(unreadable(path.join(folder, "events"), "folder"))
        )
      : []
    const found = [...names.filter(isSession), ...events.filter(isSession).map((name) => `events/${name}`)]
    if (found.length === 0) {
      return yield* new BadInput({ message: `${folder} holds no .json, .jsonl or .traj files` })
    }
    return yield* Effect.forEach(found.toSorted(), (name) =>
      Effect.map(
        Effect.mapError(fs.readFileString(path.join(folder, name)), unreadable(path.join(folder, name), "transcript")),
        (text): File => ({ name, text })
      )
    )
  }
)
