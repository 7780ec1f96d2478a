import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { appendFileSync } from "node:fs"
import { crc32 } from "node:zlib"
import { runEstimator as estimator } from "../../src/compaction/RunEstimator.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import { layerLogStoreFile } from "../../src/layers/node/index.ts"
import * as sessionLog from "../../src/layers/sessionLog.ts"
import * as Message from "../../src/session/Message.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import { makeDirectory, plain } from "./logs.ts"

const counts = { estimator: estimator.id, values: [7] }

const said = [
  Message.user("ä question"),
  Message.assistant([Message.textBlock("look"), Message.toolCall("c", "read", { text: "x" })])
]
const result = Message.toolResult({ id: "c", name: "read", content: "r".repeat(300) })

const events = (text = "ä question") => [
  { seq: 0, time: 0, type: "message/user", data: { message: Message.user(text), source: "prompt", counts } },
  { seq: 1, time: 0, type: "message/assistant", data: { message: said[1], finish: "tool-calls", counts } },
  {
    seq: 2,
    time: 0,
    type: "message/tool-result",
    data: { callId: "c", name: "read", content: [Message.textBlock("r".repeat(300))], counts }
  }
]

const write = (text?: string) =>
  Effect.flatMap(LogStore.LogStore, (store) =>
    Effect.scoped(Effect.flatMap(store.open("s"), (log) => log.append({ seq: 0, events: events(text) }, plain)))
  )

const opened = Effect.scoped(Effect.map(sessionLog.open("s", estimator), ({ state }) => state))

/** A store whose wrapper hands nothing on but the id. */
const forgetful = Layer.effect(
  LogStore.LogStore,
  Effect.map(LogStore.LogStore, (store) => ({ ...store, open: (id: string) => store.open(id) }))
)

const stores = {
  memory: Effect.succeed(LogStore.layerMemory),
  file: Effect.map(makeDirectory, (directory) => layerLogStoreFile({ directory })),
  "a store that gives nothing on the way": Effect.map(makeDirectory, (directory) =>
    Layer.provide(forgetful, layerLogStoreFile({ directory }))
  )
}

describe("an opened log", () => {
  for (const [name, store] of Object.entries(stores)) {
    it.scoped(`has its messages whole, whoever asks for them (${name})`, () =>
      Effect.gen(function* () {
        const { surface } = yield* Effect.provide(Effect.zipRight(write(), opened), yield* store)
        const whole = [...said, result]
        assert.deepStrictEqual(SurfaceState.nodeAt(surface, 0)?.message, whole[0])
        assert.deepStrictEqual(
          SurfaceState.counted(surface).map(({ seq }) => seq),
          [0, 1, 2]
        )
        assert.deepStrictEqual(
          SurfaceState.nodes(surface, 1).map(({ message }) => message),
          whole.slice(1)
        )
        assert.deepStrictEqual(SurfaceState.messages(surface), whole)
        // read once, and then kept
        assert.strictEqual(SurfaceState.nodeAt(surface, 2)?.message, SurfaceState.messages(surface)[2])
      })
    )
  }

  it.scoped("carries what is unread over a replacement and into a copy", () =>
    Effect.gen(function* () {
      const { surface } = yield* Effect.provide(Effect.zipRight(write(), opened), yield* stores.file)
      const node = { seq: 9, message: Message.user("instead"), counts: [1], source: "prompt" } as const
      const replaced = SurfaceState.replace(surface, [{ first: 0, last: 0, node }])
      assert.isTrue(replaced._tag === "Right")
      if (replaced._tag === "Right") {
        assert.deepStrictEqual(SurfaceState.messages(replaced.right), [node.message, said[1]!, result])
      }
      const on = { ...node, message: Message.user("on") }
      SurfaceState.append(surface, { ...on, seq: 10 })
      const branched = SurfaceState.append(surface, { ...on, seq: 11 })
      assert.isTrue(branched._tag === "Right")
      if (branched._tag === "Right")
        assert.deepStrictEqual(SurfaceState.messages(branched.right), [...said, result, on.message])
    })
  )

  it.scoped("that holds what is no event is refused when it is opened, under a sum that is right", () =>
    Effect.gen(function* () {
      const whole = `{"v":1,"seq":0,"count":3,"events":${JSON.stringify(events())}`
      for (const [from, to, reason] of [
        ["ä question", "\\x", /not JSON/],
        ["ä question", "\u0001", /not JSON/],
        ['"values":[7]', '"values":[null]', /values/],
        ['"seq":2', '"seq":3', /says that it is seq 3/],
        ['"role":"user"', '"role":"assistant"', /message/],
        ['"callId":"c"', '"callId":"d"', /answers the call "d"/]
      ] as const) {
        const directory = yield* makeDirectory
        const text = whole.replace(from, to)
        appendFileSync(`${directory}/s.jsonl`, `${text},"sum":"${crc32(text).toString(16).padStart(8, "0")}"}\n`)
        const error = yield* Effect.flip(Effect.provide(opened, layerLogStoreFile({ directory })))
        assert.strictEqual(error._tag, "SessionCorrupt", to)
        assert.match(error.message, reason)
      }
    })
  )
})
