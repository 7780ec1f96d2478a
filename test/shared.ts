// Files that other tools wrote lie beside the checkout on some machines; they are not ours to ship.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import type { File } from "../src/formats/Format.ts"

const beside = (path: string) =>
  ["../shared", "../../shared"]
    .map((folder) => new URL(`../${folder}/${path}`, import.meta.url))
    .find((url) => existsSync(url))

const found = beside("transcripts/")

/** Errors that providers gave, a line each, with what they are; undefined where this machine has none. */
export const overflowCorpus: URL | undefined = beside("overflow-corpus.jsonl")

export const missingCorpus = "shared/overflow-corpus.jsonl is not on this machine"

/** The folder of real transcripts, undefined where this machine has none. */
export const transcripts: URL | undefined = found

export const missing = "shared/transcripts is not on this machine"

export const readShared = (root: URL, path: string): string => readFileSync(new URL(path, root), "utf8")

/** The paths of a folder's entries, below the root. */
export const listShared = (root: URL, folder: string): ReadonlyArray<string> =>
  readdirSync(new URL(`${folder}/`, root))
    .toSorted()
    .map((name) => `${folder}/${name}`)

export const filesOf = (root: URL, folder: string): ReadonlyArray<File> =>
  listShared(root, folder).map((path) => ({ name: path.slice(folder.length + 1), text: readShared(root, path) }))
