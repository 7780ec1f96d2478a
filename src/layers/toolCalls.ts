import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { abortedResult, type Draft, resultDraft } from "../compaction/drafts.ts"
import type { ToolAnswer, ToolRunner } from "../services/ToolRunner.ts"
import * as Message from "../session/Message.ts"

/** The answers in hand, by call id; what is not in it was not answered. */
export type Answers = Map<string, ToolAnswer>

const readAnswer = Schema.decodeUnknownEither(
  Schema.Union(
    Schema.String,
    Schema.Struct({ suspend: Schema.String }),
    Schema.Struct({
      content: Schema.Union(Schema.String, Schema.Array(Message.ResultBlock)),
      isError: Schema.optional(Schema.Boolean)
    })
  )
)

/** What says in JSON what it is; of the blocks only the unknown ones may hold anything. */
const hasJson = (answer: ToolAnswer): boolean => {
  if (typeof answer === "string" || "suspend" in answer || typeof answer.content === "string") return true
  try {
    for (const block of answer.content) if (block.type === "unknown") JSON.stringify(block.value)
    return true
  } catch {
    return false
  }
}

/**
 * A tool may give what its type does not allow, and what no log can hold: it would end the turn, and the answers of the
 * other tools with it. The model is told instead.
 */
const kept = (answer: ToolAnswer): ToolAnswer => {
  const refused = (why: string) => ({
    content: `the tool answered with something that cannot be kept: ${why}`,
    isError: true
  })
  const read = readAnswer(answer)
  if (Either.isLeft(read)) {
    const [issue] = ParseResult.ArrayFormatter.formatErrorSync(read.left)
    return refused(`${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`.trim())
  }
  return hasJson(answer) ? answer : refused("a block has no JSON")
}

const isSuspended = (answer: ToolAnswer): answer is { readonly suspend: string } =>
  typeof answer === "object" && "suspend" in answer

/** Ids of the calls that wait for an answer from elsewhere. */
export const suspendedCalls = (calls: ReadonlyArray<Message.OpenCall>, answers: Answers): ReadonlyArray<string> =>
  calls.filter((call) => isSuspended(answers.get(call.id) ?? "")).map((call) => call.id)

/** Content as blocks. */
const blocksOf = (content: string | ReadonlyArray<Message.ResultBlock>): ReadonlyArray<Message.ResultBlock> =>
  typeof content === "string" ? [Message.textBlock(content)] : content

/**
 * The answers to calls that waited. A call of a tool that is gone by now would wait for ever: it gets an error, and the
 * answer that came for it all the same is kept in that.
 */
export const lateAnswers = (
  waiting: ReadonlyArray<Message.OpenCall>,
  tools: typeof ToolRunner.Service.tools,
  answers: { readonly [callId: string]: string }
): Answers => {
  const late: Answers = new Map()
  for (const { id, name } of waiting) {
    const answer = Object.hasOwn(answers, id) ? kept(answers[id]!) : undefined
    if (tools.some((tool) => tool.name === name)) {
      if (answer !== undefined) late.set(id, answer)
      continue
    }
    const gone = `there is no tool named "${name}" any more`
    const content =
      answer === undefined || isSuspended(answer)
        ? gone
        : [
            Message.textBlock(`${gone}; its answer was:`),
            ...blocksOf(typeof answer === "string" ? answer : answer.content)
          ]
    late.set(id, { content, isError: true })
  }
  return late
}

/** The result that an answer is, for the model. */
const resultOf = (call: Message.OpenCall, answer: Exclude<ToolAnswer, { readonly suspend: string }>): Draft => {
  const { content, isError = false } = typeof answer === "string" ? { content: answer } : answer
  return resultDraft({
    type: "tool-result",
    id: call.id,
    name: call.name,
    content: blocksOf(content),
    ...(isError ? { isError } : {})
  })
}

/** The results of calls, in call order; calls that wait have none, and unanswered ones an aborted one. */
export const resultDrafts = (calls: ReadonlyArray<Message.OpenCall>, answers: Answers): ReadonlyArray<Draft> =>
  calls.flatMap((call) => {
    const answer = answers.get(call.id)
    if (answer === undefined) return [abortedResult(call)]
    return isSuspended(answer) ? [] : [resultOf(call, answer)]
  })

/**
 * Runs the calls of one answer side by side and puts each answer into `answers` as it comes, so that an interruption keeps
 * what is in hand. A tool that dies, or interrupts itself, has answered with an error.
 */
export const runCalls = (
  tools: typeof ToolRunner.Service,
  calls: ReadonlyArray<Message.ToolCallBlock>,
  answers: Answers,
  told: (event: "ToolCalled" | "ToolAnswered", call: Message.ToolCallBlock, isError: boolean) => Effect.Effect<void>
): Effect.Effect<void> =>
  Effect.forEach(
    calls,
    (call) =>
      told("ToolCalled", call, false).pipe(
        Effect.zipRight(
          Effect.uninterruptibleMask((restore) =>
            Effect.exit(restore(Effect.suspend(() => tools.run(call)))).pipe(
              Effect.zipLeft(restore(Effect.void)),
              Effect.map((exit): ToolAnswer =>
                exit._tag === "Success"
                  ? kept(exit.value)
                  : { content: "the tool stopped without an answer", isError: true }
              ),
              Effect.tap((answer) => Effect.sync(() => answers.set(call.id, answer)))
            )
          )
        ),
        Effect.flatMap((answer) =>
          told("ToolAnswered", call, typeof answer === "object" && "isError" in answer && answer.isError === true)
        )
      ),
    { concurrency: "unbounded", discard: true }
  )
