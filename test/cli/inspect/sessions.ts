// Sessions of known sizes to inspect: with `characters` as the estimator a character is a token.
import * as Policy from "../../../src/compaction/Policy.ts"
import type { TokenEstimator } from "../../../src/compaction/TokenEstimator.ts"
import { runEstimator } from "../../../src/compaction/RunEstimator.ts"
import type { Session } from "../../../src/formats/Transcript.ts"
import { inspect, type Settings } from "../../../src/cli/inspect/inspection.ts"
import * as Kept from "../../../src/cli/inspect/kept.ts"
import { type Report, type SessionReport, version } from "../../../src/cli/inspect/report.ts"
import * as Message from "../../../src/session/Message.ts"

/** The session as a decoder gives it that keeps what `kept` keeps. */
export const keptSession = (session: Session, kept: Kept.Kept): Session => {
  const known = new Map<Message.Message, Message.Message>()
  const keep = (message: Message.Message): Message.Message => {
    const index = session.messages.indexOf(message)
    const found = known.get(message) ?? {
      ...message,
      content: message.content.map((block) =>
        kept.keep(block, message.role, index < 0 ? undefined : `line ${index + 1}`)
      )
    }
    known.set(message, found)
    return found
  }
  return {
    ...session,
    messages: session.messages.map(keep),
    compactions: session.compactions.map((each) => ({ ...each, head: each.head.map(keep) }))
  }
}

export const session = (messages: ReadonlyArray<Message.Message>, fields: Partial<Session> = {}): Session => ({
  id: "s",
  messages,
  requests: [],
  compactions: [],
  notes: [],
  ...fields
})

export const inspected = (
  given: Session,
  settings: Partial<Settings> & { readonly estimator?: TokenEstimator } = {}
): SessionReport => {
  const { estimator = runEstimator, ...rest } = settings
  const policy = rest.policy ?? Policy.defaults
  const kept = Kept.make(estimator, { prune: policy.prune })
  return inspect(keptSession(given, kept), kept, { window: undefined, full: false, ...rest, policy })
}

export const reportOf = (...sessions: ReadonlyArray<SessionReport>): Report => ({
  version,
  file: "session.jsonl",
  format: "pi-session",
  history: "last-seen",
  estimator: "runs/3",
  sessions
})

export const read = (id: string, path: string) => Message.toolCall(id, "read", { path })

export const result = (id: string, content: string) => Message.toolResult({ id, name: "read", content })

const words = (count: number) => "several plain words about nothing at all ".repeat(Math.ceil(count / 8))

/** A session that was counted and compacted, of so many steps; `text` stands in each kind of message. */
export const long = (steps: number, text = "", compactAt = 150_000): Session => {
  const messages: Array<Message.Message> = []
  const requests: Array<Session["requests"][number]> = []
  const compactions: Array<Session["compactions"][number]> = []
  let counted = 12_000
  for (let step = 0; step < steps; step++) {
    if (step % 3 === 0) messages.push(Message.user(`${text}Question ${step}: ${words(60)}`))
    if (counted > compactAt) {
      compactions.push({
        at: messages.length,
        head: [Message.user(`${text}What was done before: ${words(800)}`)],
        keptFrom: messages.length - 1
      })
      counted = 14_000
    }
    requests.push({
      at: messages.length,
      place: `line ${messages.length + 1}`,
      provider: "anthropic",
      model: "claude-sonnet-4-5",
      usage: { inputTokens: counted, outputTokens: 60 },
      counted: "provider"
    })
    const size = step % 11 === 0 ? 6_000 : 700
    messages.push(
      Message.assistant([
        { type: "reasoning", text: words(40) },
        Message.textBlock(`${text}I look at file ${step % 7}.`),
        read(`c${step}`, `src/${text}file${step % 7}.ts`)
      ]),
      result(`c${step}`, `${text}${words(size)}`)
    )
    counted += Math.round(size * 1.05) + 130
  }
  return session(messages, { requests, compactions, visible: "messages", notes: [`${text}line 3: it is odd`] })
}
