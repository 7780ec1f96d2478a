/**
 * Looks at the bytes of a log and says what is in them and what is wrong with them, and which of them can be kept. Where a
 * store stops at the first fault, this goes on.
 *
 * What is kept is a log that opens: whole lines, as they were written, from seq 0 on without a gap, each decoded and folded.
 * A line is passed over, and those after it are still kept, only where that surely loses nothing: text that is no batch
 * between two batches that follow each other, and a line that is there a second time. From any other fault on nothing is
 * kept: what comes later names what was lost, or was written after something else than what stands here. Of two batches
 * that stand one behind the other at one seq neither is: nobody can say which is the session's.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import type { Seq } from "../session/Ids.ts"
import * as LogFrame from "../session/LogFrame.ts"
import * as LogLines from "../session/logLines.ts"
import * as outlinedEvents from "../session/outlinedEvents.ts"
import type { Violation } from "../session/Violation.ts"
import * as LogContents from "./logContents.ts"
import * as RecordOrder from "./recordOrder.ts"
import { applyAll, applyOrRefuse } from "./SessionFold.ts"
import * as SessionState from "./SessionState.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

/**
 * - `torn-tail`: a write that was cut short; the next open cuts it off
 * - `foreign-text`: a line that no log wrote. `damaged-line`: one that a log began, and whose form or checksum is wrong
 * - `other-format`: a format version that this release does not read
 * - `gap`, `double-seq`, `repeated-line`: a line's first seq is not the one that comes next; the very line is there before
 * - `invalid-event`: it does not decode. `broken-pair`, `broken-replacement`: the surface refuses it
 * - `turn-order`, `step-order`, `compaction-order`, `compaction-record`: it opens, and no writer of this library wrote it
 * - `unfinished-branch`: the copy of a branch was cut off
 * - `open-turn`, `open-step`, `open-compaction`: of a writer that died or is at work; the next open closes it
 *
 * @since 0.1.0
 * @category models
 */
export type Rule =
  | "torn-tail"
  | "foreign-text"
  | "damaged-line"
  | "other-format"
  | "gap"
  | "double-seq"
  | "repeated-line"
  | "invalid-event"
  | "broken-pair"
  | "broken-replacement"
  | RecordOrder.Misplaced["rule"]
  | "unfinished-branch"
  | "open-turn"
  | "open-step"
  | "open-compaction"

/**
 * `seq` is that of the event, or the next one that is not trusted; `line` counts from 1, `offset` is the byte at which that
 * line begins. A `note` is nothing wrong.
 *
 * @since 0.1.0
 * @category models
 */
export interface Finding {
  readonly kind: "fault" | "note"
  readonly rule: Rule
  readonly seq: Seq
  readonly line: number
  readonly offset: number
  readonly detail: string
}

