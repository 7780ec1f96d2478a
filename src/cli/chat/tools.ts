/**
 * The tools of the chat: what the model is told of them, and what they do.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as JSONSchema from "effect/JSONSchema"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as ToolRunner from "../../layers/ToolRunner.ts"
import * as Files from "./files.ts"
import type { Folder } from "./folder.ts"
import * as Shell from "./shell.ts"

/**
 * What the tools need of the person: to be shown what they do, and to be asked before a command runs.
 *
 * @since 0.1.0
 * @category models
 */
export interface Person {
  readonly show: (what: string, lines?: ReadonlyArray<string>) => Effect.Effect<void>
  /** Undefined: it may run; else why not. */
  readonly mayRun: (command: string) => Effect.Effect<string | undefined>
}

const text = (description: string) => Schema.String.annotations({ description })
const number = (description: string) => Schema.Number.pipe(Schema.int(), Schema.positive()).annotations({ description })

const path = text("The path of a file, relative to the working folder")

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const fields = {
  read_file: Schema.Struct({
    path,
    from: optional(number("The first line, 1 if absent")),
    lines: optional(number("How many lines, 600 at most"))
  }),
  list_files: Schema.Struct({
    path: optional(text("A folder, the working folder if absent")),
    recursive: optional(Schema.Boolean.annotations({ description: "All folders in it too" }))
  }),
  search_files: Schema.Struct({
    text: text("What to look for, as it stands in the line; no pattern"),
    path: optional(text("A folder or file to look in, the working folder if absent")),
    ignoreCase: optional(Schema.Boolean.annotations({ description: "Take upper and lower case for the same" }))
  }),
  edit_file: Schema.Struct({
    path,
    replace: text("The text to replace, exactly as it stands in the file, where it occurs once"),
    put: text("What to put in its place")
  }),
  write_file: Schema.Struct({ path, text: text("The whole text of the file") }),
  run_command: Schema.Struct({
    command: text("A line for the shell, run in the working folder, without input"),
    seconds: optional(number("How long it may take, 120 if absent, 1800 at most"))
  })
}

const descriptions: Readonly<Record<keyof typeof fields, string>> = {
  read_file: "Reads lines of a text file, with their numbers",
  list_files: "Lists the files and folders of a folder",
  search_files: "Finds the lines of files that hold a text",
  edit_file: "Replaces one text in a file",
  write_file: "Writes a file whole, a new one or one that is there",
  run_command: "Runs a command after the user has agreed"
}

/** The arguments as the model sent them, checked; what does not fit is told to it in words, and to the person. */
const toolFor =
  (person: Person) =>
  <A, I>(
    name: keyof typeof fields,
    schema: Schema.Schema<A, I>,
    run: (args: A) => Effect.Effect<string | { readonly content: string; readonly isError: boolean }, unknown>
  ): ToolRunner.Tool<never> => {
    const decode = ParseResult.decodeUnknown(schema, { errors: "all" })
    // an object's schema, whatever JSONSchema says of schemas in general
    const { $schema: _, ...parameters } = JSONSchema.make(schema)
    return {
      schema: { description: descriptions[name], parameters },
      run: (args) =>
        decode(args).pipe(
          Effect.mapError((error) => ({
            message: `the arguments of ${name} do not fit: ${ParseResult.ArrayFormatter.formatIssueSync(error)
              .map(({ message, path }) => `${path.map(String).join(".") || "the whole"}: ${message}`)
              .join("; ")}`
          })),
          Effect.flatMap(run),
          // of an error of ours the model reads the words alone
          Effect.catchIf(
            (error): error is { readonly message: string } =>
              typeof error === "object" && error !== null && "message" in error && typeof error.message === "string",
            ({ message }) => Effect.as(person.show(`${name}: ${message}`), { content: message, isError: true })
          )
        )
    }
  }

const ended = ({ code, output, signal, timedOut }: Shell.Ended, seconds: number) => {
  const how = timedOut
    ? `stopped after ${seconds} seconds`
    : code === undefined
      ? `ended by ${signal ?? "a signal"}`
      : `exit code ${code}`
  return { content: `[${how}]\n${output}`.trimEnd(), isError: code !== 0 }
}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (folder: Folder, person: Person): Layer.Layer<ToolRunner.ToolRunner> => {
  const tool = toolFor(person)
  const changed = (change: Effect.Effect<Files.Change, unknown>) =>
    Effect.flatMap(change, ({ lines, told }) => Effect.as(person.show(told, lines), told))
  return ToolRunner.layer({
    read_file: tool("read_file", fields.read_file, (args) =>
      Effect.zipRight(person.show(`reads ${args.path}`), Files.read(folder, args))
    ),
    list_files: tool("list_files", fields.list_files, (args) =>
      Effect.zipRight(person.show(`lists ${args.path ?? "."}`), Files.list(folder, args))
    ),
    search_files: tool("search_files", fields.search_files, (args) =>
      Effect.zipRight(
        person.show(`searches ${args.path ?? "."} for ${JSON.stringify(args.text)}`),
        Files.search(folder, args)
      )
    ),
    edit_file: tool("edit_file", fields.edit_file, (args) => changed(Files.edit(folder, args))),
    write_file: tool("write_file", fields.write_file, (args) => changed(Files.write(folder, args))),
    run_command: tool("run_command", fields.run_command, ({ command, seconds: asked = 120 }) =>
      Effect.gen(function* () {
        const seconds = Math.min(asked, 1_800)
        const refused = yield* person.mayRun(command)
        if (refused !== undefined) return { content: refused, isError: true }
        yield* person.show(`runs ${command}`)
        const result = yield* Shell.run({ command, folder: folder.root, seconds })
        const answer = ended(result, seconds)
        yield* person.show(answer.content.split("\n", 1)[0] ?? "")
        return answer
      })
    )
  })
}
