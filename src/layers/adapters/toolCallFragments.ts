/**
 * Puts the fragments of streamed tool calls together.
 *
 * @since 0.1.0
 */
import type { Part } from "../../services/ModelAdapter.ts"
import { parse } from "./looseJson.ts"

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

/**
 * A fragment belongs to the call of its index. One with another id than its index has so far begins a new call, for
 * servers that number every call 0; one without an index belongs to the call of its id, or else to the last call.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (callId: (index: number) => string): ToolCallFragments => {
  const calls: Array<Call> = []

  const callOf = (index: number | undefined, id: string): Call => {
    const found = calls.findLast((call) =>
      index === undefined
        ? id === "" || call.id === id
        : call.index === index && (id === "" || call.id === "" || call.id === id)
    )
    if (found !== undefined) return found
    const call: Call = { index, id, name: "", pieces: [], value: undefined }
    calls.push(call)
    return call
  }

  return {
    push: (fragment) => {
      if (typeof fragment !== "object" || fragment === null) return
      const { function: called, id, index } = fragment as Record<string, unknown>
      const call = callOf(typeof index === "number" ? index : undefined, typeof id === "string" ? id : "")
      if (typeof id === "string" && call.id === "") call.id = id
      if (typeof called !== "object" || called === null) return
      const { arguments: args, name } = called as Record<string, unknown>
      if (typeof name === "string" && call.name === "") call.name = name
      if (typeof args === "string") call.pieces.push(args)
      else if (args !== undefined && args !== null) call.value = args
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
