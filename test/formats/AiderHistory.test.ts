import { assert, describe, it } from "@effect/vitest"
import { asked, decoded, lastSeen, talk } from "./decoded.ts"

const history = `
# aider chat started at 2025-01-02 10:00:00

> aider v1
> Main model: x/model-a with diff edit format
Longer words of aider's own

#### /tokens  
> 427 system messages  
and the rest of the table

#### fix the parser  
#### and its test  

I will.

# Heading of the model's
\`\`\`python
<<<<<<< SEARCH
a
=======
b
>>>>>>> REPLACE
\`\`\`
#### A smaller heading

> Tokens: 1,204 sent, 300 cache hit, 56 received.
Cost: $0.01 message, $0.02 session.  
> Applied edit to parser.py  

#### /test  
> 1 failed

The test needs a change.

> Tokens: 13k sent, 1.2k cache write, 99 received. Cost: $0.01 message, $0.03 session.  

#### /clear  

#### again  
> ^C KeyboardInterrupt  

# aider chat started at 2025-01-02 11:00:00

> Model: b with whole edit format  

# aider chat started at 2025-01-02 12:00:00

#### /ask what is it  

A parser.
`

describe("AiderHistory", () => {
  it("tells people, the model and aider itself apart, chat by chat", () => {
    const { sessions } = decoded("aider-md", history)
    const [first, second] = sessions
    assert.deepStrictEqual(
      sessions.map(({ id }) => id),
      ["2025-01-02 10:00:00", "2025-01-02 12:00:00"]
    )
    const [prompt, answer, ...rest] = talk(first.messages)
    assert.strictEqual(prompt, "user: fix the parser\nand its test")
    assert.match(answer ?? "", /^assistant: I will\.[^]*>>>>>>> REPLACE[^]*#### A smaller heading$/u)
    assert.deepStrictEqual(rest, ["assistant: The test needs a change.", "user: again"])
    assert.deepStrictEqual(asked(first), [
      ["line 27", 1204, prompt],
      ["line 36", 13_000, answer]
    ])
    assert.deepStrictEqual(first.requests[1]?.usage, { inputTokens: 13_000, outputTokens: 99, cacheWriteTokens: 1200 })
    assert.strictEqual(first.requests[0]?.model, "x/model-a")
    assert.deepStrictEqual(talk(lastSeen(history).messages), ["user: again"])
    assert.deepStrictEqual(talk(second?.messages ?? []), ["user: /ask what is it", "assistant: A parser."])
    assert.deepStrictEqual(first.notes, [
      "1 chats of the file in which nothing was said were left out",
      "3 commands to aider itself were left out"
    ])
  })

  it("adds what was read from a cache where the number sent is without it", () => {
    const text = "# aider chat started at now\n\n#### hi  \n\nyes\n\n> Tokens: 194 sent, 9,474 cached, 7 received.  \n"
    const [session] = decoded("aider-md", text).sessions
    assert.deepStrictEqual(session.requests[0]?.usage, { inputTokens: 9668, outputTokens: 7, cachedTokens: 9474 })
  })
})
