// The session files that lie beside the checkout on some machines, as whoever opens them has them: a file, or the files of
// a folder that is one session.
import { readdirSync, readFileSync, statSync } from "node:fs"
import type { File } from "../../src/formats/Format.ts"

export interface TranscriptFile {
  readonly name: string
  readonly path: URL
  readonly source: string | ReadonlyArray<File>
}

const filesIn = (folder: URL, prefix = ""): ReadonlyArray<File> =>
  readdirSync(folder).flatMap((name): ReadonlyArray<File> => {
    const url = new URL(name, folder)
    return statSync(url).isDirectory()
      ? filesIn(new URL(`${name}/`, folder), `${prefix}${name}/`)
      : [{ name: `${prefix}${name}`, text: readFileSync(url, "utf8") }]
  })

export const transcriptFiles = (folder: URL): ReadonlyArray<TranscriptFile> =>
  readdirSync(folder)
    .filter((format) => statSync(new URL(format, folder)).isDirectory())
    .flatMap((format) =>
      readdirSync(new URL(`${format}/`, folder)).map((name) => {
        const path = new URL(`${format}/${name}`, folder)
        const isFolder = statSync(path).isDirectory()
        return {
          name: `${format}/${name}`,
          path,
          source: isFolder ? filesIn(new URL(`${format}/${name}/`, folder)) : readFileSync(path, "utf8")
        }
      })
    )
