/**
 * Calls of a `LanguageModel` as requests of a session: pressure before them, rescue around them, and what a package shows as
 * an answer and is none told apart.
 *
 * @since 0.1.0
 */
import type * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Tool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Evidence } from "../errors/judge.ts"
import * as OverflowRescue from "../layers/OverflowRescue.ts"
import type { CompactService } from "../services/CompactService.ts"
import type { ModelRequest } from "../services/ModelAdapter.ts"
import type { Surface } from "../services/Surface.ts"
import { TokenMeter } from "../services/TokenMeter.ts"
import type { Envelope } from "../session/Envelope.ts"
import * as aiFailure from "./aiFailure.ts"
import { usageOf } from "./aiUsage.ts"
import * as guardedCall from "./guardedCall.ts"
import * as HttpEvidence from "./HttpEvidence.ts"
import { seal, unseal } from "./sealedToolkit.ts"
import { toolSchemas } from "./toolSchemas.ts"

type AnyTools = Record<string, Tool.Any>
type AnyToolkit = Toolkit.WithHandler<AnyTools>

/**
 * The options of all three methods, as they are at run time: their generics cannot be written again from outside.
 *
 * @since 0.1.0
 * @category models
 */
export interface CallOptions {
  readonly prompt: Prompt.RawInput
  readonly toolkit?: AnyToolkit | Effect.Effect<AnyToolkit, unknown, unknown> | undefined
  readonly toolChoice?: LanguageModel.ToolChoice<string> | undefined
  readonly objectName?: string | undefined
  readonly schema?: Schema.Schema.Any | undefined
}

/** @internal */
export type Answer = LanguageModel.GenerateTextResponse<Record<string, never>>

const offered = ({ toolChoice }: CallOptions, { tools }: AnyToolkit): AnyTools =>
  typeof toolChoice === "object" && "oneOf" in toolChoice
    ? Object.fromEntries(Object.entries(tools).filter(([, tool]) => toolChoice.oneOf.includes(tool.name)))
    : tools

/** A structured answer is asked for with the schema of its object, which is as long as a tool's. */
const objectSchema = ({ objectName = "object", schema }: CallOptions) =>
  schema === undefined ? [] : [{ name: objectName, parameters: Tool.getJsonSchemaFromSchemaAst(schema.ast) as unknown }]

/**
 * The call with its toolkit sealed, and the envelope of its request: the one that is given with these system texts and the
 * tools that are offered.
 *
 * @since 0.1.0
 * @category constructors
 */
export const prepare = (
  given: CallOptions,
  envelope: Envelope,
  system: ReadonlyArray<string>
): Effect.Effect<{ readonly options: CallOptions; readonly envelope: Envelope }, unknown, unknown> =>
  Effect.gen(function* () {
    const toolkit = Effect.isEffect(given.toolkit) ? yield* given.toolkit : given.toolkit
    const tools = [...(toolkit === undefined ? [] : toolSchemas(offered(given, toolkit))), ...objectSchema(given)]
    return {
      options: toolkit === undefined ? given : { ...given, toolkit: seal(toolkit) },
      envelope: {
        ...envelope,
        ...(system.length === 0 ? {} : { system: system.join("\n\n") }),
        ...(tools.length === 0 ? {} : { tools })
      }
    }
  })

/**
 * One call as one request of a session.
 *
 * @since 0.1.0
 * @category models
 */
export interface Call {
  readonly method: string
  readonly envelope: Envelope
  readonly by: Pick<Evidence, "route" | "rows">
  /** The session's services, and its settings. */
  readonly session: Context.Context<Surface | TokenMeter | CompactService>
  /** The caller's context: the model and its tools run in it. */
  readonly caller: Context.Context<never>
  /** The prompt of a request: what stands on the surface, or what the application gave of it. */
  readonly promptOf: (request: ModelRequest) => Effect.Effect<Prompt.Prompt>
}

const inSession =
  ({ session }: Call) =>
  (inside: Context.Context<never>) =>
    Context.merge(inside, session)

/**
 * A call that answers at once.
 *
 * @since 0.1.0
 * @category combinators
 */
export const whole = <A extends Answer>(
  call: Call,
  send: (prompt: Prompt.Prompt) => Effect.Effect<A, unknown, unknown>
): Effect.Effect<A, unknown> => {
  let notes = HttpEvidence.makeNotes()
  return OverflowRescue.retry<A, unknown, never>({
    envelope: call.envelope,
    send: (request) =>
      Effect.flatMap(call.promptOf(request), (prompt) => {
        notes = HttpEvidence.makeNotes()
        const sent = send(prompt) as Effect.Effect<A, unknown>
        return Effect.flatMap(
          Effect.mapInputContext(sent, guardedCall.contextOf(call.caller, notes)),
          guardedCall.checked(call.method, notes, call.by)
        )
      }),
    overflow: (error) =>
      error instanceof guardedCall.EndedByWindow
        ? Option.some(error.sign)
        : aiFailure.overflowOf(error, notes.newest, call.by),
    usage: ({ content }) => {
      const finish = guardedCall.finishOf(content)
      return finish === undefined ? undefined : usageOf(finish)
    },
    // the package ran the tools of an answer before it gave it
    finish: ({ content }) => (guardedCall.hasCalls(content) ? "tool-calls" : "stop")
  }).pipe(
    Effect.mapInputContext(inSession(call)),
    Effect.catchAllCause((cause) => {
      const failure = Option.map(Cause.failureOption(cause), unseal)
      return Option.isSome(failure) && failure.value instanceof guardedCall.EndedByWindow
        ? Effect.succeed(failure.value.answer as A)
        : Effect.failCause(cause)
    })
  )
}

/**
 * A call whose answer streams. The retry is over with its first content part.
 *
 * @since 0.1.0
 * @category combinators
 */
export const streamed = (
  call: Call,
  send: (prompt: Prompt.Prompt) => Stream.Stream<Response.AnyPart, unknown, unknown>
): Stream.Stream<Response.AnyPart, unknown> => {
  let notes = HttpEvidence.makeNotes()
  const meter = Context.get(call.session, TokenMeter)
  const report = ({ generation }: ModelRequest, part: Response.AnyPart) => {
    const usage = part.type === "finish" ? usageOf(part) : undefined
    // a size that was not written down costs an estimate, and no answer
    return usage === undefined ? Effect.void : Effect.ignoreLogged(meter.report(generation, usage))
  }
  return OverflowRescue.retryStream<Response.AnyPart, unknown, never>({
    envelope: call.envelope,
    send: (request) =>
      Stream.unwrap(
        Effect.map(call.promptOf(request), (prompt) => {
          notes = HttpEvidence.makeNotes()
          const sent = send(prompt) as Stream.Stream<Response.AnyPart, unknown>
          return guardedCall
            .checkedStream(Stream.mapInputContext(sent, guardedCall.contextOf(call.caller, notes)), notes)
            .pipe(Stream.tap((part) => report(request, part)))
        })
      ),
    overflow: (error) => aiFailure.overflowOf(error, notes.newest, call.by),
    inBand: (part) => aiFailure.overflowIn(part, notes.newest, call.by),
    isContent: aiFailure.isContent
  }).pipe(Stream.mapInputContext(inSession(call)))
}
