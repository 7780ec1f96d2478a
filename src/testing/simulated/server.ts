/**
 * The HTTP server of the simulated provider.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

/**
 * @since 0.1.0
 * @category models
 */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/**
 * What to write, and what to do when it is written: end in good order, break the connection, or hold it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reaction {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly pieces: ReadonlyArray<string | Uint8Array>
  readonly after: "end" | "cut" | "hold"
  /** Milliseconds before the first byte. */
  readonly delay?: number
  /** Called once, when the exchange is over. */
  readonly over: (how: "complete" | "broken" | "abandoned") => void
}

/** Until the time is over, or the client has gone. */
const wait = (milliseconds: number, response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const over = () => {
      clearTimeout(timer)
      response.off("close", over)
      resolve()
    }
    const timer = setTimeout(over, milliseconds)
    response.once("close", over)
  })

const perform = async (reaction: Reaction, response: ServerResponse) => {
  let how: "complete" | "broken" | "abandoned" = "abandoned"
  response.on("close", () => reaction.over(response.writableFinished ? "complete" : how))
  if (reaction.delay !== undefined) await wait(reaction.delay, response)
  if (response.destroyed) return
  if (reaction.pieces.length > 0 || reaction.after !== "cut") {
    response.writeHead(reaction.status, reaction.headers)
    response.flushHeaders()
  }
  for (const piece of reaction.pieces) {
    if (response.destroyed) return
    await new Promise<void>((resolve) => {
      response.once("close", resolve)
      response.write(piece, () => {
        response.off("close", resolve)
        resolve()
      })
    })
  }
  if (reaction.after === "end") response.end()
  else if (reaction.after === "cut") {
    how = "broken"
    response.destroy()
  }
}

/**
 * The server cannot listen on the port: another process has it, or it may not be had.
 *
 * @since 0.1.0
 * @category errors
 */
export class CannotListen extends Data.TaggedError("CannotListen")<{
  readonly port: number
  /** The system's own code, for example `EADDRINUSE`. */
  readonly code: string
}> {
  override get message(): string {
    const why = this.code === "EADDRINUSE" ? "another process listens there" : this.code
    return `cannot listen on port ${this.port} of 127.0.0.1: ${why}`
  }
}

const receive = (request: IncomingMessage, done: (body: string) => void) => {
  const pieces: Array<Buffer> = []
  request.on("data", (piece: Buffer) => pieces.push(piece))
  request.on("end", () => done(Buffer.concat(pieces).toString("utf8")))
}

/**
 * Listens on the loopback interface until the scope closes; open connections are broken then. Port 0: the system picks
 * one.
 *
 * @since 0.1.0
 * @category constructors
 */
export const listen = (
  react: (exchange: Exchange) => Reaction,
  port = 0
): Effect.Effect<{ readonly origin: string }, CannotListen, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>, CannotListen>((resume) => {
      const server = createServer((request, response) =>
        receive(request, (body) => {
          const { headers, method = "", url = "" } = request
          const { pathname } = new URL(url, "http://127.0.0.1")
          void perform(react({ method, path: pathname, headers, body }), response)
        })
      )
      server.on("error", (error: NodeJS.ErrnoException) =>
        resume(new CannotListen({ port, code: error.code ?? error.message }))
      )
      server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      return { origin: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}` }
    })
  )
