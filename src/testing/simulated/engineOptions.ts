/**
 * What can be said of a simulated provider.
 *
 * @since 0.1.0
 */
import type * as Message from "../../session/Message.ts"
import type { ChatRequest } from "./chatRequest.ts"
import type { imitations } from "./imitation.ts"
import type { Answer, Reply } from "./reply.ts"

/**
 * A request for a summary: how many came before it, and its size by the provider's count.
 *
 * @since 0.1.0
 * @category models
 */
export interface AskedSummary {
  readonly request: ChatRequest
  readonly index: number
  readonly inputTokens: number
}

/**
 * `as` is whose counting, prefix cache, wording and defaults it has; in which protocol it is asked and answers, the path
 * of each request says.
 *
 * `window` is tokens, of which the provider counts `countingFactor` for one of the vocabulary o200k (default: as the
 * imitated provider does); `limitCounts` says whether it holds the output that a request allows too. `statedWindow` is
 * what its refusals name instead, null: no figure. `truncates`: it drops the oldest of what does not fit, and says
 * nothing. `byteLimit` is what the gateway before it takes, `outputLimit` the most output that a request may allow.
 * `cache: false`: it has no prefix cache. `outputReserve` is the output that it assumes where a request names none.
 * `bindsThinking`: asked in Anthropic messages, it takes its thoughts back only behind the very messages that they were
 * made behind, unless the request says that others are to be dropped. `latency` is milliseconds before the first byte of everything that has no delay of its own.
 *
 * `replay` are recorded messages, of which the assistant's are answered in order, as they stand; `answers` answers when
 * the script is used up. `isSummary` tells the requests for a summary from the conversation's (ours, by default); they
 * take nothing from the script but faults, and `summaries` may say what comes of each.
 *
 * @since 0.1.0
 * @category models
 */
export interface EngineOptions {
  readonly window: number
  readonly as: keyof typeof imitations
  readonly countingFactor?: number
  readonly limitCounts?: "input" | "input-and-output"
  readonly statedWindow?: number | null
  readonly truncates?: boolean
  readonly byteLimit?: number
  readonly outputLimit?: number
  readonly cache?: boolean
  readonly outputReserve?: number
  readonly bindsThinking?: boolean
  readonly latency?: number
  readonly replay?: ReadonlyArray<Message.Message>
  readonly answers?: (request: ChatRequest) => Answer | undefined
  readonly isSummary?: (request: ChatRequest) => boolean
  readonly summaries?: (asked: AskedSummary) => Reply | undefined
}
