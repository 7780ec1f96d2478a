// What can be done to a surface from outside, good and bad, one operation after the other.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { LogStore, Message, Session, Surface, SurfaceState } from "../../src/index.ts"
import { textOf, type Words } from "./conversation.ts"

export type Operation =
  | { readonly does: "appends"; readonly messages: ReadonlyArray<Message.Message> }
  | {
      readonly does: "replaces"
      /** places, taken modulo the length */
      readonly from: number
      readonly to: number
      readonly by: "text" | "result" | "another result"
      readonly text: string
      readonly under: "the ticket" | "a void ticket" | "a forged ticket"
    }

const words: FastCheck.Arbitrary<Words> = FastCheck.record({
  script: FastCheck.constantFrom("latin" as const, "cjk" as const),
  count: FastCheck.integer({ min: 1, max: 60 }),
  seed: FastCheck.nat(50)
})
const text = words.map(textOf)
// few ids, so that doubles, orphans and calls that nobody answers are common
const id = FastCheck.constantFrom("a", "b", "c", "")

const image: Message.Block = { type: "image", source: { type: "url", url: "https://example.test/a.png" } }

/** Any message: calls without results, results without calls, nothing at all. */
export const wildMessage: FastCheck.Arbitrary<Message.Message> = FastCheck.oneof(
  text.map(Message.user),
  text.map((words) => Message.user([Message.textBlock(words), image])),
  text.map(Message.assistant),
  FastCheck.constant(Message.assistant("")),
  FastCheck.array(id, { minLength: 1, maxLength: 3 }).map((ids) =>
    Message.assistant(ids.map((id) => Message.toolCall(id, "tool", { id })))
  ),
  FastCheck.tuple(id, text).map(([id, content]) => Message.toolResult({ id, name: "tool", content })),
  // as servers that run tools themselves have it: calls and results inside one answer
  FastCheck.tuple(FastCheck.array(id, { maxLength: 2 }), FastCheck.array(id, { maxLength: 2 }), text).map(
    ([calls, results, words]) =>
      Message.assistant([
        ...results.flatMap((id) => Message.toolResult({ id, name: "tool", content: words }).content),
        ...calls.map((id) => Message.toolCall(id, "tool", { id }))
      ])
  ),
  FastCheck.array(FastCheck.tuple(id, text), { minLength: 1, maxLength: 3 }).map((results): Message.Message => ({
    role: "tool",
    content: results.flatMap(([id, content]) => Message.toolResult({ id, name: "tool", content }).content)
  }))
)

export const operations: FastCheck.Arbitrary<ReadonlyArray<Operation>> = FastCheck.array(
  FastCheck.oneof(
    {
      weight: 3,
      arbitrary: FastCheck.record({
        does: FastCheck.constant("appends" as const),
        messages: FastCheck.array(wildMessage, { minLength: 1, maxLength: 4 })
      })
    },
    {
      weight: 4,
      arbitrary: FastCheck.record({
        does: FastCheck.constant("replaces" as const),
        from: FastCheck.nat(12),
        to: FastCheck.nat(12),
        by: FastCheck.constantFrom("text" as const, "text" as const, "result" as const, "another result" as const),
        text: FastCheck.oneof(text, FastCheck.constant("short")),
        under: FastCheck.constantFrom(
          "the ticket" as const,
          "the ticket" as const,
          "the ticket" as const,
          "a void ticket" as const,
          "a forged ticket" as const
        )
      })
    }
  ),
  { minLength: 2, maxLength: 14 }
)

const draftOf = (operation: Operation & { does: "replaces" }, shadowed: ReadonlyArray<SurfaceState.Node>) => {
  const [result] = shadowed.flatMap(({ message }) => Message.toolResults(message))
  if (operation.by === "text" || result === undefined) {
    const message = Message.user(operation.text)
    return { type: "message/user" as const, data: { message, source: "context" as const } }
  }
  const callId = operation.by === "result" ? result.id : `${result.id}'`
  const content = [Message.textBlock(operation.text)]
  return { type: "message/tool-result" as const, data: { callId, name: result.name, content } }
}

/** Does one operation; how it ended. */
export const perform = (surface: typeof Surface.Surface.Service, operation: Operation) =>
  Effect.gen(function* () {
    if (operation.does === "appends") return yield* surface.append(...operation.messages)
    const { surface: now } = yield* surface.state
    const place = (n: number) => (now.length === 0 ? 0 : n % now.length)
    const [from, to] = [place(operation.from), place(operation.to)]
    const nodes = SurfaceState.nodes(now, from, to + 1)
    const replace = (ticket: Surface.Ticket) =>
      surface.replace(ticket, {
        expected: { surface: now },
        spans: [
          {
            first: SurfaceState.nodeAt(now, from)?.seq ?? 999,
            last: SurfaceState.nodeAt(now, to)?.seq ?? 999,
            by: draftOf(operation, nodes)
          }
        ],
        records: () => ({ before: [], after: [] })
      })
    if (operation.under === "a forged ticket") return yield* replace({ id: "forged", trigger: "manual" })
    return yield* operation.under === "the ticket"
      ? surface.withTicket("manual", "fail", replace)
      : Effect.flatMap(surface.withTicket("manual", "fail", Effect.succeed), replace)
  }).pipe(Effect.exit)

/** A surface alone, over a store. */
export const layerSurface = (store: typeof LogStore.LogStore.Service, id = "s") =>
  Surface.layer.pipe(Layer.provide([Layer.succeed(LogStore.LogStore, store), Layer.succeed(Session.SessionId, id)]))

/** Whether an operation ended as a bug would: neither done nor refused with a typed error. */
export const died = (exit: Exit.Exit<unknown, unknown>): boolean => Exit.isFailure(exit) && exit.cause._tag !== "Fail"
