/**
 * Reads server-sent events from pieces of text, wherever the pieces are cut.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export interface ServerSentEvent {
  /** `message` where the server named none. */
  readonly event: string
  readonly data: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ServerSentEventDecoder {
  readonly push: (text: string) => ReadonlyArray<ServerSentEvent>
  /** What was not closed by an empty line when the stream ended: some servers leave the last one out. */
  readonly end: () => ReadonlyArray<ServerSentEvent>
  /** How many characters are held for an event that has not ended. */
  readonly pending: () => number
}

/**
 * Lines end with LF, CRLF or CR; comments and fields that we have no use for are skipped. A line `error: …`, which old
 * llama.cpp servers write, is an event of that name; an object without a field before it, which gateways put into a stream
 * that they have to break off, is an event by itself.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): ServerSentEventDecoder => {
  let unfinished = ""
  let afterCarriageReturn = false
  let started = false
  let name = ""
  let data: Array<string> = []
  let held = 0

  const dispatch = (into: Array<ServerSentEvent>) => {
    if (data.length > 0) into.push({ event: name === "" ? "message" : name, data: data.join("\n") })
    name = ""
    data = []
    held = 0
  }

  const line = (text: string, into: Array<ServerSentEvent>) => {
    if (text === "") return dispatch(into)
    if (text.startsWith("{")) {
      dispatch(into)
      data.push(text)
      return dispatch(into)
    }
    const colon = text.indexOf(":")
    if (colon === 0) return
    const field = colon === -1 ? text : text.slice(0, colon)
    held += text.length
    const value = colon === -1 ? "" : text.slice(text[colon + 1] === " " ? colon + 2 : colon + 1)
    if (field === "data") data.push(value)
    else if (field === "event") name = value
    else if (field === "error") {
      name = "error"
      data.push(value)
    }
  }

  return {
    push: (text) => {
      const events: Array<ServerSentEvent> = []
      let start = 0
      if (!started && text !== "") {
        started = true
        if (text.startsWith("\ufeff")) start = 1
      }
      for (let at = start; at < text.length; at++) {
        const character = text[at]
        if (character === "\n" && afterCarriageReturn) {
          afterCarriageReturn = false
          start = at + 1
        } else if (character === "\n" || character === "\r") {
          afterCarriageReturn = character === "\r"
          line(unfinished + text.slice(start, at), events)
          unfinished = ""
          start = at + 1
        } else afterCarriageReturn = false
      }
      unfinished += text.slice(start)
      return events
    },
    end: () => {
      const events: Array<ServerSentEvent> = []
      if (unfinished !== "") line(unfinished, events)
      unfinished = ""
      dispatch(events)
      return events
    },
    pending: () => unfinished.length + held
  }
}

/** A body that is no event stream, as one event. */
const makeWhole = (): ServerSentEventDecoder => {
  const pieces: Array<string> = []
  let held = 0
  return {
    push: (text) => {
      pieces.push(text)
      held += text.length
      return []
    },
    end: () => [{ event: "message", data: pieces.join("") }],
    pending: () => held
  }
}

/** The name of a field, or the colon of a comment. */
const begins = /[a-z:]/

/**
 * Reads a body as what it begins like: an event stream, or one event. What a server calls it says nothing: errors come under
 * the name of a stream, and streams under that of JSON.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeEither = (): ServerSentEventDecoder => {
  let chosen: ServerSentEventDecoder | undefined
  return {
    push: (text) => {
      if (chosen !== undefined) return chosen.push(text)
      const start = text.trimStart()
      if (start === "") return []
      chosen = begins.test(start.charAt(0)) ? make() : makeWhole()
      return chosen.push(start)
    },
    end: () => chosen?.end() ?? [],
    pending: () => chosen?.pending() ?? 0
  }
}
