/**
 * Tells how far a replay or a copy is, on stderr: a bar on a terminal, plain lines without one.
 *
 * @since 0.1.0
 */
import { MultiBar } from "cli-progress"

/**
 * @since 0.1.0
 * @category models
 */
export interface Progress {
  readonly line: (text: string) => void
  readonly session: (name: string) => void
  readonly answered: (more: number) => void
  readonly sessionDone: (text: string) => void
  readonly stop: () => void
}

const plain = (stream: NodeJS.WriteStream): Progress => ({
  line: (text) => void stream.write(`${text}\n`),
  session: () => {},
  answered: () => {},
  sessionDone: (text) => void stream.write(`${text}\n`),
  stop: () => {}
})

const bar = (stream: NodeJS.WriteStream, total: number, unit: string): Progress => {
  const bars = new MultiBar({
    stream,
    format: `{bar} {value}/{total} ${unit}  {session}`,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true
  })
  let name = ""
  const answers = bars.create(total, 0, { session: name })
  return {
    line: (text) => bars.log(`${text}\n`),
    session: (next) => {
      name = next
      answers.update({ session: name })
    },
    answered: (more) => answers.increment(more, { session: name }),
    sessionDone: () => {},
    stop: () => {
      // lines that were not drawn yet
      bars.update()
      bars.stop()
    }
  }
}

/**
 * `total` is how many answers, or what else `unit` names, there are to come.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (stream: NodeJS.WriteStream, total: number, unit = "answers"): Progress =>
  stream.isTTY ? bar(stream, total, unit) : plain(stream)
