// Your own loop, your own client, your own messages: a surface, and one combinator around one request. Errors stay yours.
//
//   npm run example own-loop
import { Data, Effect, Layer, Stream } from "effect"
import {
  Errors,
  LogStore,
  Message,
  ModelAdapter,
  OverflowRescue,
  Session,
  Summarizer,
  Surface
} from "effect-compaction"

// --- what the app has already ---------------------------------------------------------------------------------------

interface MyMessage {
  readonly who: "human" | "model"
  readonly words: string
}

export class MyHttpError extends Data.TaggedError("MyHttpError")<{
  readonly status: number
  readonly body: string
}> {}

interface Reply {
  readonly message: MyMessage
  readonly tokens: { readonly prompt: number; readonly answer: number }
  readonly done: boolean
}

export interface MyClient {
  readonly chat: (messages: ReadonlyArray<MyMessage>) => Effect.Effect<Reply, MyHttpError>
}

// --- what joins the two ---------------------------------------------------------------------------------------------

const mine: Message.Codec<MyMessage> = {
  decode: ({ who, words }) => (who === "human" ? Message.user(words) : Message.assistant(words)),
  encode: (message) => ({ who: message.role === "assistant" ? "model" : "human", words: Message.text(message) })
}

export const converse = (client: MyClient, prompt: string) =>
  Effect.gen(function* () {
    yield* Surface.append(Message.user(prompt))
    while (true) {
      const reply = yield* OverflowRescue.retry({
        envelope: { route: { provider: "mine", model: "small" }, system: "You are terse." },
        send: (request) => client.chat(request.messages.map(mine.encode)),
        usage: ({ tokens }) => ({ inputTokens: tokens.prompt, outputTokens: tokens.answer })
      })
      yield* Surface.append(mine.decode(reply.message))
      if (reply.done) return reply.message.words
      yield* Surface.append(Message.user("Go on."))
    }
  })

// The services that the combinator needs, for one session. An app with many of them takes `Sessions`, as in agent.ts.
// The adapter is asked for the window alone, since the client is the app's own; the summary goes through it as well.
export const live = (client: MyClient, window: number) =>
  Session.layerWithoutLoop.pipe(
    Layer.provide([
      Layer.succeed(Session.SessionId, "t42"),
      LogStore.layerMemory,
      Layer.succeed(ModelAdapter.ModelAdapter, {
        modelInfo: () => Effect.succeedSome({ window, source: "explicit" as const }),
        stream: () => Stream.dieMessage("requests go through the app's own client")
      }),
      Summarizer.layerWith(
        ({ instruction, span }) =>
          client.chat([...span, Message.user(instruction)].map(mine.encode)).pipe(
            Effect.map(({ message }) => message.words),
            Effect.mapError((error) => new Errors.SummaryFailed({ reason: "model", detail: error.body }))
          ),
        { bounded: true }
      )
    ])
  )

// --- a client that stands in for the app's, so that this runs --------------------------------------------------------

/** Takes 4,000 tokens, at four characters each, and says so like a server of the OpenAI kind. */
export const standIn = Effect.sync(() => {
  let answers = 0
  const client: MyClient = {
    chat: (messages) => {
      const prompt = Math.ceil(messages.reduce((sum, { words }) => sum + words.length, 0) / 4)
      if (prompt > 4_000) {
        const message = `This model's maximum context length is 4000 tokens. However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`
        const body = JSON.stringify({ error: { message, code: "context_length_exceeded" } })
        return Effect.fail(new MyHttpError({ status: 400, body }))
      }
      if (messages.at(-1)?.words.startsWith("Summarise")) {
        return Effect.succeed({
          message: { who: "model", words: "Three parts of the report are written." },
          tokens: { prompt, answer: 10 },
          done: true
        })
      }
      answers++
      const words = `Part ${answers} of the report. ${"More of it. ".repeat(400)}`
      return Effect.succeed({
        message: { who: "model", words },
        tokens: { prompt, answer: Math.ceil(words.length / 4) },
        done: answers === 5
      })
    }
  }
  return client
})

export const main = Effect.gen(function* () {
  const client = yield* standIn
  // the app believes in a larger window than there is: the first refusal teaches it the true one
  yield* Effect.gen(function* () {
    const report = yield* converse(client, "Write the report")
    yield* Effect.log(`${report.slice(0, 21)} (replaced ${yield* Surface.generation} times)`)
  }).pipe(Effect.provide(live(client, 16_000)))
})
