// One request whose client fails as the world has it, through the public combinator.
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { Errors, OverflowRescue, Surface } from "../../src/index.ts"
import { textOf, type World } from "./conversation.ts"
import { drive, promptOf, route } from "./play.ts"

const here = { route, detail: "as the provider put it" }
const elsewhere = { route: { provider: "play", model: "another" }, detail: "as the other provider put it" }

/** An error of an application's own, with no tag and a secret that only the same object can read. */
export class ClientError extends Error {
  readonly #secret: number
  constructor(secret: number) {
    super("the client failed")
    this.#secret = secret
  }
  get secret(): number {
    return this.#secret
  }
}

export class ClientTagged extends Schema.TaggedError<ClientTagged>("test/ClientTagged")("ClientTagged", {
  n: Schema.Number
}) {}

/** Errors that are no overflow of the request, some of them near to it. */
export const others: Record<string, () => unknown> = {
  "a rate limit": () => new Errors.RateLimited({ ...here, limit: 100, requested: 200, neverFits: true }),
  "a quota": () => new Errors.QuotaExceeded(here),
  "no authentication": () => new Errors.AuthenticationFailed(here),
  "an invalid request": () => new Errors.InvalidRequest(here),
  "an output limit": () => new Errors.OutputLimitExceeded({ ...here, limit: 100, requested: 200 }),
  "a content filter": () => new Errors.ContentFiltered(here),
  "no provider": () => new Errors.ProviderUnavailable(here),
  "another route's overflow": () => new Errors.ContextWindowExceeded({ ...elsewhere, limit: 10 }),
  "another route's payload": () => new Errors.PayloadTooLarge(elsewhere),
  "an error of the client's": () => new ClientError(1),
  "a tagged error of the client's": () => new ClientTagged({ n: 1 })
}

export const overflow = () => new Errors.ContextWindowExceeded(here)

export const failure = FastCheck.constantFrom(...Object.keys(others))

/**
 * Fills the surface, then sends through `OverflowRescue.retry` with a client that fails as `errors` say, one after the
 * other, and answers when there is none left. The errors that came out of the client, and how it ended.
 */
export const send = (world: World, errors: ReadonlyArray<() => unknown>) =>
  Effect.gen(function* () {
    for (const plan of world.turns) {
      yield* Surface.append(promptOf(plan))
      for (const answer of plan.answers) {
        if ("words" in answer)
          yield* Surface.append({ role: "assistant", content: [{ type: "text", text: textOf(answer.words) }] })
      }
    }
    yield* Surface.append({ role: "user", content: [{ type: "text", text: "go on" }] })
    const thrown: Array<unknown> = []
    const generations: Array<number> = []
    const exit = yield* drive(
      OverflowRescue.retry({
        envelope: { route },
        send: ({ generation }) =>
          Effect.suspend(() => {
            generations.push(generation)
            const error = errors[thrown.length]?.()
            if (error === undefined) return Effect.succeed("an answer")
            thrown.push(error)
            return Effect.fail(error)
          }).pipe(Effect.withSpan("client"))
      }).pipe(Effect.withSpan("application"))
    )
    return { thrown, generations, exit }
  })
