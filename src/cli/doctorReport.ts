/**
 * What the doctor found, for people.
 *
 * @since 0.1.0
 */
import type { Examination, Finding } from "../compaction/LogExamination.ts"
import type { State } from "../layers/logOwner.ts"
import type { Lock } from "./lockBeside.ts"

const states: Readonly<Record<State, string>> = {
  live: "it is alive",
  gone: "it is gone: the next open takes the lock over",
  unknown: "whether it is alive cannot be told from here"
}

const lockLine = ({ owner, since, state }: Lock): string =>
  `lock: ${owner}${since === undefined ? "" : ` since ${new Date(since).toISOString()}`}; ${states[state]}`

const findingLine = ({ detail, kind, line, offset, rule, seq }: Finding): string =>
  `${kind} ${rule}: seq ${seq}, line ${line}, byte ${offset}: ${detail}`

/**
 * @since 0.1.0
 * @category getters
 */
export const faultCount = ({ findings, more }: Examination): number =>
  findings.filter(({ kind }) => kind === "fault").length + more

/**
 * @since 0.1.0
 * @category conversions
 */
export const render = (path: string, found: Examination, lock: Lock | undefined): string => {
  const keptBytes = found.kept.reduce((sum, { from, to }) => sum + to - from, 0)
  return [
    `${path}: ${found.session === undefined ? "no session" : `session "${found.session}"`}, ${found.bytes} bytes, ${found.lines} lines`,
    `format version: ${found.formatVersions.join(", ") || "none"}`,
    `events: ${found.events}${found.lastTime === undefined ? "" : `, the last at ${new Date(found.lastTime).toISOString()}`}`,
    ...Object.entries(found.types).map(([type, count]) => `  ${type}: ${count}`),
    `turns: ${found.turns}; compactions: ${found.compactions}; generation: ${found.generation}; messages of the next request: ${found.messages}`,
    ...(lock === undefined ? [] : [lockLine(lock)]),
    ...found.findings.map(findingLine),
    ...(found.more === 0 ? [] : [`and ${found.more} more faults`]),
    faultCount(found) === 0
      ? "nothing is wrong"
      : `can be kept: ${found.events} events in ${keptBytes} bytes; cannot: ${found.bytes - keptBytes} bytes, in them ${found.left.events} events of ${found.left.batches} whole batches`
  ].join("\n")
}
