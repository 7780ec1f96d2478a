/**
 * Puts the fragments of streamed tool calls together.
 *
 * @since 0.1.0
 */
import type { Part } from "../../services/ModelAdapter.ts"
import { fieldsOf, parse, textOf } from "./looseJson.ts"

type CallPart = Extract<Part, { readonly type: "tool-call" }>

interface Call {
  readonly index: number | undefined
  id: string
  name: string
  readonly pieces: Array<string>
  /** Some servers send the arguments as JSON and not as text. */
  value: unknown
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ToolCallFragments {
  readonly push: (fragment: unknown) => void
  /** In the order in which the calls began. Of a cut-off answer the calls without readable arguments are dropped. */
  readonly finish: (options: { readonly cutOff: boolean }) => ReadonlyArray<CallPart>
}

const isWhole = ({ pieces, value }: Call): boolean =>
  value !== undefined || (pieces.at(-1)?.trimEnd().endsWith("}") === true && parse(pieces.join("")) !== undefined)

/** Of what came of a name before, and what comes now: the next piece of it, the same again, or more of it each time. */
const longerName = (before: string, now: string): string => (now.startsWith(before) ? now : before + now)

const saysSomething = (args: unknown): boolean =>
  typeof args === "string" ? args.trim() !== "" : args !== undefined && args !== null

/**
 * A fragment belongs to the call of its index. One with another id than its index has so far begins a new call, for
 * servers that number every call 0, and so does one without an id, where the call is whole, that brings a name and arguments;
 * one without an index belongs to the call of its id, or else to the last call.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (callId: (index: number) => string): ToolCallFragments => {
  const calls: Array<Call> = []

  const find = (index: number | undefined, id: string): Call | undefined =>
    calls.findLast((call) =>
      index === undefined
        ? id === "" || call.id === id
        : call.index === index && (id === "" || call.id === "" || call.id === id)
    )

  const begin = (index: number | undefined, id: string): Call => {
    const call: Call = { index, id, name: "", pieces: [], value: undefined }
    calls.push(call)
    return call
  }

  return {
    push: (fragment) => {
      const fields = fieldsOf(fragment)
      if (fields === undefined) return
      const index = typeof fields["index"] === "number" ? fields["index"] : undefined
      const id = textOf(fields["id"])
      const called = fieldsOf(fields["function"]) ?? {}
      const args = called["arguments"]
      const name = textOf(called["name"])
      const found = find(index, id)
      const isAnother = found !== undefined && id === "" && name !== "" && saysSomething(args) && isWhole(found)
      const call = found === undefined || isAnother ? begin(index, id) : found
      if (call.id === "") call.id = id
      // behind the arguments no piece of a name comes any more
      if (call.pieces.length === 0 || call.name === "") call.name = longerName(call.name, name)
      if (typeof args !== "string") call.value = args ?? call.value
      else if (args !== "") call.pieces.push(args)
    },
    finish: ({ cutOff }) =>
      calls.flatMap((call, position) => {
        const text = call.pieces.join("")
        const parsed = text.trim() === "" ? { value: call.value ?? {} } : parse(text)
        if (cutOff && (parsed === undefined || (text.trim() === "" && call.value === undefined))) return []
        return [
          {
            type: "tool-call",
            id: call.id === "" ? callId(position) : call.id,
            name: call.name,
            arguments: parsed === undefined ? text : parsed.value
          }
        ]
      })
  }
}
