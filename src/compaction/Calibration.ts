/**
 * What a route's own counts taught about its tokenizer, and about what becomes of an answer that is sent back.
 *
 * An answer goes back with the next request, and there are three ways to price it: by the estimator, by the output that
 * the provider counted, or by that output without its reasoning. Which one is right is the route's own business: hidden
 * reasoning may be billed again or never come back, and some logs hold an output count from the start of the stream. So
 * each way is tried on every pair of reports, with a density of its own for all that is left to the estimator, and the
 * one that has missed least is believed.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export type Way = "estimate" | "output" | "visible-output"

const countedWays = ["output", "visible-output"] as const

/** Tokens per estimated token as the sums of both, and how far predictions were off, old ones counting less. */
interface Fit {
  readonly counted: number
  readonly estimated: number
  readonly missed: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Calibration {
  readonly fits: Readonly<Record<Way, Fit>>
  /** squares of errors in units of the error that was allowed for, and how many they are */
  readonly errors: { readonly squares: number; readonly count: number }
}

/**
 * What a request gained, in tokens: all of it as the estimator has it, and of the answer among it also what the provider
 * counted.
 *
 * @since 0.1.0
 * @category models
 */
export interface Growth {
  readonly estimated: number
  readonly reply?: Reply | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Reply {
  readonly estimated: number
  /** reasoning included */
  readonly output: number
  readonly reasoning: number
}

/** An estimate counts as 3,000 tokens seen at density 1 before the first report. */
const priorTokens = 3_000

/** Older differences count less. */
const forgetting = 0.97

/** A difference outside of these is not a tokenizer's doing: text was hidden, or dropped. */
const plausible = { least: 0.3, most: 4 }

/**
 * An output count outside of these, per estimated token of the answer, is not believed before it has proved itself: it may
 * hold reasoning that never comes back. Where the family is known, an answer's own tokens are nearly always inside.
 */
const believable = { least: 0.7, most: 1.4 }

/**
 * The standard error that is allowed for: `framing` tokens that no estimate sees, and shares of what is estimated and of
 * what the provider counted as output. `unseen` is for an estimate before any report. They are what keeps the upper bound of
 * simulated coding conversations (`npm run bench -- conversations`) at 2 misses in 1,000 and its slack below 2 %.
 */
const allowed = { framing: 40 / 3, unseen: 0.12, estimated: 0.09, output: 0.02 }

/** One error counts for at most ten times what was allowed for: a text put in behind our back is no measure of later ones. */
const mostOff = 10

/** The allowance itself counts as this many errors that were just as large. */
const priorErrors = 5

const noFit: Fit = { counted: 0, estimated: 0, missed: 0 }

/**
 * What is known of a route before it has counted anything twice.
 *
 * @since 0.1.0
 * @category constructors
 */
export const none: Calibration = {
  fits: { estimate: noFit, output: noFit, "visible-output": noFit },
  errors: { squares: 0, count: 0 }
}

/**
 * @since 0.1.0
 * @category predicates
 */
export const isPlausible = (ratio: number): boolean => ratio >= plausible.least && ratio <= plausible.most

const densityOf = (fit: Fit): number => (priorTokens + fit.counted) / (priorTokens + fit.estimated)

const outputOf = (way: Way, { output, reasoning }: Reply): number =>
  way === "output" ? output : Math.max(output - reasoning, 0)

/** What is known of a growth under one way, and what is left to the estimator. */
const parts = (way: Way, { estimated, reply }: Growth): { readonly known: number; readonly estimated: number } =>
  way === "estimate" || reply === undefined
    ? { known: 0, estimated }
    : { known: outputOf(way, reply), estimated: estimated - reply.estimated }

/** How far an output count is from the estimate of its answer, whichever is larger: 1 is not at all. */
const distance = (way: Way, reply: Reply): number => {
  const ratio = outputOf(way, reply) / reply.estimated
  return ratio >= believable.least && ratio <= believable.most ? Math.max(ratio, 1 / ratio) : Infinity
}

/** Where nothing speaks for one way, the estimate is left only for an output count that agrees with it roughly. */
const wayFor = ({ fits }: Calibration, reply: Reply | undefined): Way => {
  let best: Way = "estimate"
  for (const way of countedWays) if (fits[way].missed < fits[best].missed) best = way
  if (best !== "estimate" || reply === undefined) return best
  let nearest = Infinity
  for (const way of countedWays) {
    const far = fits[way].missed === fits.estimate.missed ? distance(way, reply) : Infinity
    if (far >= nearest) continue
    nearest = far
    best = way
  }
  return best
}

/**
 * Tokens that the provider counts for one estimated token.
 *
 * @since 0.1.0
 * @category getters
 */
export const density = (calibration: Calibration): number => densityOf(calibration.fits[wayFor(calibration, undefined)])

/**
 * How a growth will be priced that holds this answer or none.
 *
 * @since 0.1.0
 * @category models
 */
export interface Pricing {
  /** the answer, where the provider's count of its output prices it: that price, and the estimate that it stands for */
  readonly reply: { readonly tokens: number; readonly estimated: number } | undefined
  /** tokens for one estimated token of all the rest */
  readonly density: number
  /** the standard error: of nothing at all, and the share of the rest */
  readonly error: { readonly least: number; readonly share: number }
}

/**
 * @since 0.1.0
 * @category getters
 */
export const pricing = (calibration: Calibration, reply: Reply | undefined): Pricing => {
  const { errors, fits } = calibration
  const way = wayFor(calibration, reply)
  const known = way === "estimate" || reply === undefined ? undefined : outputOf(way, reply)
  // quiet stretches do not make the next hidden text smaller
  const learned = Math.max(Math.sqrt((priorErrors + errors.squares) / (priorErrors + errors.count)), 1)
  return {
    reply: known === undefined || reply === undefined ? undefined : { tokens: known, estimated: reply.estimated },
    density: densityOf(fits[way]),
    error: {
      least: (allowed.framing + allowed.output * (known ?? 0)) * learned,
      share: (errors.count === 0 ? allowed.unseen : allowed.estimated) * learned
    }
  }
}

/**
 * The tokens that a growth of so many estimated tokens will be counted as, and their standard error.
 *
 * @since 0.1.0
 * @category getters
 */
export const priced = (
  { density, error, reply }: Pricing,
  estimated: number
): { readonly tokens: number; readonly error: number } => {
  const rest = (reply === undefined ? estimated : estimated - reply.estimated) * density
  return {
    tokens: reply === undefined ? rest : reply.tokens + rest,
    error: error.least + error.share * Math.abs(rest)
  }
}

/** The error that was allowed for, without what was learned of it. */
const allowance = (estimated: number, known: number): number =>
  allowed.framing + allowed.output * known + allowed.estimated * estimated

const fitted = (fit: Fit, way: Way, growth: Growth, counted: number): Fit => {
  const { estimated, known } = parts(way, growth)
  const missed = fit.missed * forgetting + Math.abs(known + estimated * densityOf(fit) - counted)
  return estimated > 0 && isPlausible((counted - known) / estimated)
    ? {
        counted: fit.counted * forgetting + (counted - known),
        estimated: fit.estimated * forgetting + estimated,
        missed
      }
    : { ...fit, missed }
}

/**
 * The provider counted a growth.
 *
 * @since 0.1.0
 * @category folds
 */
export const learn = (calibration: Calibration, growth: Growth, counted: number): Calibration => {
  const { errors, fits } = calibration
  const way = wayFor(calibration, growth.reply)
  const { estimated, known } = parts(way, growth)
  const rest = estimated * densityOf(fits[way])
  const off = Math.min(Math.abs(known + rest - counted) / allowance(rest, known), mostOff)
  return {
    fits: {
      estimate: fitted(fits.estimate, "estimate", growth, counted),
      output: fitted(fits.output, "output", growth, counted),
      "visible-output": fitted(fits["visible-output"], "visible-output", growth, counted)
    },
    errors: { squares: errors.squares * forgetting + off * off, count: errors.count * forgetting + 1 }
  }
}
