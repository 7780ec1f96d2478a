/**
 * What a server keeps of a request that does not fit, where it says nothing about it.
 *
 * @since 0.1.0
 */
import type { ChatRequest } from "./chatRequest.ts"

const withoutOldest = (request: ChatRequest, dropped: number): ChatRequest => {
  let left = dropped
  return { ...request, messages: request.messages.filter(({ role }) => role === "system" || left-- <= 0) }
}

/**
 * The system prompt and as many of the newest messages as fit into `room`; the newest stays, whatever its size.
 *
 * @since 0.1.0
 * @category conversions
 */
export const truncate = (request: ChatRequest, room: number, size: (request: ChatRequest) => number): ChatRequest => {
  let low = 0
  let high = Math.max(0, request.messages.filter(({ role }) => role !== "system").length - 1)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (size(withoutOldest(request, middle)) <= room) high = middle
    else low = middle + 1
  }
  return withoutOldest(request, low)
}
