import * as Message from "../../src/session/Message.ts"

/** What is wrong with the pairs, looked for in another way than the code under test does it. */
export const broken = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const seen = new Set<string>()
  let expected: Array<string> = []
  for (const [index, message] of messages.entries()) {
    const say = (text: string) => problems.push(`message ${index}: ${text}`)
    const results = Message.toolResults(message)
    if (message.role === "tool") {
      if (message.content.length !== 1 || results.length !== 1) say("a tool message is not exactly one result")
      if (results[0]?.id !== expected.shift()) say(`the result ${results[0]?.id} is not the next one expected`)
      continue
    }
    if (expected.length > 0) say(`${expected.join()} not answered before it`)
    if (results.length > 0) say("a result outside a tool message")
    if (message.role === "user" && Message.toolCalls(message).length > 0) say("the user calls a tool")
    expected = Message.toolCalls(message).map((call) => call.id)
    for (const id of expected) {
      if (id === "" || seen.has(id)) say(`the id "${id}" is empty or used again`)
      seen.add(id)
    }
  }
  if (expected.length > 0) problems.push(`${expected.join()} not answered at the end`)
  return problems
}
