/**
 * Serves the simulated provider until it is interrupted, and tells of each request.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as SimulatedProvider from "../testing/SimulatedProvider.ts"
import { BadInput } from "./exitCode.ts"
import { tokenCount } from "./input.ts"
import { answer } from "./providerAnswer.ts"
import * as Say from "./say.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Arguments {
  readonly port: string | undefined
  readonly window: string
  readonly as: SimulatedProvider.Options["as"]
  readonly countingFactor: string | undefined
  readonly statedWindow: string | undefined
  readonly outputLimit: string | undefined
  readonly byteLimit: string | undefined
  readonly truncates: boolean
  readonly latency: string | undefined
  readonly discovery: SimulatedProvider.DiscoveryKind | undefined
  readonly refuseAt: string | undefined
  readonly rateLimitAt: string | undefined
  readonly overloadAt: string | undefined
  readonly cutAt: string | undefined
  readonly stallAt: string | undefined
  readonly misreportAt: string | undefined
}

const bad = (message: string) => Effect.fail(new BadInput({ message }))

/** A number as its option wants it; undefined where it was not given. */
const number = (option: string, given: string | undefined, pattern: RegExp, what: string, most: number) => {
  if (given === undefined) return Effect.succeed(undefined)
  const value = Number(given)
  return pattern.test(given) && value <= most
    ? Effect.succeed(value)
    : bad(`${option} takes ${what}, and not "${given}"`)
}

const whole = /^[0-9]+$/u

const port = (given: string | undefined) =>
  number("--port", given, whole, "a port from 0 to 65535 (0: one that is free)", 65_535)

const tokens = (option: string, given: string | undefined) =>
  given === undefined ? Effect.succeed(undefined) : tokenCount(option, given)

const factor = (given: string | undefined) =>
  number("--counting-factor", given, /^(?=.*[1-9])[0-9]+(?:\.[0-9]+)?$/u, "a number above 0, for example 1.3", 100)

const faults = (option: string, given: string | undefined, fault: SimulatedProvider.Fault) => {
  if (given === undefined) return Effect.succeed([])
  const numbers = given.split(",").map((one) => one.trim())
  return numbers.every((one) => whole.test(one) && Number(one) > 0)
    ? Effect.succeed(numbers.map((one) => SimulatedProvider.at(Number(one) - 1, fault)))
    : bad(`${option} takes the numbers of requests, from 1 on, for example 3,7, and not "${given}"`)
}

/** What the script of faults comes to, from all its options. */
const scriptOf = (given: Arguments, window: number) =>
  Effect.map(
    Effect.all([
      faults("--refuse-at", given.refuseAt, SimulatedProvider.refuse),
      faults("--rate-limit-at", given.rateLimitAt, SimulatedProvider.rateLimited("1")),
      faults("--overload-at", given.overloadAt, SimulatedProvider.overloaded),
      faults("--cut-at", given.cutAt, SimulatedProvider.cut("I begin, and")),
      faults("--stall-at", given.stallAt, SimulatedProvider.stall("I begin, and")),
      faults("--misreport-at", given.misreportAt, SimulatedProvider.misreport({ input: Math.floor(window / 10) }))
    ]),
    (lists) => lists.flat()
  )

const given = <K extends string, A>(name: K, value: A | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [key in K]?: A }

const optionsOf = Effect.fnUntraced(function* (args: Arguments) {
  const window = yield* tokenCount("--window", args.window)
  const stated = args.statedWindow === "none" ? null : yield* tokens("--stated-window", args.statedWindow)
  const options: SimulatedProvider.Options = {
    as: args.as,
    window,
    keepBodies: false,
    answers: answer,
    truncates: args.truncates,
    ...given("port", yield* port(args.port)),
    ...given("countingFactor", yield* factor(args.countingFactor)),
    ...given("statedWindow", stated),
    ...given("outputLimit", yield* tokens("--output-limit", args.outputLimit)),
    ...given("byteLimit", yield* number("--byte-limit", args.byteLimit, whole, "a whole number of bytes", 2 ** 40)),
    ...given("latency", yield* number("--latency", args.latency, whole, "a whole number of milliseconds", 86_400_000)),
    ...given("discovery", args.discovery)
  }
  return { options, script: yield* scriptOf(args, window) }
})

const lineOf = ({
  byteLength,
  index,
  inputTokens,
  kind,
  outcome,
  protocol,
  status,
  usage
}: SimulatedProvider.RecordedRequest) => {
  const size = inputTokens === 0 ? `${Say.whole(byteLength)} bytes` : `${Say.whole(inputTokens)} tokens`
  const figures =
    usage === undefined
      ? ""
      : `, reported as ${Say.whole(usage.input)} in, ${Say.whole(usage.cached)} of them cached, and ${Say.whole(usage.output)} out`
  return `request ${index + 1}: ${protocol}${kind === "summary" ? ", for a summary" : ""}, ${size}: ${outcome} (${status})${figures}`
}

const tell = (line: string) => Effect.sync(() => void process.stderr.write(`${line}\n`))

/**
 * @since 0.1.0
 * @category constructors
 */
export const run = Effect.fnUntraced(function* (args: Arguments) {
  const { options, script } = yield* optionsOf(args)
  const provider = yield* SimulatedProvider.serve(options).pipe(
    Effect.mapError(
      ({ message }) => new BadInput({ message: `${message}; --port takes another, or 0 for one that is free` })
    )
  )
  yield* provider.next(...script)
  yield* Effect.sync(() => void process.stdout.write(`${provider.baseUrl}\n`))
  yield* tell(
    `a simulated ${options.as} with a window of ${Say.whole(options.window)} tokens listens on ${provider.baseUrl}: /v1/chat/completions, /v1/messages, /v1/responses; Ctrl-C stops it`
  )
  for (let index = 0; ; index++) yield* tell(lineOf(yield* provider.settled(index)))
}, Effect.scoped)
