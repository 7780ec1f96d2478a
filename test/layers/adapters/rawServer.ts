import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"

/** A loopback server whose answers are written byte by byte by the test; `closed` ends when a client has gone away. */
export const rawServer = Effect.fnUntraced(function* (
  answer: (response: ServerResponse, number: number, request: IncomingMessage) => void
) {
  const requests: Array<{ readonly headers: IncomingHttpHeaders; readonly body: string; readonly url: string }> = []
  const closed = yield* Deferred.make<void>()
  const server = createServer((request, response) => {
    const pieces: Array<Buffer> = []
    response.on("close", () => {
      if (!response.writableFinished) Deferred.unsafeDone(closed, Effect.void)
    })
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      requests.push({ headers: request.headers, body: Buffer.concat(pieces).toString(), url: request.url ?? "" })
      answer(response, requests.length - 1, request)
    })
  })
  yield* Effect.acquireRelease(
    Effect.async<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.async<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { baseUrl: `http://127.0.0.1:${port}`, requests, closed: Deferred.await(closed) }
})
