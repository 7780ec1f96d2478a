import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { crc32 } from "node:zlib"
import { plain, readAll } from "../layers/logs.ts"
import { databases } from "./databases.ts"
import { type Connection, start } from "./logs.ts"

const batches = [
  { seq: 0, events: ["a", { b: 1 }] },
  { seq: 2, events: ["ä".repeat(20)] },
  { seq: 3, events: [null, 4] }
]

const framed = (text: string) => `${text},"sum":"${crc32(text).toString(16).padStart(8, "0")}"}`

type Damage = (connection: Connection) => Effect.Effect<unknown, unknown>

const damages: Readonly<Record<string, readonly [damage: Damage, seq: number, reason: RegExp]>> = {
  "flipped bits": [
    ({ batches, sql }) => sql`UPDATE ${batches} SET line = replace(line, 'ä', 'å') WHERE seq = 2`,
    2,
    /checksum/
  ],
  "no JSON": [({ batches, sql }) => sql`UPDATE ${batches} SET line = 'notes' WHERE seq = 2`, 2, /not a batch/],
  "nothing in it": [({ batches, sql }) => sql`UPDATE ${batches} SET line = '' WHERE seq = 3`, 3, /not a batch/],
  "another row's line": [
    ({ batches, sql }) => sql`UPDATE ${batches} SET line = (SELECT line FROM ${batches} WHERE seq = 0) WHERE seq = 2`,
    2,
    /the row says seq 2 and 1 events, and its line seq 0 and 2/
  ],
  "another count": [({ batches, sql }) => sql`UPDATE ${batches} SET event_count = 3 WHERE seq = 0`, 0, /3 events/],
  "the first row gone": [
    ({ batches, sql }) => sql`DELETE FROM ${batches} WHERE seq = 0`,
    0,
    /begins at seq 2 and 0 comes next/
  ],
  "a row gone": [
    ({ batches, sql }) => sql`DELETE FROM ${batches} WHERE seq = 2`,
    2,
    /begins at seq 3 and 2 comes next/
  ],
  "a row too many": [
    ({ batches, sql }) =>
      sql`INSERT INTO ${batches} (session, seq, event_count, byte_count, line)
        SELECT session, 4, event_count, byte_count, line FROM ${batches} WHERE seq = 3`,
    5,
    /begins at seq 4 and 5 comes next/
  ],
  "wrong sizes": [
    ({ batches, sql }) => sql`UPDATE ${batches} SET byte_count = -5, line = 'x' WHERE seq = 3`,
    3,
    /not a batch/
  ],
  "a newer format": [
    ({ batches, sql }) => sql`UPDATE ${batches} SET line = ${'{"v":2,"from":"the future"}'} WHERE seq = 3`,
    3,
    /format version 2, newer than version 1/
  ],
  "a line that says more events than it has": [
    ({ batches, sql }) =>
      sql`UPDATE ${batches} SET event_count = 5, line = ${framed('{"v":1,"seq":3,"count":5,"events":[1]')} WHERE seq = 3`,
    3,
    /holds 1 events and says 5/
  ]
}

const fill = Effect.fnUntraced(function* ({ store }: Connection) {
  yield* Effect.scoped(
    Effect.flatMap(store.open("s"), (log) => Effect.forEach(batches, (batch) => log.append(batch, plain)))
  )
})

for (const database of databases) {
  describe.skipIf(database.missing !== undefined)(`rows in ${database.name}`, () => {
    for (const [name, [damage, seq, reason]] of Object.entries(damages)) {
      it.scoped(`with ${name} are refused with the place, and left as they are`, () =>
        Effect.gen(function* () {
          const connection = yield* start(database)
          yield* fill(connection)
          yield* damage(connection)
          const rows = connection.sql`SELECT * FROM ${connection.batches} ORDER BY seq`
          const before = yield* rows
          const error = yield* Effect.flip(Effect.scoped(Effect.flatMap(connection.store.open("s"), readAll)))
          assert.deepInclude(error, { _tag: "SessionCorrupt", session: "s", seq })
          assert.match(error.message, reason)
          assert.deepStrictEqual(yield* rows, before)
          // the session is not held by an open that failed
          assert.strictEqual(
            (yield* Effect.flip(Effect.scoped(Effect.flatMap(connection.store.open("s"), readAll))))._tag,
            "SessionCorrupt"
          )
        })
      )
    }

    it.scoped("that are removed while the log is open are not read as if it were whole, and end its writer", () =>
      Effect.gen(function* () {
        const connection = yield* start(database)
        yield* fill(connection)
        const log = yield* connection.store.open("s")
        yield* connection.sql`DELETE FROM ${connection.batches} WHERE seq = 3`
        assert.deepInclude(yield* Effect.flip(readAll(log)), { _tag: "SessionCorrupt", seq: 3 })
        const error = yield* Effect.flip(log.append({ seq: 5, events: ["x"] }, plain))
        assert.deepInclude(error, { written: "no" })
        assert.match(error.message, /something else than its writer changed the log/)
      })
    )

    it.scoped("are read page by page, the small and the large", () =>
      Effect.gen(function* () {
        const { store } = yield* start(database)
        const sizes = [...Array.from({ length: 600 }, () => 3), 3_000_000, 3_000_000, 5, 6_000_000, 1, 7]
        const events = sizes.map((size, seq) => `${seq}${"é".repeat(size / 2)}`)
        yield* Effect.scoped(
          Effect.flatMap(store.open("s"), (log) =>
            Effect.forEach(events, (event, seq) => log.append({ seq, events: [event] }, plain), { discard: true })
          )
        )
        const log = yield* store.open("s")
        for (const from of [0, 601]) {
          const read = yield* readAll(log, from)
          assert.strictEqual(read[0]?.seq, from)
          assert.isTrue(
            read.every(({ events: [event], seq }) => event === events[seq]),
            `from ${from}`
          )
          assert.lengthOf(read, events.length - from)
        }
      })
    )
  })
}
