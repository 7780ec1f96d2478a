/**
 * Reads the bytes of a log, chunk by chunk, as a sequence of frames: what is whole, what is torn off at the end, and
 * what is wrong. Holds one line at most.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import type { Seq } from "./Ids.ts"
import { joinedBytes } from "./joinedBytes.ts"
import * as LogFrame from "./LogFrame.ts"
import * as Upcasters from "./upcasters.ts"

/**
 * A verified line, without its newline. Its bytes are only good until the next chunk is pushed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Line {
  readonly header: LogFrame.Header
  readonly bytes: Uint8Array
  /** Counts from 1. */
  readonly number: number
}

/**
 * Why the bytes are not a log; `seq` is the first event that is not trusted.
 *
 * @since 0.1.0
 * @category models
 */
export interface Fault {
  readonly seq: Seq
  readonly line: number
  readonly reason: string
}

/**
 * What a log holds: the next free seq, the bytes and number of its whole lines, and how many bytes of a write that was
 * cut short follow.
 *
 * @since 0.1.0
 * @category models
 */
export interface End {
  readonly next: Seq
  readonly length: number
  readonly lines: number
  readonly torn: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface LogScan {
  /** The lines that this chunk completes. A fault is told once those before it are. */
  readonly push: (chunk: Uint8Array) => Either.Either<ReadonlyArray<Line>, Fault>
  /** To be called once the bytes have ended. */
  readonly end: () => Either.Either<End, Fault>
}

const notABatch = "the line is not a batch"

/**
 * `known` reads older format versions. `synced` is how many bytes at least were on disk when they were written: from
 * there on a power loss may have taken one write and left a later one, so that a hole ends the log whatever follows it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  known: ReadonlyArray<Upcasters.Upcaster> = Upcasters.upcasters,
  synced: number = Infinity
): LogScan => {
  let next = 0
  let length = 0
  let lines = 0
  let pending: Array<Uint8Array> = []
  let pendingSize = 0
  // A power loss may keep the length of a write and lose its bytes. Such a hole is a torn write if nothing follows it.
  let hole: { readonly fault: Fault; size: number } | undefined

  /** What follows is lost with what is missing before it. */
  const endsInHole = () => hole !== undefined && length >= synced

  const fault = (reason: string): Fault => ({ seq: next, line: lines, reason })

  const readLine = (bytes: Uint8Array): Either.Either<Line | undefined, Fault> => {
    if (hole !== undefined) {
      if (!endsInHole()) return Either.left(hole.fault)
      hole.size += bytes.length + 1
      return Either.right(undefined)
    }
    lines++
    const verified = LogFrame.verify(bytes, known)
    if (Either.isLeft(verified)) {
      const found = fault(verified.left)
      const torn = bytes.includes(0) && LogFrame.begins(bytes) && LogFrame.foreignVersion(bytes, known) === undefined
      if (!torn) return Either.left(found)
      hole = { fault: found, size: bytes.length + 1 }
      return Either.right(undefined)
    }
    const header = verified.right
    if (header.seq !== next) {
      return Either.left(fault(`the line begins at seq ${header.seq} and ${next} comes next`))
    }
    next += header.count
    length += bytes.length + 1
    return Either.right({ header, bytes, number: lines })
  }

  let failed: Fault | undefined

  const push = (given: Uint8Array): Either.Either<ReadonlyArray<Line>, Fault> => {
    if (failed !== undefined) return Either.left(failed)
    // a Node buffer searches faster, and its parts, buffers themselves, take several times as long to make
    const chunk = new Uint8Array(given.buffer, given.byteOffset, given.length)
    const found: Array<Line> = []
    const fail = (fault: Fault) => {
      failed = fault
      return found.length > 0 ? Either.right(found) : Either.left(fault)
    }
    let at = 0
    while (at < chunk.length) {
      const end = given.indexOf(LogFrame.lineEnd, at)
      const part = chunk.subarray(at, end === -1 ? chunk.length : end)
      if (end === -1) {
        // copied: a caller may fill the same buffer again
        pending.push(part.slice())
        pendingSize += part.length
        break
      }
      const bytes = pendingSize === 0 ? part : joinedBytes([...pending, part], pendingSize + part.length)
      pending = []
      pendingSize = 0
      at = end + 1
      const line = readLine(bytes)
      if (Either.isLeft(line)) return fail(line.left)
      if (line.right !== undefined) found.push(line.right)
    }
    // told now, so that a large file of something else is not gathered up as one endless line
    return pending[0] === undefined || LogFrame.begins(pending[0]) || endsInHole()
      ? Either.right(found)
      : fail(hole?.fault ?? { ...fault(notABatch), line: lines + 1 })
  }

  const end = (): Either.Either<End, Fault> => {
    if (failed !== undefined) return Either.left(failed)
    const tail = joinedBytes(pending, pendingSize)
    const reason = LogFrame.begins(tail) ? LogFrame.foreignVersion(tail, known) : notABatch
    if (reason !== undefined && !endsInHole()) return Either.left(hole?.fault ?? { ...fault(reason), line: lines + 1 })
    return Either.right({
      next,
      length,
      lines: hole === undefined ? lines : lines - 1,
      torn: pendingSize + (hole?.size ?? 0)
    })
  }

  return { push, end }
}
