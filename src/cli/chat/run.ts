/**
 * Runs the chat: a session of this library's own loop, with tools for the working folder.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { layerLogStoreFile } from "../../layers/node/index.ts"
import * as Agent from "../../layers/Agent.ts"
import * as CompactionPolicy from "../../services/CompactionPolicy.ts"
import * as Sessions from "../../layers/Sessions.ts"
import * as Summarizer from "../../layers/Summarizer.ts"
import { LogStore } from "../../services/LogStore.ts"
import { SessionId } from "../../session/Ids.ts"
import { understands } from "./model.ts"
import * as ChatFolder from "./folder.ts"
import * as ChatProvider from "./provider.ts"
import { converse, type Next } from "./session.ts"
import * as ChatSettings from "./settings.ts"
import * as ChatTerminal from "./terminal.ts"
import * as ChatTools from "./tools.ts"
import * as Config from "../config.ts"
import { BadInput, RunFailed } from "../exitCode.ts"
import { logTo } from "../logTo.ts"

/**
 * The options as they were written.
 *
 * @since 0.1.0
 * @category models
 */
export interface Arguments extends ChatSettings.Given {
  readonly session: string | undefined
  readonly config: string | undefined
  readonly allowCommands: boolean
  readonly once: boolean
}

const system = (root: string) =>
  `You help a person at their terminal with the files of one folder, ${root}. Use the tools to look before you answer, make the smallest change that does what was asked, and say shortly what you did.`

/** Ids that sort by time, and that nobody has to think of. */
const freshId = Effect.map(Clock.currentTimeMillis, (now) => {
  const [day = "", time = ""] = new Date(now).toISOString().split(/[T.]/u)
  return `${day}-${time.replaceAll(":", "")}-${Math.random().toString(36).slice(2, 6)}`
})

const isSessionId = Schema.is(SessionId)

const personAt = (
  terminal: ChatTerminal.Terminal,
  allowCommands: boolean,
  asking: Effect.Semaphore
): ChatTools.Person => ({
  show: (what, lines = []) =>
    Effect.sync(() => {
      terminal.tell(`· ${what}`)
      for (const line of lines) {
        terminal.tell(`  ${line}`, line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "quiet")
      }
    }),
  mayRun: (command) => {
    if (allowCommands) return Effect.succeed(undefined)
    if (!terminal.isInteractive) {
      return Effect.as(
        Effect.sync(() => terminal.tell(`· does not run ${command}: nobody can be asked; --allow-commands lets it`)),
        "the command was not run: there is nobody to ask, and --allow-commands was not given"
      )
    }
    return asking.withPermits(1)(
      Effect.gen(function* () {
        yield* Effect.sync(() => terminal.tell(`· wants to run: ${command}`, "wrong"))
        const said = Option.getOrElse(yield* terminal.line("  run it? [y/N] ", "fresh"), () => "")
        return /^y(?:es)?$/iu.test(said.trim()) ? undefined : "the user did not let this command run"
      })
    )
  }
})

const banner = (terminal: ChatTerminal.Terminal, settings: ChatSettings.Settings, id: string, root: string) =>
  Effect.sync(() => {
    const { notes, provider, route } = settings
    if (provider.kind === "simulated") {
      terminal.tell(
        `simulated model${provider.chosen ? " (no key is set: DEEPSEEK_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY, or --provider)" : ""}: it costs nothing and takes ${understands}`
      )
    } else {
      terminal.tell(`${route.provider}, ${route.model}${provider.chosen ? " (its key is set)" : ""}`)
    }
    for (const note of notes) terminal.tell(note, "wrong")
    terminal.tell(`session ${id}, folder ${root}${terminal.isInteractive ? "; /help has the commands" : ""}`)
  })

/** What is wrong with a session that cannot be opened, and where its log is. */
const told = (data: string) => (error: { readonly message: string }) =>
  new RunFailed({ message: `${error.message} (the sessions are in ${data})` })

/**
 * @since 0.1.0
 * @category constructors
 */
export const run = Effect.fnUntraced(function* (args: Arguments) {
  const env: Config.Environment = process.env
  const folder = yield* Effect.mapError(ChatFolder.make(process.cwd()), ({ message }) => new BadInput({ message }))
  const named = args.config ?? (env["EFFECT_COMPACTION_CONFIG"] || undefined)
  const configs = yield* Config.load({ named, folder: folder.root, env })
  const settings = yield* ChatSettings.resolve(args, env, configs)
  const first = args.session ?? (yield* freshId)
  if (!isSessionId(first)) {
    return yield* new BadInput({ message: "--session takes 1 to 200 characters without control characters" })
  }

  const terminal = yield* ChatTerminal.make
  const person = personAt(terminal, args.allowCommands, yield* Effect.makeSemaphore(1))
  const store = layerLogStoreFile({ directory: settings.data })
  const adapter = ChatProvider.layer(settings)
  const app = Layer.mergeAll(
    Agent.layer({ ...settings.route, system: system(folder.root) }),
    Layer.provideMerge(Summarizer.layer, adapter),
    ChatTools.layer(folder, person),
    Layer.succeed(CompactionPolicy.CompactionPolicy, settings.policy),
    store
  )
  const tell = (line: string) => terminal.tell(line, "wrong")
  const leave = (id: string) =>
    Effect.sync(() => terminal.tell(`go on with it: effect-compaction chat --session ${id}`))

  yield* Effect.gen(function* () {
    const sessions = yield* Sessions.Sessions
    const logs = yield* LogStore
    yield* banner(terminal, settings, first, folder.root)
    let next: Next = { _tag: "Session", id: first }
    while (next._tag === "Session") {
      const id: string = next.id
      next = yield* (
        sessions
          .use(
            id,
            converse({ id, isNamed: args.session !== undefined, terminal, settings, once: args.once, logs, sessions })
          )
          // of who goes on in a branch it was told where
          .pipe(
            Effect.onExit((exit) => (Exit.isSuccess(exit) && exit.value._tag === "Session" ? Effect.void : leave(id)))
          )
      )
    }
    if (next._tag === "Interrupted") return yield* Effect.interrupt
    if (next._tag === "Failed") return yield* new RunFailed({ message: next.message })
  }).pipe(
    Effect.provide(Layer.provideMerge(Sessions.layer({ idleTimeToLive: 0 }), app)),
    Effect.provide(logTo(tell)),
    Effect.catchTags({
      SessionLocked: told(settings.data),
      SessionCorrupt: told(settings.data),
      LogWriteFailed: told(settings.data)
    })
  )
}, Effect.scoped)
