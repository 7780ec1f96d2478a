// How long things take: the smaller of what the clock and the CPU say. The clock counts what other programs take, the CPU what
// the collector and the compiler do meanwhile on threads of their own. In rounds that take turns, so that a busy moment of the
// machine hits all of them alike.
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Does the work once, `units` of it; whatever must be prepared is prepared by whoever made it. */
export interface Task {
  readonly name: string
  readonly units: number
  /** prepares one run and gives the part that is timed */
  readonly prepare: () => () => unknown
}

export interface Timing {
  readonly name: string
  /** median over the rounds, nanoseconds a unit */
  readonly nanoseconds: number
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

setFlagsFromString("--expose-gc")
/** Collects what nobody holds any more. */
export const collect: (options: {
  readonly type: "minor" | "major"
  readonly execution?: "sync" | "async"
}) => Promise<void> | undefined = runInNewContext("gc")

/** Makes old what is young and still in use: what was prepared is not for the timed part to move. Two collections do it. */
export const settle = (): void => {
  collect({ type: "minor" })
  collect({ type: "minor" })
}

/** Starts; what it gives says how many nanoseconds have passed. */
export const stopwatch = (): (() => number) => {
  const cpu = process.cpuUsage()
  const clock = process.hrtime.bigint()
  return () => {
    const passed = Number(process.hrtime.bigint() - clock)
    const { system, user } = process.cpuUsage(cpu)
    return Math.min(passed, (system + user) * 1_000)
  }
}

/** Kept, so that no engine drops work whose result nobody looks at. */
export const sink: { value: unknown } = { value: undefined }

export const run = (tasks: ReadonlyArray<Task>, rounds = 15): ReadonlyArray<Timing> => {
  const times = tasks.map((): Array<number> => [])
  collect({ type: "major" })
  // the first round warms up and does not count
  for (let round = 0; round <= rounds; round++) {
    tasks.forEach((task, i) => {
      const timed = task.prepare()
      settle()
      const elapsed = stopwatch()
      sink.value = timed()
      const nanoseconds = elapsed()
      if (round > 0) times[i]!.push(nanoseconds / task.units)
    })
  }
  return tasks.map(({ name }, i) => ({ name, nanoseconds: median(times[i]!) }))
}