/**
 * Of what can be kept, but for `bytes` and `lines`, which are the file's. `kept` are the parts of the file that make a sound
 * log; `left` are whole batches that cannot be kept. Beyond 200 faults `more` only counts them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Examination {
  readonly session: string | undefined
  readonly formatVersions: ReadonlyArray<number>
  readonly bytes: number
  readonly lines: number
  readonly events: number
  readonly types: { readonly [type: string]: number }
  readonly turns: number
  readonly compactions: number
  readonly generation: number
  readonly messages: number
  readonly lastTime: number | undefined
  readonly findings: ReadonlyArray<Finding>
  readonly more: number
  readonly kept: ReadonlyArray<{ readonly from: number; readonly to: number }>
  readonly left: { readonly batches: number; readonly events: number }
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Examiner {
  readonly push: (chunk: Uint8Array) => void
  readonly end: () => Examination
}

const mostFindings = 200

const ruleOf = ({ reason }: Violation): Rule =>
  reason === "unanswered-calls" ||
  reason === "no-such-call" ||
  reason === "duplicate-call" ||
  reason === "splits-a-pair"
    ? "broken-pair"
    : "broken-replacement"

const sumOf = (line: Uint8Array): string => new TextDecoder().decode(line.subarray(-10, -2))

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (estimator: TokenEstimator): Examiner => {
  const raw = LogLines.make()
  let state = SessionState.empty(estimator)
  let bytes = 0
  let lines = 0
  /** nothing is kept any more, and lines are only looked at for themselves */
  let stopped = false
  let next = 0
  /** a line was lost: the next one says where the log goes on */
  let astray = false
  let more = 0
  const contents = LogContents.make()
  const versions = new Set<number>()
  const findings: Array<Finding> = []
  const kept: Array<{ from: number; to: number }> = []
  const left = { batches: 0, events: 0 }
  /** the batch that was kept last, and the state before it */
  let newest: { readonly state: typeof state; readonly header: LogFrame.Header; readonly from: number } | undefined
  /** the sums of the kept lines, by their first seq: a line that comes again is told from another one */
  const sums = new Map<Seq, string>()

  let hole: { readonly line: number; readonly at: number } | undefined

  const found = (kind: Finding["kind"], rule: Rule, seq: Seq, line: LogLines.RawLine | undefined, detail: string) => {
    if (findings.length >= mostFindings && kind === "fault") more++
    else findings.push({ kind, rule, seq, line: line?.number ?? lines, offset: line?.from ?? bytes, detail })
  }
  const stop = (rule: Rule, seq: Seq, line: LogLines.RawLine, detail: string) => {
    stopped = true
    astray = true
    found("fault", rule, seq, line, detail)
  }

  /** Each event is judged by the state before it; replacements of one pass stand together and change no record. */
  const judgeOrder = (batch: ReadonlyArray<outlinedEvents.OutlinedEvent>, line: LogLines.RawLine) => {
    let before = state
    for (const event of batch) {
      const wrong = RecordOrder.check(before, event)
      if (wrong !== undefined) found("fault", wrong.rule, event.seq, line, wrong.detail)
      const after = event.type.startsWith("message/") ? before : applyOrRefuse(before, event, estimator)
      if (after instanceof SessionState.SessionState) before = after
    }
  }

  const takeBatch = (line: LogLines.RawLine, header: LogFrame.Header, json: Uint8Array, sum: string) => {
    const decoded = outlinedEvents.make({ seq: header.seq, count: header.count, json })
    if (Either.isLeft(decoded)) return stop("invalid-event", decoded.left.seq, line, decoded.left.reason)
    const folded = applyAll(state, decoded.right, estimator)
    if (Either.isLeft(folded)) return stop(ruleOf(folded.left), header.seq, line, folded.left.detail)
    judgeOrder(decoded.right, line)
    newest = { state, header, from: line.from }
    state = folded.right
    next = state.revision
    sums.set(header.seq, sum)
    versions.add(header.version)
    contents.add(decoded.right)
    const last = kept.at(-1)
    if (last?.to === line.from) last.to = line.to
    else kept.push({ from: line.from, to: line.to })
  }

  /** The newest batch is one of two that stand at one seq. */
  const takeBack = ({ from, header, state: before }: NonNullable<typeof newest>) => {
    state = before
    contents.takeBack()
    const last = kept.at(-1)!
    if (last.from === from) kept.pop()
    else last.to = from
    left.batches++
    left.events += header.count
  }

  const takeLine = (line: LogLines.RawLine) => {
    lines++
    if (line.bytes === undefined || !LogFrame.begins(line.bytes) || line.bytes.length === 0) {
      return found("fault", "foreign-text", next, line, `${line.to - line.from} bytes that no log wrote`)
    }
    const foreign = LogFrame.foreignVersion(line.bytes)
    if (foreign !== undefined) {
      // a log that went on in another format has it in every line from there on
      if (!findings.some(({ rule }) => rule === "other-format")) stop("other-format", next, line, foreign)
      return
    }
    const verified = LogFrame.verify(line.bytes)
    if (Either.isLeft(verified)) {
      // a power loss may keep the length of a write and lose its bytes
      if (line.bytes.includes(0)) hole = { line: lines, at: findings.length }
      return stop("damaged-line", next, line, verified.left)
    }
    const header = verified.right
    const sum = sumOf(line.bytes)
    if (sums.get(header.seq) === sum) {
      return found("fault", "repeated-line", header.seq, line, "the very line stands there before")
    }
    if (header.seq !== next && !astray) {
      if (newest?.header.seq === header.seq && !stopped) takeBack(newest)
      const rule = header.seq > next ? "gap" : "double-seq"
      stop(rule, next, line, `the line begins at seq ${header.seq} and ${next} comes next`)
    }
    if (stopped) {
      astray = false
      left.batches++
      left.events += header.count
      next = header.seq + header.count
      return
    }
    const json = LogFrame.eventsOf(line.bytes, header)
    if (Either.isLeft(json)) return stop("invalid-event", header.seq, line, json.left)
    takeBatch(line, header, json.right, sum)
  }

  const takeTail = (line: LogLines.RawLine) => {
    const foreign = line.bytes === undefined || !LogFrame.begins(line.bytes)
    if (foreign || LogFrame.foreignVersion(line.bytes) !== undefined) return takeLine(line)
    lines++
    found("fault", "torn-tail", next, line, `${line.to - line.from} bytes of a write that was cut short`)
  }

  const judgeEnd = () => {
    const { openCompaction, openStep, openTurn, revision } = state
    const unfinished = SessionState.unfinishedBranch(state)
    if (unfinished !== undefined) found("fault", "unfinished-branch", revision, undefined, unfinished)
    const open = (rule: Rule, what: string) =>
      found(
        "note",
        rule,
        revision,
        undefined,
        `${what} is open: its writer is at work, or died and the next open closes it`
      )
    if (openTurn !== undefined) open("open-turn", `turn ${openTurn}`)
    if (openStep !== undefined) open("open-step", `step ${openStep.step}`)
    if (openCompaction !== undefined) open("open-compaction", `compaction "${openCompaction.id}"`)
  }

  return {
    push: (chunk) => {
      bytes += chunk.length
      for (const line of raw.push(chunk)) takeLine(line)
    },
    end: () => {
      const tail = raw.end()
      if (tail !== undefined) takeTail(tail)
      const last = hole?.line === lines ? findings[hole.at] : undefined
      if (hole !== undefined && last !== undefined) findings[hole.at] = { ...last, rule: "torn-tail" }
      judgeEnd()
      return {
        session: state.opened?.session,
        formatVersions: [...versions].sort((a, b) => a - b),
        bytes,
        lines,
        ...contents.contents(),
        generation: state.surface.generation,
        messages: state.surface.length,
        findings,
        more,
        kept,
        left
      }
    }
  }
}
